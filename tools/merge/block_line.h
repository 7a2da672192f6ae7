/* SPDX-License-Identifier: MIT */
/* block_line.h - takes what is needed of the line of a summary with blocks of training steps. */
#ifndef TOOLS_MERGE_BLOCK_LINE_H
#define TOOLS_MERGE_BLOCK_LINE_H

#include "tools/merge/merged_rows.h"
#include "tools/merge/rank_log.h"

/* The sums of one action. */
struct block_action {
    int name;
    size_t offset, count; /* of its values */
};

/* Initialise it as {0}. It is reused for each line, to reuse its memory. */
struct block_line {
    struct block_shape shape;
    size_t count, room; /* of actions */
    struct block_action *action;
    size_t values, values_room;
    double *value;
    struct block_action steps; /* how many steps each block has */
    bool failed;               /* out of memory */
};

/* Returns false if the line is damaged, or if out of memory. */
bool block_line_take(struct block_line *line, struct name_table *names, const struct log_value *of);

/* Returns the shape of the blocks of a line; their width is 0 if it is damaged. */
struct block_shape block_line_shape(const struct log_value *line);

/* Makes the blocks wider. width must be a multiple of theirs. */
void block_line_fold(struct block_line *line, int64_t width);

/* Return the values of a block, counted from 0; 0 if there is no such block. */
double block_line_steps(const struct block_line *line, int64_t block);
double block_line_ns(const struct block_line *line, size_t action, int64_t block);
void block_line_free(struct block_line *line);

#endif
