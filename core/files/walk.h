/* SPDX-License-Identifier: MIT */
/* walk.h - follows a path folder by folder, by descriptors, and follows no link that somebody else
 * may have planted.
 *
 * Whoever may write to a folder can exchange what is in it: a link there leads wherever he likes.
 * So a link counts only in a folder of root or of the user that not everybody may write to; one in
 * a folder that its group may write to has to be a link of root or of the user. */
#ifndef CORE_FILES_WALK_H
#define CORE_FILES_WALK_H

#include <stepwatch/error.h>

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct swi_walk {
    int folder;          /* open, O_PATH: where the walk is */
    char here[PATH_MAX]; /* its path, links resolved; "" is the working folder that it began in */
    char rest[PATH_MAX]; /* what is still to be walked */
    int links;           /* followed so far */
    int reason;          /* errno of a failure; 0: a link was refused */
    bool make;           /* folders that are missing are made */
    /* Sees each folder before anything in it is used; may be NULL. */
    void (*look)(const struct swi_walk *walk, const struct stat *folder);
    void *arg; /* for look */
};

/* Begins at the root for an absolute path, else in the working folder; make, look and arg are set
 * before. 0, or SW_EIO with a clause in err. */
int swi_walk_begin(struct swi_walk *walk, const char *path, struct sw_error *err);

/* Enters folder after folder until the last part of the path is left in `rest`: "" where the path
 * ends with a slash. 0, or SW_EIO with a clause in err and `reason`. */
int swi_walk_to_last(struct swi_walk *walk, struct sw_error *err);

/* Where the last part is a link that may be followed, goes on to where it leads. Then opens that,
 * O_PATH, and fills st. Returns the descriptor, or SW_EIO with a clause in err and `reason`. */
int swi_walk_open(struct swi_walk *walk, struct stat *st, struct sw_error *err);

void swi_walk_end(struct swi_walk *walk);

/* Why nothing in a folder is followed or obeyed: others may have put it there. "" where they may
 * not. The folder is the one the clause is about: "that everybody may write to". */
const char *swi_folder_suspect(const struct stat *folder);

/* Whether it belongs to root or to the user. A user whom this user namespace does not know is taken
 * for root: the folders above a container are root's outside of it. */
bool swi_owner_is_trusted(uid_t owner);

#endif
