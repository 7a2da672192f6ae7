/* SPDX-License-Identifier: MIT */
/* trace - a timeline of every region, for Perfetto, chrome://tracing and TensorBoard:
 * docs/timeline.md. One file for each window, written while the program runs. */
#include "sinks/trace/trace_sink.h"

#include "core/clock/now.h"
#include "core/text/exact_number.h"
#include "core/text/vec.h"
#include "sinks/common/option_rows.h"
#include "sinks/common/trace_formats/timeline_state.h"
#include "sinks/common/trace_formats/gzip.h"
#include "sinks/common/trace_formats/tracks.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

static const struct sw_option options[] = {
    SWI_OPTION_NAMED(
        "format", CHOICE, struct trace, format_name,
        "chrome: JSON for Perfetto and chrome://tracing; perfetto: a third of the size; xplane: "
        "the Profile page of TensorBoard; torch: as torch.profiler writes it",
        .fallback = "chrome", .choices = "chrome|perfetto|xplane|torch"),
    SWI_OPTION(PATH, struct trace, path,
               "file to write (default: runs/NAME-TIME-HOST-PID.json or .pftrace). A name that "
               "ends in .gz makes a compressed file. The file of a window has the number of its "
               "first step in its name. xplane, torch: a folder, used instead of logdir"),
    SWI_OPTION(PATH, struct trace, logdir,
               "xplane, torch: folder for tensorboard --logdir, as in the sink tensorboard",
               .fallback = "runs"),
    SWI_OPTION(CHOICE, struct trace, compress,
               "gzip: also write a compressed file, with .gz in its name; the plain one is removed "
               "at the end",
               .fallback = "false", .choices = "false|gzip"),
    SWI_OPTION(SIZE, struct trace, max_size,
               "maximum size of a file, before compression; 0: no limit", .fallback = "256MB",
               .min = 0, .max = 1e12),
    SWI_OPTION(INT, struct trace, max_events, "maximum number of regions in a file; 0: no limit",
               .fallback = "0", .min = 0, .max = 1e12, .unit = "regions"),
    SWI_OPTION(CHOICE, struct trace, keep,
               "what to keep when a file reaches its limit. first: the first regions; last: the "
               "newest regions, in four files NAME.000.json and so on, of which the oldest is "
               "replaced (chrome, perfetto)",
               .fallback = "first", .choices = "first|last"),
    SWI_OPTION(BOOL, struct trace, counters, "write metrics as counter tracks (not torch)",
               .fallback = "true"),
    SWI_OPTION(BOOL, struct trace, threads,
               "also write the regions of threads other than the loop's", .fallback = "true"),
    SWI_OPTION_NAMED(
        "flush", DURATION, struct trace, flush_ns,
        "how long regions may stay in memory before they are written (chrome, perfetto)",
        .fallback = "1s", .min = 0, .max = 3600),
    {.name = NULL},
};

static const struct swi_timeline_format *format_of(const char *name)
{
    return strcmp(name, "perfetto") == 0 ? &swi_timeline_perfetto
           : strcmp(name, "xplane") == 0 ? &swi_timeline_xplane
           : strcmp(name, "torch") == 0  ? &swi_timeline_torch
                                         : &swi_timeline_chrome;
}

static bool keeps_last(const struct trace *trace)
{
    return strcmp(trace->keep, "last") == 0;
}

static void trace_check(const void *state, struct sw_sink_check *check)
{
    const struct trace *trace = state;
    bool streamed = !format_of(trace->format_name)->whole;
    bool gzip = strcmp(trace->compress, "gzip") == 0;
    size_t size = trace->path ? strlen(trace->path) : 0;
    gzip = gzip || (size > 3 && strcmp(trace->path + size - 3, ".gz") == 0);
    if (keeps_last(trace) && !streamed)
        sw_sink_mistake(check, "keep", "last needs format chrome or perfetto");
    if (keeps_last(trace) && !trace->max_size && !trace->max_events)
        sw_sink_mistake(check, "keep", "last needs a limit: set max_size or max_events");
    if (gzip && format_of(trace->format_name) == &swi_timeline_xplane)
        sw_sink_mistake(check, "compress", "TensorBoard reads no compressed file of format xplane");
    if (gzip && !swi_gzip_is_known())
        sw_sink_mistake(check, "compress", "this sink was built without zlib: leave out gzip");
}

