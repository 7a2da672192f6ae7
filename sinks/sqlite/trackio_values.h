/* SPDX-License-Identifier: MIT */
/* trackio_values.h - values of a step as Trackio's client writes them. */
#ifndef SINKS_SQLITE_TRACKIO_VALUES_H
#define SINKS_SQLITE_TRACKIO_VALUES_H

#include "sinks/sqlite/database_layout.h"

enum { SWI_TRACKIO_NAME = 512 };

/* Sets the name that the run has in Trackio: with its rank if there are several. */
void swi_trackio_run_name(char name[SWI_TRACKIO_NAME], const struct sw_run *run);

/* Adds a text of Markdown, as the value of a key. */
void swi_trackio_markdown(struct swi_text *json, const char *text);

/* Chooses Trackio's folder for media of the project. database: its file. */
void swi_trackio_files_begin(struct swi_sqlite_run *run, struct sw_sink *sink,
                             const char *database);

/* Adds a value that is more than a number to the open step, and writes the files that it names
 * before. A file of the program is only written: Trackio shows it as one of the project. */
void swi_trackio_value(struct swi_sqlite_run *run, const struct sw_record *record);

#endif
