/* SPDX-License-Identifier: MIT */
/* shared_object.h - loads a shared object from an open descriptor, so that it is the one that was
 * checked.
 */
#ifndef CORE_FILES_SHARED_OBJECT_H
#define CORE_FILES_SHARED_OBJECT_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <sys/types.h>

/* A shared object that was loaded. */
struct swi_shared {
    void *handle;
    dev_t device;
    ino_t inode;
    bool known; /* it was loaded and kept before */
};

/* Loads the file behind fd, RTLD_NOW | RTLD_LOCAL. path: its absolute path, which debuggers and
 * dladdr() see. fixed: only root and the user can replace the file at path, so it is loaded by its
 * path; otherwise $ORIGIN does not work, and without /proc it is loaded by its path, too: whoever
 * may replace it must be trusted. Returns 0, or SW_ESINK with the
 * loader's message in err. */
int swi_shared_object_load(struct swi_shared *shared, int fd, const char *path, bool fixed,
                           struct sw_error *err);

/* Call one of the two afterwards: keep, if it stays loaded until the process ends, or drop, if it
 * is not used. */
void swi_shared_object_keep(const struct swi_shared *shared);
void swi_shared_object_drop(const struct swi_shared *shared);

#endif
