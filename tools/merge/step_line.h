/* SPDX-License-Identifier: MIT */
/* step_line.h - what the line of a step says. */
#ifndef TOOLS_MERGE_STEP_LINE_H
#define TOOLS_MERGE_STEP_LINE_H

#include "tools/merge/name_table.h"

/* One call of an action. */
struct step_call {
    int action;
    int64_t ns;
};

/* Begins as {0}; kept for its room from line to line. */
struct step_line {
    int64_t step, samples;
    int phase;
    size_t count, room;
    struct step_call *call; /* those of an action follow each other */
    bool failed;            /* no memory */
};

/* Returns false if the line is damaged, or without memory. */
bool step_line_parse(struct step_line *step, struct name_table *names, const char *line);
void step_line_free(struct step_line *step);

#endif
