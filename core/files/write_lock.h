/* SPDX-License-Identifier: MIT */
/* write_lock.h - lets only one process write a file. A lock keeps every other sink, in this process
 * or another, from writing the same file.
 *
 * All names that differ only in a number (r.csv, r-2.csv, ...) have one locked file, and each of
 * them is one byte of it. So the names of 100,000 fits need one descriptor for that file and one
 * for its folder. */
#ifndef CORE_FILES_WRITE_LOCK_H
#define CORE_FILES_WRITE_LOCK_H

#include "core/files/identity.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct swi_lock_file;

struct swi_write_lock {
    struct swi_write_lock *next;
    char *wanted; /* the requested path, absolute */
    char *path;   /* the path that is held: wanted, or with -2, -3, ... before its extension */
    struct swi_lock_file *file; /* NULL: nothing is locked */
    int64_t byte;               /* of it */
};

/* All that one sink holds. Initialise it as {0}. */
struct swi_write_locks {
    struct swi_write_lock *held;
    struct swi_lock_file *files;
};

/* Which files are not replaced though nobody holds their names. */
struct swi_write_lock_rules {
    bool fresh; /* core chose the name: no file is replaced */
    /* When this run began (wall clock): a file that was written since then belongs to a process
     * that ran beside it. */
    int64_t since_ns;
};

/* Returns the lock of a path that is held already, or takes the path, or the first numbered variant
 * of it that no other sink holds. Missing folders are created. If locks are not available, as on
 * some file systems, the path counts as held. Returns NULL if out of memory or if no name is free.
 */
struct swi_write_lock *swi_write_lock_take(struct swi_write_locks *locks, const char *path,
                                           const struct swi_write_lock_rules *rules);

/* Returns the lock of a requested path, or NULL. */
struct swi_write_lock *swi_write_lock_find(const struct swi_write_locks *locks, const char *path);

/* The file of a held path is written, and may be written again: its name stays this sink's. Frees
 * the memory of the lock where the bytes of the locked file tell enough. */
void swi_write_lock_done(struct swi_write_locks *locks, const char *path);

/* Releases a held path. */
void swi_write_lock_release(struct swi_write_locks *locks, const char *path);

/* Releases everything. */
void swi_write_locks_free(struct swi_write_locks *locks);

/* Closes the locked files in the child of a fork, so that the locks end with the parent and not
 * with the child. */
void swi_write_lock_child(void);

#endif
