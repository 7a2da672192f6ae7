/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/timeline.h"

#include <math.h>
#include <stdlib.h>

void swi_timeline_upto(struct swi_timeline *t, int process, int64_t time_ns)
{
    if (!t->process_count)
        return;
    time_ns += t->process[process]->offset_ns;
    if (time_ns > t->end_ns)
        t->end_ns = time_ns;
}

/* ---- what is not a region -------------------------------------------------------------------- */

/* Values come before the regions of their time, so they may take only a part of the file. */
static bool has_counter_room(const struct swi_timeline *t)
{
    return !t->max_size || t->valued < t->max_size / 4;
}

void swi_timeline_counter(struct swi_timeline *t, int process, int64_t time_ns, const char *name,
                          double value)
{
    size_t size = strlen(name);
    if (!isfinite(value) || !swi_is_recorded(t, process, time_ns))
        return;
    swi_timeline_upto(t, process, time_ns);
    if (!t->format->counter || !has_counter_room(t) || !swi_has_room(t, 2 * size + SWI_END_BYTES))
        return;
    int64_t before = (int64_t)t->out.size + t->spooled;
    t->format->counter(t, t->process[process], swi_time_in_file(t, process, time_ns),
                       swi_name_number(t, name, size), value);
    t->valued += (int64_t)t->out.size + t->spooled - before;
    swi_drain_if_much(t);
}

void swi_timeline_use(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                      const char *counter, enum sw_counter_kind kind, int64_t value)
{
    char track_name[64];
    struct swi_track *track = swi_track_get(t, process, thread);
    if (!track || t->failed)
        return;
    int64_t sum = swi_region_use_add(t, track, counter, kind, value);
    bool changed = kind == SW_COUNTER_SUM && value && value != SW_COUNTER_NONE;
    if (!changed || strcmp(counter, "net") != 0)
        return;
    snprintf(track_name, sizeof track_name, "net memory of thread %d", thread);
    swi_timeline_counter(t, process, time_ns, track_name, (double)sum);
}

void swi_timeline_instant(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                          const char *text, const char *key, const char *value)
{
    struct swi_track *track = thread < 0 ? NULL : swi_track_get(t, process, thread);
    size_t size = 2 * strlen(text) + (value ? strlen(value) : 0);
    if (!swi_is_recorded(t, process, time_ns))
        return;
    swi_timeline_upto(t, process, time_ns);
    if (!t->format->instant || !swi_has_room(t, size + SWI_END_BYTES))
        return;
    if (track)
        swi_track_start(t, track);
    t->format->instant(t, t->process[process], track, swi_time_in_file(t, process, time_ns), text,
                       key, value);
    swi_drain_if_much(t);
}

/* ---- begin and end --------------------------------------------------------------------------- */

void swi_timeline_start(struct swi_timeline *t)
{
    t->by_thread_process = SIZE_MAX;
    if (t->format->start)
        t->format->start(t);
}

void swi_timeline_flush(struct swi_timeline *t)
{
    swi_flows_write(t);
    swi_timeline_drain(t);
}

static void say_full(struct swi_timeline *t)
{
    char count[32];
    if (!t->dropped || !t->format->instant || !t->process_count)
        return;
    snprintf(count, sizeof count, "%" PRId64, t->dropped);
    t->format->instant(t, t->process[0], NULL, t->end_ns < 0 ? 0 : t->end_ns,
                       "stepwatch: limit reached", "dropped", count);
}

void swi_timeline_finish(struct swi_timeline *t)
{
    swi_timeline_close(t);
    swi_flows_write(t);
    swi_spans_end(t);
    say_full(t);
    if (t->format->finish)
        t->format->finish(t);
    swi_timeline_drain(t);
}

static void open_again(struct swi_timeline *t, struct swi_track *track)
{
    swi_track_start(t, track);
    for (size_t i = 0; i < track->depth; i++) {
        struct swi_interval *interval = &track->frame[i];
        interval->opened = false;
        if (!interval->skipped && t->format->begin)
            t->format->begin(t, track, interval);
    }
}

void swi_timeline_next_file(struct swi_timeline *t, bool (*between)(void *arg))
{
    swi_flows_write(t);
    if (t->format->finish)
        t->format->finish(t);
    swi_timeline_drain(t);
    if (t->failed || !between(t->arg)) {
        t->failed = true;
        return;
    }
    t->written = 0;
    if (t->format->start)
        t->format->start(t);
    for (size_t i = 0; i < t->track_count; i++) {
        swi_track_reset(t->track[i]);
        t->track[i]->coverage.count = 0;
    }
    for (size_t i = 0; i < t->process_count && t->format->process; i++)
        t->format->process(t, t->process[i]);
    for (size_t i = 0; i < t->track_count; i++)
        if (t->track[i]->depth)
            open_again(t, t->track[i]);
    swi_spans_begin_again(t);
}

void swi_timeline_free(struct swi_timeline *t)
{
    if (t->format && t->format->free)
        t->format->free(t);
    swi_tracks_free(t);
    swi_timeline_spans_free(t);
    swi_text_free(&t->out);
    free(t->by_action);
    *t = (struct swi_timeline){0};
}
