/* SPDX-License-Identifier: MIT */
#include "tools/merge/rank_log.h"
#include "tools/log/log_lines.h"
#include "tools/log/json_scan.h"

#include <stdlib.h>
#include <string.h>

/* ---- the head ---- */

static bool text_take(char **field, const json_t *line, const char *key)
{
    *field = strdup(log_string(line, key, ""));
    return *field != NULL;
}

static bool head_take(struct rank_log *log, const json_t *line)
{
    const char *detail = log_string(line, "detail", "");
    log->rank = log_integer(line, "rank", -1);
    log->world_size = log_integer(line, "world_size", 0);
    log->attempt = log_integer(line, "attempt", 0);
    log->pid = log_integer(line, "pid", 0);
    log->started_s = log_number(json_object_get(line, "started"), 0);
    log->drop_first_batch = json_is_true(json_object_get(line, "drop_first_batch"));
    log->has_steps =
        strcmp(detail, "steps") == 0 || json_is_true(json_object_get(line, "windowed"));
    log->counters = json_incref(json_object_get(line, "counters"));
    return text_take(&log->name, line, "name") && text_take(&log->host, line, "host") &&
           text_take(&log->job, line, "job") && text_take(&log->run, line, "run");
}

static int head_check(const struct rank_log *log, const json_t *line, struct sw_error *err)
{
    if (strcmp(log_string(line, "type", ""), "run") != 0)
        return sw_error_set(err, SW_EFORMAT, "%s:1: a run log begins with a line of type \"run\"",
                            log->path);
    if (log_integer(line, "version", 0) != 1)
        return sw_error_set(err, SW_EFORMAT, "%s:1: version %lld is not known, expected 1",
                            log->path, (long long)log_integer(line, "version", 0));
    return 0;
}

static int head_parse(struct rank_log *log, const char *text, json_t **wait, struct sw_error *err)
{
    json_error_t wrong;
    json_t *line = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
    if (!line)
        return sw_error_set(err, SW_EFORMAT, "%s:1: %s: is it a run log?", log->path, wrong.text);
    int rc = head_check(log, line, err);
    if (rc == 0 && !head_take(log, line))
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", log->path);
    *wait = rc == 0 ? json_incref(json_object_get(line, "wait")) : NULL;
    json_decref(line);
    return rc;
}

/* Returns the type of a line, which is usually its first member. The text is not checked. */
static struct scan_text type_of(const char *line)
{
    static const char begin[] = "{\"type\":\"";
    struct json_scan scan = scan_begin(line);
    struct scan_text key, none = {"", 0};
    if (strncmp(line, begin, sizeof begin - 1) == 0) {
        scan.at += sizeof begin - 2;
        return scan_string(&scan);
    }
    for (bool begun = false; scan_member(&scan, &begun, &key); scan_skip(&scan))
        if (scan_equals(&key, "type"))
            return scan_is(&scan, '"') ? scan_string(&scan) : none;
    return none;
}

/* A summary has its blocks in the second line, so that their shape is known early. */
static void shape_take(struct rank_log *log, const char *line)
{
    struct json_scan scan = scan_begin(line);
    struct scan_text key, type = type_of(line);
    struct block_shape shape = {0};
    if (!scan_equals(&type, "blocks"))
        return;
    for (bool begun = false; scan_member(&scan, &begun, &key);) {
        if (scan_equals(&key, "width"))
            shape.width = scan_integer(&scan);
        else if (scan_equals(&key, "first"))
            shape.first = scan_integer(&scan);
        else if (scan_equals(&key, "count"))
            shape.count = scan_integer(&scan);
        else
            scan_skip(&scan);
    }
    if (scan_is_done(&scan) && shape.width > 0 && shape.first >= 0 && shape.count > 0)
        log->blocks = shape;
}

static int lines_begin(struct rank_log *log, struct line_reader *reader, json_t **wait,
                       struct sw_error *err)
{
    char *line;
    bool whole;
    int rc = line_reader_next(reader, &line, &whole, err);
    if (rc == 0 || (rc > 0 && !whole))
        return sw_error_set(err, SW_EFORMAT, "%s: has no complete line: is it a run log?",
                            log->path);
    rc = rc < 0 ? rc : head_parse(log, line, wait, err);
    if (rc == 0 && !log->has_steps && line_reader_next(reader, &line, &whole, err) > 0)
        shape_take(log, line);
    return rc;
}

int rank_log_begin(struct rank_log *log, struct line_reader *reader, const char *path,
                   json_t **wait, struct sw_error *err)
{
    *wait = NULL;
    *log = (struct rank_log){.rank = -1, .path = strdup(path)};
    if (!log->path)
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    int rc = line_reader_open(reader, path, err);
    if (rc == 0)
        rc = lines_begin(log, reader, wait, err);
    log->size = reader->size;
    line_reader_close(reader);
    return rc;
}

void rank_log_fini(struct rank_log *log)
{
    free(log->path);
    free(log->name);
    free(log->host);
    free(log->job);
    free(log->run);
    json_decref(log->counters);
    *log = (struct rank_log){0};
}

/* ---- the lines ---- */

static enum line_result line_check(const char *line)
{
    struct json_scan scan = scan_begin(line);
    if (!scan_is(&scan, '{'))
        return LINE_DAMAGED;
    scan_skip(&scan);
    return scan_is_done(&scan) ? LINE_FINE : LINE_DAMAGED;
}

static enum line_result line_take(struct rank_log *log, char *line,
                                  const struct wanted_lines *lines)
{
    struct scan_text type = type_of(line);
    if (lines->step && scan_equals(&type, "step"))
        return lines->step(lines->arg, line);
    if (lines->report && scan_equals(&type, "report"))
        return lines->report(lines->arg, line);
    if (lines->blocks && scan_equals(&type, "blocks"))
        return lines->blocks(lines->arg, line);
    if (lines->counter && scan_equals(&type, "counter"))
        return lines->counter(lines->arg, line);
    bool finish = scan_equals(&type, "finish");
    enum line_result result = line_check(line);
    log->finished = log->finished || (finish && result == LINE_FINE);
    return result;
}

static int lines_read(struct rank_log *log, struct line_reader *reader,
                      const struct wanted_lines *lines, struct sw_error *err)
{
    char *line;
    bool whole;
    int rc;
    while ((rc = line_reader_next(reader, &line, &whole, err)) > 0) {
        enum line_result result = line_take(log, line, lines);
        log->torn = log->torn || result == LINE_DAMAGED;
        if (result == LINE_STOP)
            return 0;
    }
    return rc;
}

int rank_log_read(struct rank_log *log, struct line_reader *reader,
                  const struct wanted_lines *lines, off_t tail, struct sw_error *err)
{
    int rc = line_reader_open(reader, log->path, err);
    log->torn = log->finished = false;
    if (rc == 0 && tail)
        line_reader_tail(reader, tail);
    if (rc == 0)
        rc = lines_read(log, reader, lines, err);
    line_reader_close(reader);
    return rc;
}
