/* SPDX-License-Identifier: MIT */
/* value_line.h - lines of values that are more than a number: texts, tables, histograms, images,
 * files, rules and the summary. */
#ifndef TOOLS_LOG_VALUE_LINE_H
#define TOOLS_LOG_VALUE_LINE_H

#include "tools/log/log_value.h"

#include <stepwatch/stepwatch.h>

#include <stddef.h>

/* The files beside a run log: LOG.files/. What a log says of them is not trusted: only regular
 * files below that folder are opened, and no link is followed. */

/* The folder of a log; -1: there is none. To be given to close(). */
int value_folder_open(const char *log);

/* A file below it by its name in a line, and the folder that it is in. Returns the file, or -1.
 * folder: set to a descriptor that the caller closes; may be NULL. */
int value_file_open(int folder, const char *name, int *in);

/* The content of what a line or a picture of it has: its field `base64`, or the file that `file`
 * names, and a NUL. NULL: there is none, or it cannot be read. size: set. To be given to free(). */
void *value_content(int folder, const struct log_value *of, size_t *size);

/* What a replay needs of the values, and what came of them. Begins as {.folder = -1}. */
struct played_values {
    int folder;                     /* of value_folder_open() */
    size_t lacking[SW_VALUE_KINDS]; /* values whose files are not there, by kind */
    size_t waiting;                 /* bytes that were logged since the sinks were waited for */
    size_t count;                   /* and values */
};

/* Logs what a line says. 0, SW_EFORMAT or SW_ENOMEM. */
int value_line_play(struct sw_profiler *sw, struct played_values *values,
                    const struct log_value *line, struct sw_error *err);

/* The kind of a line of type `value`; 0 if it is none that is known. */
enum sw_value_kind value_line_kind(const struct log_value *line);

/* The rows of a table line, or of its file: an array of arrays. NULL: there are none. file: holds
 * those of a file; initialised as {0}, to be given to value_file_free(). */
struct value_file {
    char *text;
    struct log_line line;
};
const struct log_value *value_line_rows(int folder, const struct log_value *line,
                                        struct value_file *file);
void value_file_free(struct value_file *file);

#endif
