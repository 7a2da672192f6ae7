/* SPDX-License-Identifier: MIT */
/* blocks.h - how long each action took in blocks of training steps, in constant memory. If there
 * are too many blocks, each two are merged. */
#ifndef SINKS_COMMON_RUNLOG_BLOCKS_H
#define SINKS_COMMON_RUNLOG_BLOCKS_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

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
 * if there is no memory. */
void swi_blocks_add(struct swi_blocks *blocks, int64_t number, const struct sw_step *step);

/* Adds a line (docs/run-log.md), or nothing if there are no steps. */
void swi_blocks_line(const struct swi_blocks *blocks, struct swi_text *text);
void swi_blocks_free(struct swi_blocks *blocks);

#endif
