/* SPDX-License-Identifier: MIT */
/* waiting_rows.h - rows that wait on the disk until the database takes them.
 *
 * They are in files of the folder DATABASE-waiting, one for each run. A run keeps its file locked,
 * so that others can tell the files of runs that have ended, and add their rows to the database.
 * Adding rows twice does no harm. */
#ifndef SINKS_SQLITE_WAITING_ROWS_H
#define SINKS_SQLITE_WAITING_ROWS_H

#include "core/files/identity.h"
#include "sinks/sqlite/database.h"

#include <limits.h>
#include <stdint.h>

struct swi_unwritten {
    char path[PATH_MAX]; /* "": there is no file */
    int lock;            /* descriptor of the locked file, if there is one */
    struct swi_identity identity;
    int64_t begin, end; /* offsets of the rows that are not in the database */
    size_t count;       /* of them, as far as this process has added them */
};

/* Makes the file of a run, and begins it. Returns false if it cannot be made. */
bool swi_unwritten_begin(struct swi_unwritten *waiting, const char *database,
                         const struct swi_layout *layout, const char *uid);

/* Moves all rows to the file. Returns false, and the rows stay, if it cannot be written. */
bool swi_unwritten_add(struct swi_unwritten *waiting, struct swi_rows *rows);

/* Writes about `limit` bytes of the oldest rows to the database in one transaction. The file is
 * removed after the last. Returns SWI_WRITTEN if there are none. */
enum swi_transaction swi_unwritten_write(struct swi_unwritten *waiting,
                                         struct swi_database *database, size_t limit,
                                         struct sw_error *err);

/* Leaves the file to others. */
void swi_unwritten_leave(struct swi_unwritten *waiting);

/* Returns whether rows of a layout wait for a database. */
bool swi_unwritten_has(const char *database, const struct swi_layout *layout);

/* What was done with the files of runs that have ended. */
struct swi_unwritten_others {
    size_t runs, in_use; /* merged; still locked by their runs */
    /* Called after each transaction. Returns whether to go on, or to try again if it is locked. */
    bool (*go_on)(void *arg, enum swi_transaction outcome);
    void *arg;
};

/* Writes the rows of other runs that have ended to the database. Returns SWI_WRITTEN unless go_on()
 * ended it or a file cannot be written: err says which and why. */
enum swi_transaction swi_unwritten_merge(struct swi_unwritten_others *others,
                                         struct swi_database *database, const char *path,
                                         struct sw_error *err);

#endif
