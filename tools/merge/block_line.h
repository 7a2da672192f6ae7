/* SPDX-License-Identifier: MIT */
/* block_line.h - what the line of a summary says of blocks of training steps. */
#ifndef TOOLS_MERGE_BLOCK_LINE_H
#define TOOLS_MERGE_BLOCK_LINE_H

#include "tools/merge/name_table.h"
#include "tools/merge/rank_log.h"

/* The sums of one action. */
struct block_action {
    int name;
    size_t offset, count; /* of its values */
};

/* Begins as {0}; kept for its room from line to line. */
struct block_line {
    struct block_shape shape;
    size_t count, room; /* of actions */
    struct block_action *action;
    size_t values, values_room;
    double *value;
    struct block_action steps; /* how many steps each block has */
    bool failed;               /* no memory */
};

/* Returns false if the line is damaged, or without memory. */
bool block_line_parse(struct block_line *line, struct name_table *names, const char *text);

/* Makes the blocks wider: width is a multiple of theirs. */
void block_line_fold(struct block_line *line, int64_t width);

/* Of a block, from 0; 0 if there is none of that number. */
double block_line_steps(const struct block_line *line, int64_t block);
double block_line_ns(const struct block_line *line, size_t action, int64_t block);
void block_line_free(struct block_line *line);

#endif
