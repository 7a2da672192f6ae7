/* SPDX-License-Identifier: MIT */
#include "tools/log/log_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int log_open(struct log *log, const char *path, struct sw_error *err)
{
    *log = (struct log){.path = path};
    log->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (log->file)
        return 0;
    return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", path, strerror(errno));
}

void log_close(struct log *log)
{
    if (log->file && log->file != stdin)
        fclose(log->file);
    free(log->line);
}

/* If the first line is wrong, it is probably another kind of file. */
static int bad_line(const struct log *log, const char *why, struct sw_error *err)
{
    return sw_error_set(err, SW_EFORMAT, "%s:%ld: %s%s", log->path, log->number, why,
                        log->number == 1 ? ": is it a run log?" : "");
}

int log_next(struct log *log, json_t **object, struct sw_error *err)
{
    json_error_t wrong;
    *object = NULL;
    ssize_t size = getline(&log->line, &log->room, log->file);
    if (size < 0)
        return ferror(log->file)
                   ? sw_error_set(err, SW_EIO, "%s: cannot be read: %s", log->path, strerror(errno))
                   : 0;
    log->number++;
    bool whole = log->line[size - 1] == '\n';
    *object = json_loadb(log->line, (size_t)size, JSON_REJECT_DUPLICATES, &wrong);
    /* The program may have been killed while it wrote the last line. */
    if (!*object && !whole) {
        log->torn = true;
        return 0;
    }
    if (!*object)
        return bad_line(log, wrong.text, err);
    if (json_is_object(*object) && json_is_string(json_object_get(*object, "type")))
        return 1;
    json_decref(*object);
    *object = NULL;
    return bad_line(log, "expected an object with a \"type\"", err);
}

double log_number(const json_t *value, double fallback)
{
    const char *text = json_string_value(value);
    if (json_is_number(value))
        return json_number_value(value);
    if (!text)
        return fallback;
    if (strcmp(text, "NaN") == 0)
        return NAN;
    if (strcmp(text, "Infinity") == 0)
        return INFINITY;
    return strcmp(text, "-Infinity") == 0 ? -INFINITY : fallback;
}

int64_t log_integer(const json_t *object, const char *key, int64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

int64_t log_step(const json_t *line)
{
    const int64_t most = (INT64_C(1) << 52) - 1;
    int64_t step = log_integer(line, "step", 0);
    return step < 0 ? 0 : step < most ? step : most;
}

const char *log_string(const json_t *object, const char *key, const char *fallback)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : fallback;
}

int log_phase(const json_t *row)
{
    static const char *const names[] = {"fit",    "train", "valid", "threads",
                                        "before", "after", "spans"};
    const char *name = log_string(row, "phase", "");
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

bool log_is_of_results(const json_t *run)
{
    const char *detail = log_string(run, "detail", "");
    return strcmp(detail, "metrics") == 0 || strcmp(detail, "summary") == 0;
}
