/* SPDX-License-Identifier: MIT */
/* own_symbols.h - keeps the program's functions out of the libraries that stepwatch loads.
 *
 * The loader prefers a symbol of the program, or of a library that the program links, to one of the
 * same name in a library that is loaded later. So a program that exports json_delete() would get
 * the calls that a sink makes to libjansson. */
#ifndef CORE_FILES_OWN_SYMBOLS_H
#define CORE_FILES_OWN_SYMBOLS_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <sys/types.h>

/* Directs the calls of a library, and of those that it needs, to the functions that these libraries
 * themselves define. Libraries that the program was linked with stay as they are. Functions of the
 * C and C++ runtime stay as the loader found them: an allocator, a preloaded library or a sanitizer
 * replaces them on purpose. Returns 0, or SW_ESINK with a clause in err that names the symbol and
 * what is in its way. */
int swi_own_symbols(void *library, struct sw_error *err);

/* The same for this library itself, whose libraries were loaded before it could do anything. Later
 * calls do nothing. */
int swi_own_symbols_here(struct sw_error *err);

/* Loads the first of the libraries that is installed, RTLD_NOW | RTLD_LOCAL, with its own symbols.
 * names: ends with NULL. Returns the loader's
 * handle, or NULL with the reason in err. */
void *swi_library_open(const char *const *names, struct sw_error *err);

/* ---- a shared object that was checked -------------------------------------------------------- */

/* Loads a shared object from an open descriptor, so that it is the one that was
 * checked.
 */

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
