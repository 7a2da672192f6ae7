/* SPDX-License-Identifier: MIT */
#include "tools/export/log_timeline_head.h"

#include <math.h>
#include <stdlib.h>

static int head_check(const struct log *lines, const struct log_value *line, struct sw_error *err)
{
    const char *detail = log_string(line, "detail", "regions");
    if (!log_is_type(line, LINE_RUN))
        return sw_error_set(err, SW_EFORMAT, "%s:1: a run log begins with a line of type \"run\"",
                            lines->path);
    if (log_run_check(lines->path, line, err) == 0 && strcmp(detail, "regions") != 0)
        return sw_error_set(err, SW_EFORMAT,
                            "%s: was recorded with detail: %s, which has no times of regions: "
                            "record it with runlog: { detail: regions }",
                            lines->path, detail);
    return err->code;
}

static bool head_read(struct swi_timeline_process *process, const struct log_value *line)
{
    double started = log_number(log_get(line, "started"), 0);
    *process = (struct swi_timeline_process){
        .name = strdup(log_string(line, "name", "")),
        .host = strdup(log_string(line, "host", "")),
        .version = strdup(log_string(line, "stepwatch", "")),
        .pid = log_integer(line, "pid", 1),
        .rank = log_integer(line, "rank", 0),
        .world_size = log_integer(line, "world_size", 1),
        .started_ns =
            isfinite(started) && started > 0 && started < 9e9
                ? (int64_t)started * 1000000000 + (int64_t)((started - floor(started)) * 1e9)
                : 0,
    };
    if (process->pid < 1 || process->pid > INT32_MAX)
        process->pid = 1;
    return process->name && process->host && process->version;
}

/* Returns the thread that first begins a part of the loop, or -1. */
static int loop_search(struct log *lines)
{
    static const char *const actions[] = {"fit", "epoch", "train", "valid", "draw", "batch"};
    SW_ERROR_SCOPE(ignored);
    const struct log_value *line;
    int rc, loop = -1;
    while (loop < 0 && (rc = log_next(lines, &line, &ignored)) != 0 && rc != SW_EIO) {
        for (size_t i = 0; rc > 0 && i < sizeof actions / sizeof *actions; i++)
            if (log_is_type(line, LINE_BEGIN) &&
                strcmp(log_string(line, "action", ""), actions[i]) == 0)
                loop = log_thread_of(line);
        sw_error_free(&ignored);
    }
    return loop;
}

int log_timeline_head(const char *path, struct log_timeline_head *head, struct sw_error *err)
{
    struct swi_timeline_process *process = &head->process;
    struct log lines;
    const struct log_value *line;
    *head = (struct log_timeline_head){.loop = -1};
    int rc = log_open(&lines, path, err);
    if (rc < 0)
        return rc;
    rc = log_next(&lines, &line, err);
    if (rc == 0)
        rc = sw_error_set(err, SW_EFORMAT, "%s: has no complete line: is it a run log?", path);
    if (rc > 0)
        rc = head_check(&lines, line, err);
    if (rc == 0 && !head_read(process, line))
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    head->loop = rc == 0 ? loop_search(&lines) : -1;
    log_close(&lines);
    return rc;
}

void log_timeline_head_free(struct log_timeline_head *head)
{
    struct swi_timeline_process *process = &head->process;
    free((char *)process->name);
    free((char *)process->host);
    free((char *)process->version);
    process->name = process->host = process->version = NULL;
}
