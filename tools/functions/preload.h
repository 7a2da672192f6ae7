/* SPDX-License-Identifier: MIT */
/* preload.h - starting a program with libstepwatch-functions. */
#ifndef TOOLS_FUNCTIONS_PRELOAD_H
#define TOOLS_FUNCTIONS_PRELOAD_H

#include <stepwatch/error.h>

#include <limits.h>
#include <stdbool.h>

/* Finds a program as execvp() does. */
bool preload_program(const char *program, char path[PATH_MAX]);

/* Finds a library beside libstepwatch, which this command runs with. */
bool preload_library(const char *name, char path[PATH_MAX]);

/* Adds a library to LD_PRELOAD; others that are there stay. */
bool preload_add(const char *library);

struct preload {
    bool wanted;
    const char *times; /* exact, sampled, sample */
    const char *rate;  /* samples a second of `sample`; NULL: 97 */
    const char *folder;
    bool children; /* processes that the program starts, too */
};

/* Whether a program can be measured in this way; says what to do if it has no hooks. A script is
 * not looked into. */
bool preload_check(const struct preload *preload, const char *program);

/* Sets the environment of the program. Returns 0 or a negative code. */
int preload_set(const struct preload *preload, struct sw_error *err);

/* In the process that becomes the program. */
void preload_in_child(void);

#endif
