/* SPDX-License-Identifier: MIT */
/* names.h - names that are too long, taken or misspelt. */
#ifndef CORE_TEXT_NAMES_H
#define CORE_TEXT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- too long: shortened so that no two become the same -------------------------------------- */

/* Bytes of a name of an action, a metric or a counter. */
enum { SWI_NAME_MAX = 255 };

/* Bytes of a name within that of a file, so that there is room for others and an extension. */
enum { SWI_FILE_PART_MAX = 128 };

/* Returns the name itself if it has at most so many bytes. Otherwise as many whole characters as
 * fit before a dash and a checksum of the name, in the room, which has most + 1 bytes. */
const char *swi_name_shorten(const char *name, size_t most, char *room);

/* Returns whether a name was shortened in this process, except for that of a file. One load. */
bool swi_name_was_shortened(void);

/* The begin of the first such name, its bytes, and how many it could have. */
const char *swi_name_shortened_first(size_t *bytes, size_t *most);

/* ---- names of files that are taken: r-2.csv, and which file is locked for them --------------- */

/* Returns the length of a path without .gz or .zst at its end. */
size_t swi_length_unpacked(const char *path);

/* Returns r.csv, or r-2.csv, and r-2.csv.gz for r.csv.gz; NULL if out of memory. The caller frees
 * it. */
char *swi_numbered_name(const char *path, int n);

/* Returns the name of the locked file of a name, or NULL if out of memory. The caller frees it.
 * byte: set to the byte of this name: 1 for r.csv, 2 for r-2.csv, and others for r-2-3.csv. */
char *swi_lock_name(const char *name, int64_t *byte);

/* ---- "did you mean": finds the known name that a misspelt one looks like --------------------- */

/* Returns the name with the smallest edit distance to word, if it is small enough to be a typo (at
 * most 2, and less than half of the word). Otherwise returns the first name that begins with word,
 * if that has at least four letters, or NULL. Borrowed from names. */
const char *swi_nearest(const char *word, const char *const *names, size_t count);

#endif
