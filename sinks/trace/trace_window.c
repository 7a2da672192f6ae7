/* SPDX-License-Identifier: MIT */
/* trace_window.c - begins and ends the timeline of a window. */

#include "sinks/trace/trace_sink.h"
#include "core/clock/now.h"
#include "sinks/common/trace_formats/tracks.h"
#include "sinks/common/trace_formats/timeline_state.h"

#include <string.h>

/* Unix time of what is 0 in the file. Files of XPlane of several ranks are compared by their times,
 * so all have the same: the hour in which the run began. */
static int64_t origin_of(const struct trace *trace)
{
    const struct sw_run *run = trace->sink->run;
    int64_t second = (int64_t)run->started_s;
    int64_t started_ns = second * 1000000000 + (int64_t)((run->started_s - (double)second) * 1e9);
    bool ranks = SW_HAS(run->size, run, rank_certain) && run->world_size != 1;
    bool shared = trace->format == &swi_timeline_xplane && ranks;
    return shared ? (second - second % 3600) * 1000000000 : started_ns;
}

static void settings_write(struct trace *trace, int64_t time_ns)
{
    for (size_t i = 0; i < trace->setting_count; i++)
        swi_timeline_instant(&trace->timeline, 0, -1, time_ns, trace->setting[i].text, "value",
                             trace->setting[i].value);
}

static void place_set(struct swi_timeline *t, const struct sw_record *record)
{
    const struct sw_window *window = record->window;
    bool counted = SW_HAS(window->size, window, valid_steps);
    struct swi_timeline_place place = {.step = window->first_step,
                                       .epoch = record->epoch,
                                       .train_steps = counted ? window->train_steps : 0,
                                       .valid_steps = counted ? window->valid_steps : 0};
    swi_timeline_place_set(t, 0, &place);
}

static void timeline_begin(struct trace *trace, const struct sw_record *record)
{
    const struct sw_run *run = trace->sink->run;
    struct swi_timeline *t = &trace->timeline;
    bool ranks = SW_HAS(run->size, run, rank_certain);
    int64_t second = (int64_t)run->started_s;
    struct swi_timeline_process process = {
        .name = run->name,
        .host = run->host,
        .version = run->version,
        .pid = run->pid,
        .rank = ranks ? run->rank : 0,
        .world_size = ranks ? run->world_size : 1,
        .begin_ns = record->window->begin_ns,
        .started_ns = second * 1000000000 + (int64_t)((run->started_s - (double)second) * 1e9)};
    swi_timeline_start(t);
    swi_timeline_process(t, &process);
    if (t->failed)
        return;
    place_set(t, record);
    settings_write(trace, record->window->begin_ns);
}

int trace_window_begin(struct trace *trace, const struct sw_record *record, struct sw_error *err)
{
    bool last = trace->last;
    trace->timeline = (struct swi_timeline){.format = trace->format,
                                            .write = trace_output_write,
                                            .arg = trace,
                                            .max_size = last ? 0 : trace->max_size,
                                            .max_events = last ? 0 : trace->max_events,
                                            .origin_ns = origin_of(trace)};
    trace->segment_began = 0;
    int rc = trace_output_open(trace, record->window, err);
    trace->window_begin_ns = record->window->begin_ns;
    trace->is_open = rc == 0;
    if (rc < 0) {
        SW_ERROR_SCOPE(ignored);
        trace_output_close(trace, false, &ignored);
        return rc;
    }
    timeline_begin(trace, record);
    trace->flushed_ns = swi_now_ns();
    return 0;
}

static void say_full(struct trace *trace)
{
    const struct swi_timeline *t = &trace->timeline;
    if (!t->dropped)
        return;
    sw_sink_say(trace->sink, SW_WARNING,
                "the limit of a file (%s) was reached: %" PRId64
                " regions are not in it; keep: last, a schedule or a larger limit keeps others",
                t->max_events && t->events >= t->max_events ? "max_events" : "max_size",
                t->dropped);
    sw_sink_lost(trace->sink, t->dropped);
}

int trace_window_end(struct trace *trace, int64_t end_ns, struct sw_error *err)
{
    struct swi_timeline *t = &trace->timeline;
    if (!trace->is_open)
        return 0;
    trace->is_open = false;
    swi_timeline_upto(t, 0, end_ns);
    swi_timeline_finish(t);
    say_full(trace);
    bool whole = !t->failed;
    int rc = trace_output_close(trace, whole, err);
    if (trace->error.code) { /* also of the end of a compressed file */
        sw_error_free(err);
        *err = trace->error;
        rc = err->code;
        sw_error_init(&trace->error);
    } else if (!whole && t->error)
        rc = sw_error_set(err, SW_EIO, "the temporary file of the trace failed: %s",
                          strerror(t->error));
    else if (!whole)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the trace");
    swi_timeline_free(t);
    sw_sink_lost(trace->sink, trace->regions_lost);
    trace->regions_lost = 0;
    return rc;
}

/* Regions of other threads may seem to end later, if the clock was corrected before their ticks
 * were converted. */
int trace_window_close(struct trace *trace, const struct sw_window *window, struct sw_error *err)
{
    if (trace->is_open && window->reason != SW_WINDOW_RUN)
        swi_timeline_cut(&trace->timeline, 0, window->end_ns);
    return trace_window_end(trace, window->end_ns, err);
}
