/* SPDX-License-Identifier: MIT */
/* preload.h - starts a program with libstepwatch-functions. */
#ifndef TOOLS_FUNCTIONS_PRELOAD_H
#define TOOLS_FUNCTIONS_PRELOAD_H

#include <stepwatch/error.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Finds a program like execvp(). */
bool preload_program(const char *program, char path[PATH_MAX]);

/* Finds a library in the folder of libstepwatch, which this command uses. Returns 0 or a negative
 * code: the loader splits LD_PRELOAD at blanks and colons, so that it cannot name every folder. */
int preload_library(const char *name, char path[PATH_MAX], struct sw_error *err);

/* Adds a library to LD_PRELOAD and keeps the others. */
bool preload_add(const char *library);

/* Adds the runtime of the address sanitizer if the program has it as a library: it must be the
 * first one. Call it before preload_set(). Returns false if out of memory. */
bool preload_sanitizer(const char *program);

struct preload {
    bool wanted;
    const char *times; /* exact, sampled, sample, wall */
    const char *rate;  /* samples per second of `sample` and `wall`; NULL: 97 */
    const char *folder;
    bool children; /* also processes that the program starts */
};

/* Checks what the options of the command say. Returns 0 or a negative code. */
int preload_choice_check(const struct preload *preload, struct sw_error *err);

/* Returns whether a program can be measured in this way. Prints what to do if it has no hooks.
 * Scripts are not checked. */
bool preload_check(const struct preload *preload, const char *program);

/* Sets the environment of the program. Returns 0 or a negative code. */
int preload_set(const struct preload *preload, struct sw_error *err);

/* Called in the process that becomes the program. */
void preload_in_child(void);

#endif
