/* SPDX-License-Identifier: MIT */
/* profile_source.h - opens the profile that is given to a command: a file of stepwatch, a .prof of
 * Python, or a folder of profiles. */
#ifndef TOOLS_FUNCTIONS_PROFILE_SOURCE_H
#define TOOLS_FUNCTIONS_PROFILE_SOURCE_H

#include "sinks/common/functions/profile.h"
#include "sinks/common/functions/stats.h"

struct profile_source {
    char *path;    /* of the file */
    char *folder;  /* that contains it */
    bool is_prof;  /* it is in `stats`, else in `profile` */
    size_t others; /* older profiles in the folder */
    struct stats stats;
    struct profile profile;
};

/* Reads a profile with all names; the newest one of a folder. without_lines: see
 * function_names_find(). Returns 0 or a negative code. Call source_free() in any case. */
int source_open(struct profile_source *source, const char *path,
                void (*without_lines)(const char *object), struct sw_error *err);
void source_free(struct profile_source *source);

#endif
