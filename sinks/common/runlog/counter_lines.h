/* SPDX-License-Identifier: MIT */
/* counter_lines.h - the counters of a run as fields of its lines, the parts of a step, and blocks
 * of steps. */
#ifndef SINKS_COMMON_RUNLOG_COUNTER_LINES_H
#define SINKS_COMMON_RUNLOG_COUNTER_LINES_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

#include <stdbool.h>

/* ---- the parts of a step by action ----------------------------------------------------------- */

/* The calls of an action are a list, and calls inside a call of the same action another one. */
struct swi_step_list_part {
    size_t next; /* the next part of the same list; 0: none */
    bool later;  /* it is not the first of its list */
};

struct swi_step_lists {
    const struct sw_step *step;
    struct swi_step_list_part *part; /* NULL: each list has a single part, as in most steps */
};

static inline bool swi_step_list_begins(const struct swi_step_lists *lists, size_t i)
{
    return !lists->part || !lists->part[i].later;
}

/* Returns the next part of the same list; 0: none. */
static inline size_t swi_step_list_next(const struct swi_step_lists *lists, size_t i)
{
    return lists->part ? lists->part[i].next : 0;
}

/* Returns false if out of memory. */
bool swi_step_lists_init(struct swi_step_lists *lists, const struct sw_step *step);
void swi_step_lists_fini(struct swi_step_lists *lists);

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
