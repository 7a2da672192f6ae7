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

/* Adds a begin or an end. size: of the region; window: -1: it is in none; counters: may be NULL. */
void swi_lines_region(struct swi_text *text, const struct sw_region *region, size_t size,
                      int64_t window, struct swi_log_counters *counters);

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

/* Adds the metrics of a record. own: those that the profiler computed, too. */
void swi_metric_lines(struct swi_text *text, const struct sw_record *record, bool own,
                      const struct swi_thinning *thinning);

/* ---- parts of swi_lines_record() ------------------------------------------------------------- */

/* Adds a line for each finding, then that of the report, or of the report of all ranks. */
void swi_report_lines(struct swi_text *text, const struct sw_record *record, bool histograms);
void swi_ranks_line(struct swi_text *text, const struct sw_record *record);

/* Adds the line of a step, or, if the group has several, of steps that were added up: what each
 * action took in all of them, and at least and at most in one of them. Before it, adds the counters
 * that the log has not named yet. group: NULL: the record is of a step. */
void swi_step_line(struct swi_text *text, const struct sw_record *record,
                   const struct swi_step_group *group, struct swi_log_counters *counters);

#endif
