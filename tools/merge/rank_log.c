/* SPDX-License-Identifier: MIT */
#include "tools/merge/rank_log.h"

#include "tools/merge/block_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the head ---- */

static bool text_take(char **field, const struct log_value *line, const char *key)
{
    *field = strdup(log_string(line, key, ""));
    return *field != NULL;
}

static bool head_take(struct rank_log *log, const struct log_value *line)
{
    const char *detail = log_string(line, "detail", "");
    log->rank = log_integer(line, "rank", -1);
    log->world_size = log_integer(line, "world_size", 0);
    log->attempt = log_integer(line, "attempt", 0);
    log->pid = log_integer(line, "pid", 0);
    log->started_s = log_number(log_get(line, "started"), 0);
    log->drop_first_batch = log_true(line, "drop_first_batch");
    log->has_steps = strcmp(detail, "steps") == 0 || log_true(line, "windowed");
    log->counters = log_value_copy(log_get(line, "counters"));
    return text_take(&log->name, line, "name") && text_take(&log->host, line, "host") &&
           text_take(&log->job, line, "job") && text_take(&log->run, line, "run");
}

static int head_check(const struct rank_log *log, const struct log_value *line,
                      struct sw_error *err)
{
    if (!log_is_type(line, LINE_RUN))
        return sw_error_set(err, SW_EFORMAT, "%s:1: a run log begins with a line of type \"run\"",
                            log->path);
    return log_run_check(log->path, line, err);
}

static int head_read(struct rank_log *log, struct log *lines, struct log_value **wait,
                     struct sw_error *err)
{
    const struct log_value *line;
    int rc = log_next(lines, &line, err);
    if (rc == 0)
        return sw_error_set(err, SW_EFORMAT, "%s: has no complete line: is it a run log?",
                            log->path);
    rc = rc < 0 ? rc : head_check(log, line, err);
    if (rc == 0 && !head_take(log, line))
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", log->path);
    if (rc == 0)
        *wait = log_value_copy(log_get(line, "wait"));
    return rc;
}

/* A summary has its blocks in the second line, so that their shape is known early. */
static void shape_read(struct rank_log *log, struct log *lines)
{
    SW_ERROR_SCOPE(ignored);
    const struct log_value *line;
    if (log_next(lines, &line, &ignored) > 0 && log_is_type(line, LINE_BLOCKS))
        log->blocks = block_line_shape(line);
    if (log->blocks.width == 0)
        log->blocks.count = 0;
}

/* It must be a regular file, because logs are read more than once. */
static int file_open(struct rank_log *log, struct log *lines, struct sw_error *err)
{
    struct stat st;
    *lines = (struct log){.bytes.fd = -1};
    if (stat(log->path, &st) != 0)
        return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", log->path, strerror(errno));
    log->size = st.st_size;
    if (S_ISREG(st.st_mode))
        return log_open(lines, log->path, err);
    return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", log->path,
                        S_ISDIR(st.st_mode) ? "it is a folder, expected a file"
                                            : "it is not a file, and a log is read more than once");
}

int rank_log_begin(struct rank_log *log, const char *path, struct log_value **wait,
                   struct sw_error *err)
{
    struct log lines;
    *wait = NULL;
    *log = (struct rank_log){.rank = -1, .path = strdup(path)};
    if (!log->path)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    int rc = file_open(log, &lines, err);
    if (rc == 0)
        rc = head_read(log, &lines, wait, err);
    if (rc == 0 && !log->has_steps)
        shape_read(log, &lines);
    log_close(&lines);
    return rc;
}

void rank_log_fini(struct rank_log *log)
{
    free(log->path);
    free(log->name);
    free(log->host);
    free(log->job);
    free(log->run);
    free(log->counters);
    *log = (struct rank_log){0};
}

/* ---- the lines ---- */

static enum line_result line_take(struct rank_log *log, const struct log_value *line,
                                  const struct wanted_lines *lines)
{
    const struct {
        enum line_type type;
        log_line_fn *take;
    } wanted[] = {{LINE_STEP, lines->step},
                  {LINE_REPORT, lines->report},
                  {LINE_BLOCKS, lines->blocks},
                  {LINE_COUNTER, lines->counter}};
    if (lines->step && log_is_type(line, LINE_STEP) && log_get(line, "of"))
        log->thinned = true;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (wanted[i].take && log_is_type(line, wanted[i].type))
            return wanted[i].take(lines->arg, line);
    log->finished = log->finished || log_is_type(line, LINE_FINISH);
    return LINE_FINE;
}

int rank_log_read(struct rank_log *log, const struct wanted_lines *lines, off_t tail,
                  struct sw_error *err)
{
    struct log from;
    enum line_result result = LINE_FINE;
    int rc = file_open(log, &from, err);
    log->torn = log->finished = log->thinned = false;
    if (rc == 0 && tail)
        log_seek_tail(&from, tail);
    const struct log_value *line;
    while (rc >= 0 && result != LINE_STOP && (rc = log_next(&from, &line, err)) != 0) {
        bool damaged = rc == SW_EFORMAT;
        result = rc > 0 ? line_take(log, line, lines) : LINE_FINE;
        log->torn = log->torn || damaged || result == LINE_DAMAGED;
        if (damaged)
            sw_error_free(err);
        rc = damaged ? 0 : rc;
    }
    log->torn = log->torn || from.torn;
    log_close(&from);
    return rc < 0 ? rc : 0;
}
