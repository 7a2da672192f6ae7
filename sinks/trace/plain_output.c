/* SPDX-License-Identifier: MIT */
#include "sinks/trace/plain_output.h"

enum { WAITS_MOST = 1 << 20 };

/* Creates the file if it is missing, and writes what waits. */
static int waiting_write(struct trace *trace, struct sw_error *err)
{
    FILE **file = &trace->segment[0].plain;
    int rc = *file ? 0 : sw_sink_create(trace->sink, trace->plain_path, file, err);
    if (rc == 0 && trace->waiting.size)
        rc = sw_sink_write(trace->sink, *file, trace->waiting.data, trace->waiting.size, err);
    if (rc == 0)
        trace->waiting.size = 0;
    return rc;
}

/* Returns whether the data waits for a disk that is full. */
static bool wait(struct trace *trace, const char *data, size_t size, const struct sw_error *err)
{
    if (err->code != SW_EFULL || trace->waiting.size + size > WAITS_MOST)
        return false;
    swi_text_add(&trace->waiting, data, size);
    if (trace->waiting.failed)
        return false;
    if (!trace->waits)
        sw_sink_say(trace->sink, SW_WARNING, "%s; up to 1 MiB waits until there is room",
                    sw_error_text(err));
    trace->waits = true;
    return true;
}

/* A full disk may have room for a part of what could not be written. */
static void part_write(struct trace *trace, const char *data, size_t size)
{
    enum { MOST = 4096 };
    struct sw_error known = {0};
    size_t part;
    int rc = trace->segment[0].plain && trace->format->part ? 0 : SW_EFULL;
    while (rc == 0 && (part = trace->format->part(data, size, MOST)) > 0) {
        rc = sw_sink_write(trace->sink, trace->segment[0].plain, data, part, &known);
        data += part;
        size -= part;
    }
    sw_error_free(&known);
}

/* Keeps the first error, which is the reason for those after it. */
static bool give_up(struct trace *trace, struct sw_error *err)
{
    part_write(trace, trace->waiting.data ? trace->waiting.data : "", trace->waiting.size);
    swi_text_free(&trace->waiting);
    trace->waits = false;
    if (trace->error.code)
        sw_error_free(err);
    else
        trace->error = *err;
    return false;
}

int trace_plain_open(struct trace *trace, const char *path, struct sw_error *err)
{
    snprintf(trace->plain_path, sizeof trace->plain_path, "%s", path);
    int rc = waiting_write(trace, err);
    if (rc == 0 || !wait(trace, "", 0, err))
        return rc;
    sw_error_free(err);
    return 0;
}

bool trace_plain_write(struct trace *trace, const char *data, size_t size)
{
    struct sw_error err = {0};
    int rc = waiting_write(trace, &err);
    if (rc == 0)
        rc = sw_sink_write(trace->sink, trace->segment[0].plain, data, size, &err);
    if (rc == 0 && trace->waits)
        sw_sink_say(trace->sink, SW_NOTE, "%s: can be written again", trace->plain_path);
    if (rc == 0) {
        trace->waits = false;
        return true;
    }
    if (wait(trace, data, size, &err)) {
        sw_error_free(&err);
        return true;
    }
    bool follows = trace->waiting.size == 0; /* what is in the file */
    give_up(trace, &err);
    if (follows)
        part_write(trace, data, size);
    return false;
}

bool trace_plain_end(struct trace *trace)
{
    struct sw_error err = {0};
    bool waits = trace->waits;
    trace->waits = false;
    if (!waits || waiting_write(trace, &err) == 0)
        return true;
    return give_up(trace, &err);
}
