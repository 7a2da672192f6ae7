/* SPDX-License-Identifier: MIT */
/* name_table.h - a number for each name of a phase or an action, as they are in the lines of logs.
 */
#ifndef TOOLS_MERGE_NAME_TABLE_H
#define TOOLS_MERGE_NAME_TABLE_H

#include "tools/merge/json_scan.h"

/* What each table of names begins with. */
enum { NAME_TRAIN, NAME_STEP, NAME_DRAW, NAME_BATCH };

/* Begins as {0}, with names_init(). */
struct name_table {
    size_t count;
    char **text;  /* by number */
    size_t *size; /* of each text; SIZE_MAX if it has a backslash, as it is never that in a line */
    size_t slots, used;
    struct name_slot *slot; /* by what is in the line, which may have escapes */
};

bool names_init(struct name_table *names);
/* The number of what is between the quotes; -1 without memory. */
int names_number(struct name_table *names, const struct scan_text *raw);
/* The same of a text without escapes. */
int names_add(struct name_table *names, const char *text);
/* Whether a number is that of what is between the quotes. */
bool names_is(const struct name_table *names, int number, const struct scan_text *raw);
void names_free(struct name_table *names);

#endif
