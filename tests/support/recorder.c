/* SPDX-License-Identifier: MIT */
#include "tests/support/recorder.h"
#include "tests/support/probe.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t size;
static FILE *out;

static void window_write(const struct sw_window *window)
{
    static const char *const reasons[] = {"run", "schedule", "capture"};
    fprintf(out, "window %" PRId64 " ", window->number);
    if (window->open)
        fprintf(out, "%s begins %" PRId64 " first %" PRId64 "\n", reasons[window->reason],
                window->begin_ns, window->first_step);
    else
        fprintf(out, "ends %" PRId64 " next %" PRId64 "%s\n", window->end_ns, window->next_step,
                window->cut ? " cut" : "");
}

static void regions_write(const struct sw_record *record)
{
    static const char *const events[] = {"begin", "end", "cancel", "discard"};
    for (size_t i = 0; i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        if (region->thread)
            fprintf(out, "%d ", region->thread);
        fprintf(out, "%s %s %" PRId64 "%s%s\n", events[region->event], region->action,
                region->time_ns, *region->shape ? " " : "", region->shape);
    }
}

static void span_write(const struct sw_span *span)
{
    fprintf(out, "span %" PRId64 " ", span->id);
    if (span->open)
        fprintf(out, "begins %" PRId64 " %s\n", span->begin_ns, span->action);
    else
        fprintf(out, "ends %" PRId64 " %s %" PRId64 "\n", span->end_ns, span->action,
                span->begin_ns);
}

static int recorder_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)err;
    if (record->type == SW_RECORD_WINDOW)
        window_write(record->window);
    else if (record->type == SW_RECORD_REGIONS)
        regions_write(record);
    else if (record->type == SW_RECORD_NOTE)
        fprintf(out, "note %" PRId64 " %s\n", record->time_ns, record->note->text);
    else if (record->type == SW_RECORD_ALERT)
        fprintf(out, "alert %" PRId64 " step %" PRId64 " %s %d %s: %s\n", record->time_ns,
                record->step, record->alert->kind, record->alert->level, record->alert->title,
                record->alert->text);
    else if (record->type == SW_RECORD_SPAN)
        span_write(record->span);
    return 0;
}

static const struct sw_sink_plugin plugin = {
    SW_SINK_HEADER,
    .name = "recorder",
    .version = "1.0",
    .license = "MIT",
    .summary = "writes down what it gets of windows, for tests",
    .wants = SW_WANT(SW_RECORD_REGIONS) | SW_WANT(SW_RECORD_WINDOW) | SW_WANT(SW_RECORD_NOTE) |
             SW_WANT(SW_RECORD_SPAN) | SW_WANT(SW_RECORD_ALERT) | SW_WANT(SW_RECORD_METRICS),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .record = recorder_record,
};

struct sw_profiler *recorder_open(const char *profiler)
{
    struct sw_error err = {0};
    char yaml[1024];
    ck_assert_int_eq(sw_sink_register(&plugin, NULL, &err), 0);
    if (out)
        fclose(out);
    free(text);
    out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false, mode: simple%s%s }\nlogger_callback: recorder\n",
             *profiler ? ", " : "", profiler);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    probe_attach(sw);
    return sw;
}

const char *recorder_text(void)
{
    fflush(out);
    return text;
}

void assert_recorded(struct sw_profiler *sw, const char *expected)
{
    struct sw_error err;
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_str_eq(recorder_text(), expected);
    fclose(out);
    out = NULL;
}