static bool path_is_folder(const void *state)
{
    const struct trace *trace = state;
    return trace->path && trace_path_is_folder(format_of(trace->format_name), trace->path);
}

static uint32_t trace_select(const void *state, const struct sw_run *run)
{
    const struct trace *trace = state;
    (void)run;
    uint32_t wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) |
                     SW_WANT(SW_RECORD_REGIONS) | SW_WANT(SW_RECORD_WINDOW) |
                     SW_WANT(SW_RECORD_PAUSE) | SW_WANT(SW_RECORD_NOTE) | SW_WANT(SW_RECORD_SPAN) |
                     SW_WANT(SW_RECORD_LOST) | SW_WANT(SW_RECORD_END);
    if (trace->counters && format_of(trace->format_name)->counter)
        wants |= SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_MONITOR);
    return wants;
}

/* A file of the whole run is full after some minutes of a fast loop. */
static void limit_say(const struct trace *trace)
{
    const struct sw_run *run = trace->sink->run;
    bool windowed = SW_HAS(run->size, run, windowed) && run->windowed;
    if (windowed || run->replayed || trace->last || !trace->max_size)
        return;
    sw_sink_say(trace->sink, SW_NOTE,
                "every region is recorded until the file has %.10g MB, which a fast loop fills in "
                "minutes: for a longer run, choose windows with the key schedule or with "
                "stepwatch capture, or keep: last",
                (double)trace->max_size / 1e6);
}

static int trace_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct trace *trace = state;
    (void)err;
    trace->sink = sink;
    trace->format = format_of(trace->format_name);
    trace->last = keeps_last(trace);
    limit_say(trace);
    return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static bool segment_is_full(const struct trace *trace)
{
    const struct swi_timeline *t = &trace->timeline;
    bool many =
        trace->max_events && (t->events - trace->segment_began) * SEGMENTS >= trace->max_events;
    return many || (trace->max_size && swi_timeline_size(t) > trace->max_size / SEGMENTS);
}

static void segment_follow(struct trace *trace)
{
    struct swi_timeline *t = &trace->timeline;
    if (!trace->last || t->failed || !segment_is_full(trace))
        return;
    trace->segment_began = t->events;
    swi_timeline_next_file(t, trace_output_next);
}

static void uses_write(struct swi_timeline *t, const struct sw_region *region)
{
    for (size_t i = 0; i < region->use_count; i++) {
        const struct sw_counter_use *use = sw_region_use(region, i);
        swi_timeline_use(t, 0, region->thread, region->time_ns, use->counter->name,
                         use->counter->kind, use->value);
    }
}

static void region_write(struct trace *trace, const struct sw_region *region, bool counted,
                         const char *shape)
{
    struct swi_timeline *t = &trace->timeline;
    if (region->phase != SW_PHASE_THREADS)
        swi_timeline_loop_set(t, 0, region->thread);
    else if (!trace->threads)
        return;
    if (counted)
        uses_write(t, region);
    swi_timeline_region(t, 0, region->thread, region->event,
                        swi_timeline_action(t, region->action_id, region->action), region->time_ns,
                        region->samples);
    if (shape && *shape && region->event == SW_REGION_BEGIN)
        swi_timeline_shape(t, 0, region->thread, shape);
    segment_follow(trace);
}

static void regions_write(struct trace *trace, const struct sw_record *record)
{
    for (size_t i = 0; i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        bool shaped = SW_HAS(record->regions.stride, region, shape);
        bool counted = SW_HAS(record->regions.stride, region, use);
        region_write(trace, region, counted, shaped ? region->shape : NULL);
    }
    if (trace->timeline.failed)
        trace->regions_lost += (int64_t)record->regions.count;
}

static void metrics_write(struct trace *trace, const struct sw_record *record)
{
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        swi_timeline_counter(&trace->timeline, 0, record->time_ns, metric->name, metric->value);
    }
}

static void lost_write(struct trace *trace, const struct sw_record *record)
{
    char count[32];
    snprintf(count, sizeof count, "%" PRId64, record->lost->regions);
    if (record->lost->regions)
        swi_timeline_instant(&trace->timeline, 0, -1, record->time_ns,
                             "stepwatch: begins and ends were lost", "lost", count);
}

