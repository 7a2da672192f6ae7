/* SPDX-License-Identifier: MIT */
/* loop_lines.h - what the loop did, as lines of the run log. */
#ifndef SINKS_COMMON_RUNLOG_LOOP_LINES_H
#define SINKS_COMMON_RUNLOG_LOOP_LINES_H

#include "core/text/buffer.h"
#include "sinks/common/runlog/counter_lines.h"
#include "sinks/common/thinning.h"

#include <stepwatch/sink.h>

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
