/* SPDX-License-Identifier: MIT */
/* name_table.h - assigns a number to each name of a phase or an action in the lines of logs. */
#ifndef TOOLS_MERGE_NAME_TABLE_H
#define TOOLS_MERGE_NAME_TABLE_H

#include "core/text/map.h"

/* The names with which each table begins. */
enum { NAME_TRAIN, NAME_STEP, NAME_DRAW, NAME_BATCH };

/* Initialise it as {0} and call names_init(). */
struct name_table {
    struct swi_map texts; /* by number */
};

bool names_init(struct name_table *names);
/* Return the number of a text, which is added if it is new, or -1 if out of memory. */
int names_number(struct name_table *names, const char *text, size_t size);
int names_add(struct name_table *names, const char *text);
static inline const char *names_text(const struct name_table *names, int number)
{
    return names->texts.name[number].text;
}

void names_free(struct name_table *names);

#endif
