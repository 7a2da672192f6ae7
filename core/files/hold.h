/* SPDX-License-Identifier: MIT */
/* hold.h - one process writes a file. While a sink is open, a lock keeps every other sink, in this
 * process or another, from the file that it writes. */
#ifndef CORE_FILES_HOLD_H
#define CORE_FILES_HOLD_H

#include <stdint.h>
#include <sys/types.h>

struct swi_hold {
    struct swi_hold *next;
    char *wanted; /* the path that was asked for, absolute */
    char *path;   /* the path that is held: wanted, or with -2, -3, ... before its extension */
    char *lock;   /* name of the locked file in the folder */
    int folder;   /* -1: nothing is locked */
    int fd;
    pid_t process; /* whose lock it is */
};

/* Takes a path, or the first one with a number that no other holds. Missing folders are made.
 *
 * since_ns: a file that was written after this time (wall clock) is not replaced: the process that
 * wrote it ran beside this one. 0: no file is replaced.
 *
 * Where no lock can be had, as on some file systems, the path is as good as held. NULL without
 * memory, or where no name is free. */
struct swi_hold *swi_hold_take(const char *path, int64_t since_ns);

/* Gives it up and frees it. NULL is fine. */
void swi_hold_release(struct swi_hold *hold);

/* In the child of a fork: closes the locked files, so that they are free when the parent ends, and
 * not only when the child does. */
void swi_hold_child(void);

#endif
