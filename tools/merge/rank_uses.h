/* SPDX-License-Identifier: MIT */
/* rank_uses.h - what the ranks used of each counter, by phase and action. */
#ifndef TOOLS_MERGE_RANK_USES_H
#define TOOLS_MERGE_RANK_USES_H

#include "tools/log/log_lines.h"
#include "tools/merge/merged_rows.h"

/* A counter that some rank has. */
struct merged_counter {
    int name; /* number of the name */
    char unit[8];
    bool peak;
};

/* Initialise it as {.rows = {.first = -1}}. In its rows, the shape is the name of the counter. */
struct rank_uses {
    struct merged_rows rows;
    size_t count;
    struct merged_counter *counter;
    size_t named; /* counters that the current log has named, in its order */
    size_t *order;
};

/* Begins the next log. named: the list in its head, or NULL. Returns false if out of memory. */
bool rank_uses_begin(struct rank_uses *uses, struct name_table *names,
                     const struct log_value *named);
/* Takes a line that names the next counter. Returns false if out of memory. */
bool rank_uses_name(struct rank_uses *uses, struct name_table *names,
                    const struct log_value *counter);

/* Returns counter `index` of the current log, or NULL. */
const struct merged_counter *rank_uses_at(const struct rank_uses *uses, size_t index);
/* Returns the counter with this name, or NULL. */
const struct merged_counter *rank_uses_find(const struct rank_uses *uses, int name);
/* Returns it, and adds it if no log has named it. Returns NULL if out of memory. */
const struct merged_counter *rank_uses_get(struct rank_uses *uses, int name);

/* Adds what an action of the current rank used. */
void rank_uses_add(struct rank_uses *uses, int phase, int action,
                   const struct merged_counter *counter, int64_t total);

void rank_uses_free(struct rank_uses *uses);

#endif
