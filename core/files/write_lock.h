/* SPDX-License-Identifier: MIT */
/* write_lock.h - lets only one process write a file. While a sink is open, a lock keeps every other
 * sink, in this process or another, from writing the same file. */
#ifndef CORE_FILES_WRITE_LOCK_H
#define CORE_FILES_WRITE_LOCK_H

#include "core/files/identity.h"

#include <stdint.h>
#include <sys/types.h>

struct swi_write_lock {
    struct swi_write_lock *next;
    char *wanted; /* the requested path, absolute */
    char *path;   /* the path that is held: wanted, or with -2, -3, ... before its extension */
    char *lock;   /* name of the locked file in the folder */
    int folder;   /* -1: nothing is locked */
    int fd;
    struct swi_identity of_folder, of_lock;
    pid_t process; /* the process that took the lock */
};

/* Takes a path, or the first numbered variant of it that no other sink holds. Missing folders are
 * created.
 *
 * since_ns: a file that was written after this time (wall clock) is not replaced, because the
 * process that wrote it ran beside this one. 0: no file is replaced.
 *
 * If locks are not available, as on some file systems, the path counts as held. Returns NULL if out
 * of memory or if no name is free. */
struct swi_write_lock *swi_write_lock_take(const char *path, int64_t since_ns);

/* Releases the path and frees hold. NULL is allowed. */
void swi_write_lock_release(struct swi_write_lock *hold);

/* Closes the locked files in the child of a fork, so that the locks end with the parent and not
 * with the child. */
void swi_write_lock_child(void);

#endif
