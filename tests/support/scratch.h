/* SPDX-License-Identifier: MIT */
/* scratch.h - a folder of the test's own, which is its working directory and goes with it. */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the folder and enters it; umask is 022 then. Returns its absolute path. */
const char *scratch_enter(void);

/* "FOLDER/name", as a text that stays valid until eight more were asked for. */
const char *scratch_path(const char *name);

/* A new file of this content; copies a file; patches every occurrence of a text of the same length.
 */
void scratch_write(const char *name, const char *content, size_t size);
void scratch_copy(const char *from, const char *name);
void scratch_patch(const char *name, const char *old, const char *new_text);

/* The whole content, to be freed; the test fails if the file does not exist. */
char *scratch_read(const char *name, size_t *size);

/* How many files are in a folder of it, hidden ones too. */
int scratch_count(const char *folder);

#endif
