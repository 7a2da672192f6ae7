/* SPDX-License-Identifier: MIT */
/* own_files.h - keeps SQLite from using descriptors that the program has closed, whose numbers
 * belong to files of the program by now.
 *
 * SQLite does not tell which descriptors it has: those of the database, of its log and of the log's
 * index. So its own system calls are replaced, with the interface that SQLite has for that. If the
 * program uses the same SQLite, its databases pass through unchanged. */
#ifndef SINKS_SQLITE_OWN_FILES_H
#define SINKS_SQLITE_OWN_FILES_H

#include <stdbool.h>

/* Replaces the system calls, once for the process, and from now on remembers the files that the
 * calling thread opens. */
void swi_own_files_begin(void);

/* Returns whether the program has closed a descriptor of an open database. Ask before a
 * transaction: SQLite takes a lock that cannot be had for one of another program, and waits. */
bool swi_own_files_were_closed(void);

#endif
