/* SPDX-License-Identifier: MIT */
/* counter_lines.h - the counters of a run as fields of its lines. A line gives their values in the
 * order in which the log has named them: on the line of the run, or on a line of their own. */
#ifndef SINKS_COMMON_RUNLOG_COUNTER_LINES_H
#define SINKS_COMMON_RUNLOG_COUNTER_LINES_H

#include "core/text/buffer.h"
#include "sinks/common/runlog/step_lists.h"

#include <stepwatch/sink.h>

/* Zero-initialised, none are named. */
struct swi_log_counters {
    size_t count;
    const struct sw_counter_info **named; /* own memory */
    bool failed;                          /* out of memory */
};

void swi_log_counters_free(struct swi_log_counters *counters);

/* Adds the field `counters` of the line of the run: those of the run, and what the log has named.
 */
void swi_log_counters_of_run(struct swi_text *text, struct swi_log_counters *counters,
                             const struct sw_run *run);

/* Adds a line for each counter of a region or of a step that was not named yet. */
void swi_log_counters_name_region(struct swi_text *text, struct swi_log_counters *counters,
                                  const struct sw_region *region);
void swi_log_counters_name_step(struct swi_text *text, struct swi_log_counters *counters,
                                const struct sw_step *step);

/* Adds the fields `c` and `p` of a begin or an end. */
void swi_log_counters_of_region(struct swi_text *text, const struct swi_log_counters *counters,
                                const struct sw_region *region);

/* Adds the fields `counters` and `inner_counters` of a step. */
void swi_log_counters_of_step(struct swi_text *text, const struct swi_log_counters *counters,
                              const struct swi_step_lists *lists);

#endif