static void setting_add(struct trace *trace, const struct sw_hparam *hparam)
{
    struct swi_text text = {0}, value = {0};
    if (!swi_vec_room(&trace->setting, trace->setting_count, sizeof *trace->setting))
        return;
    swi_text_put(&text, "config ");
    swi_text_put(&text, hparam->name);
    if (hparam->type == SW_HPARAM_INT)
        swi_text_integer(&value, hparam->integer);
    else if (hparam->type == SW_HPARAM_FLOAT)
        swi_number_json(&value, hparam->number);
    else
        swi_timeline_json(&value, hparam->string);
    if (text.failed || value.failed) {
        swi_text_free(&text);
        swi_text_free(&value);
        return;
    }
    trace->setting[trace->setting_count++] = (struct trace_setting){text.data, value.data};
    if (trace->is_open)
        swi_timeline_instant(&trace->timeline, 0, -1, trace->window_begin_ns, text.data, "value",
                             value.data);
}

static void span_write(struct swi_timeline *t, const struct sw_span *span)
{
    struct swi_span_event event = {.thread = span->thread,
                                   .name = span->action,
                                   .id = span->id,
                                   .begins = span->open,
                                   .time_ns = span->open ? span->begin_ns : span->end_ns,
                                   .begin_ns = span->begin_ns};
    swi_timeline_span(t, 0, &event);
}

/* What belongs to the window that is open. */
static void inside_write(struct trace *trace, const struct sw_record *record)
{
    struct swi_timeline *t = &trace->timeline;
    if (record->type == SW_RECORD_REGIONS)
        regions_write(trace, record);
    else if (record->type == SW_RECORD_METRICS)
        metrics_write(trace, record);
    else if (record->pause)
        swi_timeline_pause(t, 0, record->pause->thread, record->pause->paused, record->time_ns);
    else if (record->lost)
        lost_write(trace, record);
    else if (record->note)
        swi_timeline_instant(t, 0, record->note->thread, record->time_ns, record->note->text, NULL,
                             NULL);
    else if (record->span)
        span_write(t, record->span);
}

static int trace_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct trace *trace = state;
    int rc = 0;
    if (record->hparam)
        setting_add(trace, record->hparam);
    else if (record->type == SW_RECORD_WINDOW && record->window->open)
        rc = trace->is_open ? 0 : trace_window_begin(trace, record, err);
    else if (record->type == SW_RECORD_WINDOW)
        rc = trace_window_close(trace, record->window, err);
    else if (record->end)
        rc = trace_window_end(trace, record->time_ns, err);
    else if (trace->is_open)
        inside_write(trace, record);
    return rc;
}

static int trace_flush(void *state, struct sw_error *err)
{
    struct trace *trace = state;
    (void)err;
    if (trace->is_open && swi_now_ns() - trace->flushed_ns >= trace->flush_ns) {
        swi_timeline_flush(&trace->timeline);
        trace->flushed_ns = swi_now_ns();
    }
    return 0;
}

static int trace_close(void *state, struct sw_error *err)
{
    struct trace *trace = state;
    int rc = trace_window_end(trace, 0, err);
    for (size_t i = 0; i < trace->setting_count; i++) {
        free(trace->setting[i].text);
        free(trace->setting[i].value);
    }
    free(trace->setting);
    swi_text_free(&trace->waiting);
    return rc;
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "trace",
    .version = "1.0",
    .license = "MIT",
    .summary = "a timeline of every region, for Perfetto, TensorBoard and others",
    .wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_METRICS) |
             SW_WANT(SW_RECORD_REGIONS) | SW_WANT(SW_RECORD_WINDOW) | SW_WANT(SW_RECORD_PAUSE) |
             SW_WANT(SW_RECORD_NOTE) | SW_WANT(SW_RECORD_SPAN) | SW_WANT(SW_RECORD_LOST) |
             SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_MONITOR),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .options = options,
    .state_size = sizeof(struct trace),
    .open = trace_open,
    .record = trace_record,
    .flush = trace_flush,
    .close = trace_close,
    .check = trace_check,
    .path_is_folder = path_is_folder,
    .select = trace_select,
};
