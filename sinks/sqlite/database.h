/* SPDX-License-Identifier: MIT */
/* database.h - an SQLite database that other programs read and write at the same time.
 *
 * Write-ahead log, one transaction for many rows, and never a wait for a lock: a transaction that
 * finds the database locked is tried again later, as a whole. Each row has a key of its own, so it
 * does no harm to repeat a transaction whose end is not known. */
#ifndef SINKS_SQLITE_DATABASE_H
#define SINKS_SQLITE_DATABASE_H

#include "sinks/sqlite/layout.h"

enum { SWI_STATEMENTS_MAX = 8 };

/* Small enough that a disk with little space takes what fits. */
#define SWI_TRANSACTION_BYTES ((size_t)256 << 10)

struct swi_database {
    sqlite3 *db;
    const struct swi_layout *layout;
    bool ready; /* the layout is there */
    bool wal;   /* false: the file system does not allow a write-ahead log */
    sqlite3_stmt *statement[SWI_STATEMENTS_MAX];
};

enum swi_written {
    SWI_WRITTEN,
    SWI_LOCKED, /* another program holds a lock: try again later */
    SWI_FAILED  /* such as a full disk: try again later; err says what failed */
};

/* Opens or creates the file, whose folder must exist. Returns 0; SW_EIO; or SW_EINVAL for a file
 * that is not a database of this layout. If it is locked, the layout is looked at later. */
int swi_database_open(struct swi_database *database, const char *path,
                      const struct swi_layout *layout, struct sw_error *err);

/* Writes the oldest rows, up to about SWI_TRANSACTION_BYTES of them, in one transaction, and takes
 * them out of `rows` if they are written. */
enum swi_written swi_database_write(struct swi_database *database, struct swi_rows *rows,
                                    struct sw_error *err);

void swi_database_close(struct swi_database *database);

#endif
