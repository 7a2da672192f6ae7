/* SPDX-License-Identifier: MIT */
/* profile_text.h - the report of Lightning's advanced profiler: for each action, the text of
 * pstats. */
#ifndef SINKS_FUNCTIONS_PROFILE_TEXT_H
#define SINKS_FUNCTIONS_PROFILE_TEXT_H

#include "sinks/common/functions/profile.h"

#include <stdio.h>

struct profile_text {
    const char *const *sort;
    const char *const *restrict_to;
    const char *stage; /* FIT, VALIDATE, or "" */
    int64_t rank;      /* negative if the program has only one process */
};

/* Prints the report. Returns false if out of memory. */
bool profile_text_print(FILE *out, const struct profile *profile, const struct profile_text *how);

#endif
