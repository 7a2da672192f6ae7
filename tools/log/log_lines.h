/* SPDX-License-Identifier: MIT */
/* log_lines.h - reads a run log line by line (docs/run-log.md). */
#ifndef TOOLS_LOG_LOG_LINES_H
#define TOOLS_LOG_LOG_LINES_H

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct log {
    const char *path;
    FILE *file;
    char *line;
    size_t room;
    long number; /* of the last line read */
    bool torn;   /* the log ends within its last line */
};

/* Opens a log. path "-" is stdin. Returns 0 or SW_EIO. */
int log_open(struct log *log, const char *path, struct sw_error *err);
void log_close(struct log *log);

/* Gets the object of the next line, for which the caller calls json_decref(). Returns 1, 0 at the
 * end (a torn last line is the end), or SW_EFORMAT, with its number in err, if the line is not
 * valid. object: NULL unless it returns 1. */
int log_next(struct log *log, json_t **object, struct sw_error *err);

/* Returns a number, which may be written as "NaN", "Infinity" or "-Infinity", or fallback. */
double log_number(const json_t *value, double fallback);

/* Return fields of an object, or fallback if the field is missing or has another type. */
int64_t log_integer(const json_t *object, const char *key, int64_t fallback);
const char *log_string(const json_t *object, const char *key, const char *fallback);

/* Returns the training step of a line, from 0 to the last one that a run can have. */
int64_t log_step(const json_t *line);

/* Returns whether a log that begins with this line has only results: no steps and no regions. */
bool log_is_of_results(const json_t *run);

/* Returns the enum sw_phase of a row, or -1 if its phase is not known. */
int log_phase(const json_t *row);

/* What lines of all types have. */
static inline bool log_is_type(const json_t *line, const char *type)
{
    return strcmp(log_string(line, "type", ""), type) == 0;
}

static inline int log_thread_of(const json_t *line)
{
    int64_t thread = log_integer(line, "thread", 0);
    return thread < 0 || thread > 1 << 20 ? 0 : (int)thread;
}

#endif
