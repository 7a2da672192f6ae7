/* SPDX-License-Identifier: MIT */
/* files.h - which profiles a program made, the one that is given to a command, and the files of a
 * profile: of the whole run, and of each action. */
#ifndef TOOLS_FUNCTIONS_FILES_H
#define TOOLS_FUNCTIONS_FILES_H

#include "sinks/common/functions/profile.h"
#include "sinks/common/functions/stats.h"

#include <jansson.h>
#include <stddef.h>

/* ---- which profiles a program made ----------------------------------------------------------- */

/* Prints where a profile is, and converts the first one to .prof files for snakeviz and pstats. */
void profiles_made(const char *path);
/* Returns how many there were. */
size_t profiles_count(void);

/* Prints that an object has no debug information: see function_names_find(). */
void no_debug_say(const char *object);

/* ---- files ----------------------------------------------------------------------------------- */

/* Checks that a comma-separated list contains only known formats. */
int files_check(const char *formats, struct sw_error *err);

/* Writes FOLDER/whole.ENDING and FOLDER/ACTION.ENDING in each of these formats, and replaces old
 * ones. Actions without begins have no files. made: an array to which the path of each file is
 * added, or NULL. Returns how many files, or a negative code. */
int files_write(const struct profile *profile, const char *folder, const char *formats,
                json_t *made, struct sw_error *err);

/* ---- the profile that is given to a command -------------------------------------------------- */

/* It is a file of stepwatch, a .prof of Python, or a folder of profiles. */
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

/* ---- prof_file.c ----------------------------------------------------------------------------- */

/* Reads a .prof of Python's cProfile. Returns 0 or a negative code. Call stats_free() in any case.
 */
int prof_read(const void *data, size_t size, struct stats *stats, struct sw_error *err);

#endif
