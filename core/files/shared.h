/* SPDX-License-Identifier: MIT */
/* shared.h - loads a shared object that is open already, so that it is the one that was checked. */
#ifndef CORE_FILES_SHARED_H
#define CORE_FILES_SHARED_H

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

/* Loads the file behind fd, RTLD_NOW | RTLD_LOCAL; path is its absolute path, as which debuggers
 * and dladdr() know it from then on. fixed: nobody but root and the user can exchange what is at
 * path, so that it may be loaded by its path where it cannot be otherwise: without /proc, or where
 * it looks for libraries beside itself ($ORIGIN). Returns 0, or SW_ESINK with the loader's words in
 * err. */
int swi_shared_load(struct swi_shared *shared, int fd, const char *path, bool fixed,
                    struct sw_error *err);

/* One of the two follows: it stays loaded until the process ends, or it is not used after all. */
void swi_shared_keep(const struct swi_shared *shared);
void swi_shared_drop(const struct swi_shared *shared);

#endif
