/* SPDX-License-Identifier: MIT */
/* sample.h - sinks within the program, with an option of each type, for configurations to name. */
#ifndef TESTS_CONFIG_SAMPLE_H
#define TESTS_CONFIG_SAMPLE_H

#include <stddef.h>

/* Registers the sinks `sample` and `needy` (which has a required option), goes to a folder (NULL: a
 * new one), and sets the environment that the files of tests/config speak of. */
void sample_enter(const char *folder);

/* Goes back, and removes a new folder with all in it. */
void sample_leave(void);

/* The files of the folder that end in .yaml, without the ending; the caller's to free with each. */
int sample_names(char ***names);

/* The whole file NAME.yaml or NAME.expected of the folder; the caller's to free(). */
char *sample_text(const char *name, const char *ending);

/* Writes a file into the new folder. */
void sample_write(const char *path, const char *text, size_t size);

#endif
