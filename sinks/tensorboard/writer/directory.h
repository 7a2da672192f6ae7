/* SPDX-License-Identifier: MIT */
/* directory.h - where event files are made, and how they are called. */
#ifndef TENSORBOARD_DIRECTORY_H
#define TENSORBOARD_DIRECTORY_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdint.h>

/* Makes a directory and its parents. An existing one is fine. */
int swi_tb_directory_make(const char *dir, struct sw_error *err);

/* Returns whether dir has an event file. */
bool swi_tb_directory_has_events(const char *dir);

/* Creates a new event file in dir. Its name has the time (seconds since 1970), or a later one where
 * that is needed to sort after every event file that is there. path: set to the caller's to free().
 * Returns the descriptor, or a negative code. */
int swi_tb_file_create(const char *dir, int64_t seconds, const char *suffix, char **path,
                       struct sw_error *err);

#endif
