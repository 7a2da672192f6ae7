/* SPDX-License-Identifier: MIT */
/* walk.h - follows a path folder by folder, with descriptors, and does not follow links that
 * another user may have planted.
 *
 * A user who may write to a folder can replace what is in it, and a link there may lead anywhere.
 * So a link is followed only in a folder of root or of the user. If others may write to the folder,
 * the link itself must belong to root or to the user, and if that is everybody, nobody may be able
 * to put another one in its place: the folder is sticky, like /tmp, or mounted read-only, like the
 * volumes of Kubernetes. */
#ifndef CORE_FILES_WALK_H
#define CORE_FILES_WALK_H

#include <stepwatch/error.h>

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct swi_walk {
    int folder;          /* where the walk is; open with O_PATH */
    char here[PATH_MAX]; /* its path, links resolved; "" is the working folder at the start */
    char rest[PATH_MAX]; /* the rest of the path */
    int links;           /* links followed so far */
    int reason;          /* errno of a failure; 0: a link was refused */
    bool make;           /* missing folders are created */
    uid_t also;          /* a user who is trusted like root, or 0 */
    /* Called with each folder before anything in it is used. May be NULL. */
    void (*look)(const struct swi_walk *walk, const struct stat *folder);
    void *arg; /* for look */
};

/* Begins at the root for an absolute path, else in the working folder. Set make, look and arg
 * before. Returns 0, or SW_EIO with a clause in err. */
int swi_walk_begin(struct swi_walk *walk, const char *path, struct sw_error *err);

/* Enters folder after folder until the last part of the path is left in `rest`: "" if the path ends
 * with a slash. Returns 0, or SW_EIO with a clause in err and `reason` set. */
int swi_walk_to_last(struct swi_walk *walk, struct sw_error *err);

/* Opens the last part of the path with O_PATH and fills st. If it is a link that may be followed,
 * opens its target. Returns the descriptor, or SW_EIO with a clause in err and `reason` set. */
int swi_walk_open(struct swi_walk *walk, struct stat *st, struct sw_error *err);

/* Like swi_walk_to_last(), and follows the last part, too, as long as it is a link. What is left in
 * `rest` need not exist. A link of /proc, such as that of a descriptor, is left. */
int swi_walk_to_file(struct swi_walk *walk, struct sw_error *err);

void swi_walk_end(struct swi_walk *walk);

/* Returns why the content of a folder is not trusted, as a clause about the folder: "that everybody
 * may write to". Returns "" if it is trusted. */
const char *swi_folder_suspect(const struct stat *folder);

/* Returns whether the file system of a descriptor is mounted read-only: nobody can change it. */
bool swi_is_read_only(int fd);

/* Returns whether the owner is root or the user. A user that this user namespace does not know
 * counts as root, because the folders above a container belong to the root outside of it. */
bool swi_owner_is_trusted(uid_t owner);

#endif
