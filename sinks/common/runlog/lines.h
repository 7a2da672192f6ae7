/* SPDX-License-Identifier: MIT */
/* lines.h - writes records as the lines of a run log (docs/run-log.md). */
#ifndef SINKS_COMMON_RUNLOG_LINES_H
#define SINKS_COMMON_RUNLOG_LINES_H

#include "core/text/buffer.h"
#include "sinks/common/runlog/counter_lines.h"
#include "sinks/common/step_groups.h"
#include "sinks/common/thinning.h"

#include <stepwatch/sink.h>

/* Adds the first line. detail: the option, for readers of the log. windowed: regions are recorded
 * in windows only. */
void swi_lines_run(struct swi_text *text, const struct sw_run *run, const char *detail,
                   bool windowed, struct swi_log_counters *counters);

/* Adds the begin of a log that was truncated: the first line again, and a begin for each open
 * region of the loop. begun: the time of the begin of each action, SW_FIT to SW_VALID; -1 if it is
 * not open. thread: the loop's. */
void swi_lines_again(struct swi_text *text, const struct sw_run *run, const char *detail,
                     bool windowed, const int64_t *begun, int thread,
                     struct swi_log_counters *counters);

/* Adds how many training steps the program expects, from the record on. */
void swi_lines_expected(struct swi_text *text, const struct sw_record *record);

/* Adds the lines of any other record. histograms: add the distributions to the rows of a report,
 * for tools that merge the reports of several processes. window: number of the window of the
 * regions, or -1 if the log has all regions. counters: of regions and steps; NULL if the log has
 * neither. thinning: of the sink, or NULL.
 */
void swi_lines_record(struct swi_text *text, const struct sw_record *record, bool histograms,
                      int64_t window, struct swi_log_counters *counters,
                      const struct swi_thinning *thinning);

/* ---- a report and its findings --------------------------------------------------------------- */

/* Adds a finding of the fit with this number. */
void swi_finding_line(struct swi_text *text, const struct sw_record *record, int fit,
                      const struct sw_finding *finding);

/* Adds a line for each finding, then that of the report. histograms: as in swi_lines_record(). */
void swi_report_lines(struct swi_text *text, const struct sw_record *record, bool histograms);

/* ---- a step: what each action took in it ----------------------------------------------------- */

/* Adds the line of a step, and before it the counters that the log has not named yet. */
void swi_step_line(struct swi_text *text, const struct sw_record *record,
                   struct swi_log_counters *counters);

/* The same of steps that were added up: their line has what each action took in all of them, and at
 * least and at most in one of them. */
void swi_steps_line(struct swi_text *text, const struct swi_step_group *group,
                    struct swi_log_counters *counters);

/* ---- what the loop did ----------------------------------------------------------------------- */

/* Adds a begin, an end or a cancel, and before it the counters that the log has not named yet.
 * size: of the region in core. window: as in swi_lines_record(). */
void swi_region_line(struct swi_text *text, const struct sw_region *region, size_t size,
                     int64_t window, struct swi_log_counters *counters);

/* Add the beginning or the end of a window, of a span or of a pause; a note; what a queue has lost;
 * the metrics of a record. own: those that the profiler computed, too. thinning: what has made the
 * record, or NULL. */
void swi_window_line(struct swi_text *text, const struct sw_record *record);
void swi_span_line(struct swi_text *text, const struct sw_span *span);
void swi_pause_line(struct swi_text *text, const struct sw_record *record);
void swi_note_line(struct swi_text *text, const struct sw_record *record);
void swi_lost_line(struct swi_text *text, const struct sw_record *record);
void swi_metric_lines(struct swi_text *text, const struct sw_record *record, bool own,
                      const struct swi_thinning *thinning);

#endif
