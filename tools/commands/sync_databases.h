/* SPDX-License-Identifier: MIT */
/* sync_databases.h - the databases of the sink sqlite for which rows wait on the disk. */
#ifndef TOOLS_COMMANDS_SYNC_DATABASES_H
#define TOOLS_COMMANDS_SYNC_DATABASES_H

#include <jansson.h>
#include <stdbool.h>

/* Adds the rows that wait for the databases among these paths, and removes those paths from the
 * list; without paths, for the sink's default database. dry_run: only says what would be done.
 * found: set to how many databases there are. list: an
 * array to which what was done is added instead of printing it, or NULL. Returns false if rows are
 * not in their database. */
bool sync_databases(int *count, char **path, bool dry_run, int *found, json_t *list);

#endif
