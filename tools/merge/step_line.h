/* SPDX-License-Identifier: MIT */
/* step_line.h - takes what is needed of the line of a step. */
#ifndef TOOLS_MERGE_STEP_LINE_H
#define TOOLS_MERGE_STEP_LINE_H

#include "tools/log/log_lines.h"
#include "tools/merge/merged_rows.h"

/* One call of an action. */
struct step_call {
    int action;
    int shape; /* number of the text; SHAPE_NONE: none, or shapes are not wanted */
    int64_t ns;
    bool inner; /* inside a call of the same action */
};
enum { SHAPE_NONE = -1 };

/* What a call used of a counter, by its number in the log. */
struct step_use {
    int action;
    size_t counter;
    int64_t total;
};

/* Initialise it as {0}. It is reused for each line, to reuse its memory. */
struct step_line {
    int64_t step, samples;
    int phase;
    size_t count, room;
    struct step_call *call; /* calls of the same action follow each other */
    size_t uses, uses_room;
    struct step_use *use; /* those that are known, in the order of the line */
    bool by_shape;        /* shapes are wanted */
    bool inner;           /* what is parsed are calls inside others */
    bool failed;          /* out of memory */
};

/* Returns false if out of memory. */
bool step_line_take(struct step_line *step, struct name_table *names, const struct log_value *line);
void step_line_free(struct step_line *step);

#endif
