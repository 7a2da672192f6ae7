/* SPDX-License-Identifier: MIT */
/* name_table.h - assigns a number to each name of a phase or an action in the lines of logs. */
#ifndef TOOLS_MERGE_NAME_TABLE_H
#define TOOLS_MERGE_NAME_TABLE_H

#include "core/text/map.h"
#include "tools/log/json_scan.h"

/* The names with which each table begins. */
enum { NAME_TRAIN, NAME_STEP, NAME_DRAW, NAME_BATCH };

/* Initialise it as {0} and call names_init(). */
struct name_table {
    struct swi_map texts; /* by number */
    size_t *size;       /* length of each text; SIZE_MAX if it has a backslash, because a line never
                           contains it as it is */
    struct swi_map raw; /* texts in the lines, which may have escapes */
    int *number;        /* of each of them */
};

bool names_init(struct name_table *names);
/* Returns the number of the text between the quotes, or -1 if out of memory. */
int names_number(struct name_table *names, const struct scan_text *raw);
/* Returns the number of a text without escapes. */
int names_add(struct name_table *names, const char *text);
static inline const char *names_text(const struct name_table *names, int number)
{
    return names->texts.name[number].text;
}

/* Returns whether a number is that of the text between the quotes. */
bool names_is(const struct name_table *names, int number, const struct scan_text *raw);
void names_free(struct name_table *names);

#endif
