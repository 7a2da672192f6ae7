/* SPDX-License-Identifier: MIT */
/* database.h - an SQLite database that other programs read and write at the same time.
 *
 * It uses a write-ahead log, writes many rows in one transaction, and never waits for a lock. If
 * the database is locked, the caller tries the whole transaction again later. Each row has a key of
 * its own, so repeating a transaction whose outcome is unknown does no harm. */
#ifndef SINKS_SQLITE_DATABASE_H
#define SINKS_SQLITE_DATABASE_H

#include "sinks/sqlite/database_layout.h"

#include <sys/types.h>

enum { SWI_STATEMENTS_MAX = 16 };

/* Small enough that a nearly full disk takes what fits. */
#define SWI_TRANSACTION_BYTES ((size_t)256 << 10)
/* If writers wait for each other, each turn is used for more. */
#define SWI_TRANSACTION_MOST ((size_t)4 << 20)

struct swi_database {
    sqlite3 *db;
    const struct swi_layout *layout;
    bool ready; /* the layout was checked or created */
    bool wal;   /* false if the file system does not allow a write-ahead log */
    dev_t device;
    ino_t inode; /* of the file */
    sqlite3_stmt *statement[SWI_STATEMENTS_MAX];
};

enum swi_transaction {
    SWI_WRITTEN,
    SWI_LOCKED, /* another program holds a lock: try again later */
    SWI_FAILED  /* such as a full disk: try again later; err says what failed */
};

/* Opens or creates the file, whose folder must exist. Returns 0, SW_EIO, or SW_EINVAL for a file
 * that is not a database of this layout. If the database is locked, the layout is checked later. */
int swi_database_open(struct swi_database *database, const char *path,
                      const struct swi_layout *layout, struct sw_error *err);

/* Writes the oldest rows, about `limit` bytes of them at most, in one transaction. Removes them
 * from `rows` if they are written. */
enum swi_transaction swi_database_write(struct swi_database *database, struct swi_rows *rows,
                                        size_t limit, struct sw_error *err);

/* Returns a number that changes when another connection writes to the database; -1: unknown. */
int swi_database_version(struct swi_database *database);

/* Returns whether the file was deleted, or replaced by another one. */
bool swi_database_is_gone(const struct swi_database *database);

/* Closes a database whose file is gone, or whose descriptors the program has closed, and touches no
 * file of that name. */
void swi_database_leave(struct swi_database *database);

void swi_database_close(struct swi_database *database);

#endif
