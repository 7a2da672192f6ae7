/* SPDX-License-Identifier: MIT */
/* numbered_name.h - names of files that are taken: r-2.csv, and which file is locked for them. */
#ifndef CORE_TEXT_NUMBERED_NAME_H
#define CORE_TEXT_NUMBERED_NAME_H

#include <stddef.h>
#include <stdint.h>

/* Returns the length of a path without .gz at its end. */
size_t swi_length_unpacked(const char *path);

/* Returns r.csv, or r-2.csv, and r-2.csv.gz for r.csv.gz; NULL if out of memory. The caller frees
 * it. */
char *swi_numbered_name(const char *path, int n);

/* Returns the name of the locked file of a name, or NULL if out of memory. The caller frees it.
 * byte: set to the byte of this name: 1 for r.csv, 2 for r-2.csv, and others for r-2-3.csv. */
char *swi_lock_name(const char *name, int64_t *byte);

#endif
