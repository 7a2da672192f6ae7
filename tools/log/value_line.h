/* SPDX-License-Identifier: MIT */
/* value_line.h - lines of values that are more than a number: texts, tables, histograms, images,
 * files, rules and the summary. */
#ifndef TOOLS_LOG_VALUE_LINE_H
#define TOOLS_LOG_VALUE_LINE_H

#include "tools/log/parse_line.h"

#include <stepwatch/stepwatch.h>

/* What a replay needs of the values, and what came of them. Begins as {.folder = -1}. */
struct played_values {
    int folder;                     /* value_folder.h */
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
