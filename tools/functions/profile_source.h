/* SPDX-License-Identifier: MIT */
/* profile_source.h - the profile that a command is given: a file of stepwatch, a .prof of Python,
 * or a folder of profiles. */
#ifndef TOOLS_FUNCTIONS_PROFILE_SOURCE_H
#define TOOLS_FUNCTIONS_PROFILE_SOURCE_H

#include "tools/functions/profile.h"
#include "tools/functions/stats.h"

struct profile_source {
    char *path;    /* of the file */
    char *folder;  /* that it is in */
    bool is_prof;  /* `stats` has it, else `profile` */
    size_t others; /* older profiles in the folder */
    struct stats stats;
    struct profile profile;
};

/* Reads it, with all names. Of a folder, the newest. Returns 0 or a negative code; source_free() in
 * any case. told: see function_names_find(). */
int source_open(struct profile_source *source, const char *path, void (*told)(const char *object),
                struct sw_error *err);
void source_free(struct profile_source *source);

#endif
