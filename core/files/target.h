/* SPDX-License-Identifier: MIT */
/* target.h - what has the name of an output before anything is written: nothing, a file, a device
 * or a FIFO, a link, or a descriptor of the program (/dev/stdout, /dev/fd/3). */
#ifndef CORE_FILES_TARGET_H
#define CORE_FILES_TARGET_H

#include <stepwatch/error.h>

#include <limits.h>
#include <stdbool.h>

struct swi_target {
    int special;      /* a descriptor for writing if it is not a regular file, else -1 */
    bool has_content; /* a regular file that is not empty */
};

/* Opens what has this name and is not a regular file: a device or a FIFO, unless another user may
 * have put it there, or a descriptor of the program, of which it makes a copy. Returns 0 or SW_EIO.
 */
int swi_target_open(int folder, const char *name, const char *path, struct swi_target *target,
                    struct sw_error *err);

/* Opens a regular file that cannot be replaced by another one of its name, and empties it: see
 * in_place.h. Makes it if it is missing. Returns the descriptor, or -1 with errno. */
int swi_target_empty(int folder, const char *name);

/* Replaces an absolute path whose last part is a link by what the link leads to, which need not
 * exist. Returns 0, or SW_EIO if walk.h refuses the link. */
int swi_target_follow(char path[PATH_MAX], struct sw_error *err);

/* Checks a path that other code will open. Returns SW_EIO if it leads through a link that walk.h
 * refuses. */
int swi_path_check(const char *path, struct sw_error *err);

/* Tries whether an output can be written: its folder exists or can be made, and may be written to,
 * or the file itself may. Changes nothing. path: absolute. folder: it is a folder. Returns 0 or
 * SW_EIO. Full disks and the like may pass, so they are no error. */
int swi_target_try(const char *path, bool folder, struct sw_error *err);

#endif
