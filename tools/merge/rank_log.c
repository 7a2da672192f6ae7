/* SPDX-License-Identifier: MIT */
#include "tools/merge/rank_log.h"
#include "tools/log/log_lines.h"

#include <stdlib.h>
#include <string.h>

static bool head_read(struct rank_log *log, const json_t *line)
{
    log->rank = log_integer(line, "rank", -1);
    log->world_size = log_integer(line, "world_size", 0);
    log->attempt = log_integer(line, "attempt", 0);
    log->drop_first_batch = json_is_true(json_object_get(line, "drop_first_batch"));
    log->has_steps = strcmp(log_string(line, "detail", ""), "steps") == 0;
    log->wait = json_incref(json_object_get(line, "wait"));
    free(log->host);
    free(log->job);
    log->host = strdup(log_string(line, "host", ""));
    log->job = strdup(log_string(line, "job", ""));
    return log->host && log->job;
}

static bool is_type(const json_t *line, const char *type)
{
    return strcmp(log_string(line, "type", ""), type) == 0;
}

/* Returns false to end the reading. */
static bool line_read(struct rank_log *log, const json_t *line, rank_log_step_fn *step, void *arg)
{
    if (is_type(line, "step") && log_integer(line, "samples", 0) >= 0)
        return step(arg, line);
    log->finished = log->finished || is_type(line, "finish");
    return true;
}

/* A line that is damaged is left out, like the last one of a process that was killed. */
static int next(struct rank_log *log, struct log *lines, json_t **line, struct sw_error *err)
{
    int rc;
    while ((rc = log_next(lines, line, err)) == SW_EFORMAT)
        log->torn = true;
    log->torn = log->torn || lines->torn;
    return rc;
}

static int first_check(const struct log *lines, const json_t *line, struct sw_error *err)
{
    if (!is_type(line, "run"))
        return sw_error_set(err, SW_EFORMAT, "%s:1: a run log begins with a line of type \"run\"",
                            lines->path);
    if (log_integer(line, "version", 0) != 1)
        return sw_error_set(err, SW_EFORMAT, "%s:1: version %lld is not known, expected 1",
                            lines->path, (long long)log_integer(line, "version", 0));
    return 0;
}

static int lines_read(struct rank_log *log, struct log *lines, rank_log_step_fn *step, void *arg,
                      struct sw_error *err)
{
    json_t *line = NULL;
    int rc = log_next(lines, &line, err);
    if (rc == 0)
        return sw_error_set(err, SW_EFORMAT, "%s: has no complete line: is it a run log?",
                            lines->path);
    if (rc > 0)
        rc = first_check(lines, line, err);
    if (rc == 0 && !head_read(log, line))
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", lines->path);
    json_decref(line);
    bool more = rc == 0 && step;
    while (more && (rc = next(log, lines, &line, err)) > 0) {
        more = line_read(log, line, step, arg);
        json_decref(line);
    }
    if (rc > 0)
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", lines->path);
    return rc;
}

int rank_log_read(struct rank_log *log, const char *path, rank_log_step_fn *step, void *arg,
                  struct sw_error *err)
{
    struct log lines;
    *log = (struct rank_log){.rank = -1, .path = strdup(path)};
    if (!log->path)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    int rc = log_open(&lines, path, err);
    if (rc < 0)
        return rc;
    rc = lines_read(log, &lines, step, arg, err);
    log_close(&lines);
    return rc;
}

void rank_log_fini(struct rank_log *log)
{
    free(log->path);
    free(log->host);
    free(log->job);
    json_decref(log->wait);
    *log = (struct rank_log){0};
}
