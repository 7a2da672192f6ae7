/* SPDX-License-Identifier: MIT */
/* counter_lines.h - the counters of a run as fields of its lines, and blocks of steps. */
#ifndef SINKS_COMMON_RUNLOG_COUNTER_LINES_H
#define SINKS_COMMON_RUNLOG_COUNTER_LINES_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

#include <stdbool.h>

/* ---- counters -------------------------------------------------------------------------------- */

/* A line gives their values in the order in which the log has named them: on the line of the run,
 * or on a line of their own. Zero-initialised, none are named. */
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

/* Adds a line for each counter that was not named yet of those that a region or a part of a step
 * used. */
void swi_log_counters_name(struct swi_text *text, struct swi_log_counters *counters,
                           const struct sw_counter_use *use, size_t count, size_t stride);

/* Adds the name, kind and unit of a counter; a value, or null for SW_COUNTER_NONE. */
void swi_log_counter_names(struct swi_text *text, const char *name, enum sw_counter_kind kind,
                           const char *unit);
void swi_log_counter_value(struct swi_text *text, int64_t value);

/* Adds the fields `c` and `p` of a begin or an end. */
void swi_log_counters_of_region(struct swi_text *text, const struct swi_log_counters *counters,
                                const struct sw_region *region);

/* Adds what a part of a step used: [[total, self], …], and null for a counter that it does not
 * have.
 */
void swi_log_counters_of_part(struct swi_text *text, const struct swi_log_counters *counters,
                              const struct sw_step_part *part);

/* ---- blocks of steps ------------------------------------------------------------------------- */

/* How long each action took in blocks of training steps, in constant memory. If there are too many
 * blocks, each two are merged. */
enum { SWI_BLOCKS = 128 };

/* The sums of one action in ns. */
struct swi_block_action {
    int id;
    char *name;
    int64_t ns[SWI_BLOCKS];
};

/* Initialise it as {.width = 1}. */
struct swi_blocks {
    int64_t width; /* steps in a block: a power of two */
    int64_t first; /* block n begins with step n * width */
    int64_t count;
    int64_t steps[SWI_BLOCKS];
    size_t actions;
    struct swi_block_action *action;
};

/* Adds a finished training step, or several, of which the last has this number. They are left out
 * if memory runs out. */
void swi_blocks_add(struct swi_blocks *blocks, int64_t number, const struct sw_step *step);

/* Adds a line (docs/run-log.md), or nothing if there are no steps. */
void swi_blocks_line(const struct swi_blocks *blocks, struct swi_text *text);
void swi_blocks_free(struct swi_blocks *blocks);

#endif
