/* SPDX-License-Identifier: MIT */
/* log_lines.h - reads a run log line by line: docs/run-log.md. */
#ifndef TOOLS_LOG_LOG_LINES_H
#define TOOLS_LOG_LOG_LINES_H

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>

struct log {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    long number; /* of the line read last */
    bool torn;   /* the log ends within its last line */
};

/* path "-" is stdin. 0 or SW_EIO. */
int log_open(struct log *log, const char *path, struct sw_error *err);
void log_close(struct log *log);

/* Gives the next line's object, the caller's to json_decref(). 1; 0 at the end (a torn last line is
 * the end); SW_EFORMAT for a line that is none, with its number. */
int log_next(struct log *log, json_t **object, struct sw_error *err);

/* A number that may be written as "NaN", "Infinity" or "-Infinity"; fallback where it is neither.
 */
double log_number(const json_t *value, double fallback);

/* Fields of an object; fallback where the field is missing or of another type. */
int64_t log_integer(const json_t *object, const char *key, int64_t fallback);
const char *log_string(const json_t *object, const char *key, const char *fallback);

#endif
