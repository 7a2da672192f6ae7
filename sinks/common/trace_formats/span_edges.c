/* SPDX-License-Identifier: MIT */
#include "core/text/vec.h"
#include "sinks/common/trace_formats/timeline.h"
#include "sinks/common/trace_formats/timeline_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- what regions cover -----------------------------------------------------------------------
 */

enum { COVERED_MOST = 4096 }; /* a power of two */

void swi_region_coverage_add(struct swi_region_coverage *coverage, int64_t begin_ns, int64_t end_ns)
{
    if (end_ns - begin_ns >= 2 &&
        (coverage->room == COVERED_MOST ||
         swi_vec_grow(&coverage->item, coverage->count, &coverage->room, sizeof *coverage->item)))
        coverage->item[coverage->count++ & (coverage->room - 1)] =
            (struct swi_cover){begin_ns, end_ns};
}

/* Returns the region that contains a time; NULL if there is none or it is too long ago. */
static const struct swi_cover *cover_find(const struct swi_region_coverage *coverage,
                                          int64_t time_ns)
{
    size_t oldest = coverage->count > coverage->room ? coverage->count - coverage->room : 0;
    size_t low = oldest,
           high = coverage->count; /* the last one that begins at or before the time */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (coverage->item[middle & (coverage->room - 1)].begin_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == oldest)
        return NULL;
    const struct swi_cover *cover = &coverage->item[(low - 1) & (coverage->room - 1)];
    return time_ns <= cover->end_ns ? cover : NULL;
}

/* ---- arrows -----------------------------------------------------------------------------------
 * An arrow whose end touches no region is an error for Perfetto. Regions and spans do not come in
 * the order of time, so an arrow waits until both ends are known to be in regions that are in the
 * file. */

enum { PENDING = 4096 };

enum touch { NOTHING, A_REGION, NOT_KNOWN };

/* Moves a time away from the ends of a region, where viewers disagree on whether it is inside. */
static int64_t inner_time(int64_t time_ns, int64_t begin_ns, int64_t end_ns)
{
    return time_ns <= begin_ns ? begin_ns + 1 : time_ns >= end_ns ? end_ns - 1 : time_ns;
}

static enum touch touch_open(struct swi_timeline *t, struct swi_track *track, int64_t *time_ns)
{
    struct swi_interval *outermost = track->frame;
    int64_t inner_ns = inner_time(*time_ns, outermost->begin_ns, INT64_MAX);
    if (track->last_ns <= inner_ns)
        return NOT_KNOWN;
    if (t->format->open)
        t->format->open(t, track, outermost);
    *time_ns = inner_ns;
    return A_REGION;
}

static enum touch touch(struct swi_timeline *t, struct swi_track *track, int64_t *time_ns)
{
    const struct swi_cover *cover = cover_find(&track->coverage, *time_ns);
    if (cover) {
        *time_ns = inner_time(*time_ns, cover->begin_ns, cover->end_ns);
        return A_REGION;
    }
    if (track->depth && !track->frame->skipped && track->frame->begin_ns <= *time_ns)
        return touch_open(t, track, time_ns);
    return track->last_ns > *time_ns ? NOTHING : NOT_KNOWN;
}

/* Returns false if it is not known yet whether the arrow can be written. */
static bool flow_settle(struct swi_timeline *t, struct swi_flow *flow)
{
    enum touch from = touch(t, flow->from, &flow->from_ns);
    enum touch to = touch(t, flow->to, &flow->to_ns);
    if (from == NOTHING || to == NOTHING)
        return true;
    if (from == NOT_KNOWN || to == NOT_KNOWN)
        return false;
    if (swi_has_room(t, 4 * (size_t)swi_end_bytes(t, flow->name)))
        t->format->flow(t, flow);
    return true;
}

void swi_flows_write(struct swi_timeline *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->pending_count; i++)
        if (!flow_settle(t, &t->pending[i]))
            t->pending[kept++] = t->pending[i];
    t->pending_count = kept;
}

/* The oldest ones are given up if there are too many: their threads have no regions. */
static void pending_shorten(struct swi_timeline *t)
{
    swi_flows_write(t);
    if (t->pending_count <= PENDING / 2)
        return;
    memmove(t->pending, t->pending + PENDING / 2,
            (t->pending_count - PENDING / 2) * sizeof *t->pending);
    t->pending_count -= PENDING / 2;
}

static void flow_add(struct swi_timeline *t, struct swi_flow flow)
{
    if (!t->format->flow || flow_settle(t, &flow))
        return;
    if (!t->pending)
        t->pending = malloc(PENDING * sizeof *t->pending);
    if (!t->pending)
        return;
    if (t->pending_count == PENDING)
        pending_shorten(t);
    t->pending[t->pending_count++] = flow;
}

/* ---- the open spans ---------------------------------------------------------------------------
 */

/* Ids of a process are consecutive, from 1 on, and too few to reach those of another one. */
static int64_t key_of(size_t process, int64_t id)
{
    return (int64_t)((uint64_t)id + process * 0x9e3779b9u);
}

/* Returns an open span, NULL: its place is free. */
static struct swi_begun_span *span_at(const struct swi_timeline *t, size_t place)
{
    struct swi_begun_span *span = t->spans.item;
    return span[place].key.taken ? &span[place] : NULL;
}

/* ---- begins and ends ------------------------------------------------------------------------- */

static bool begin_write(struct swi_timeline *t, struct swi_begun_span *span)
{
    int64_t end_bytes = swi_end_bytes(t, span->name);
    if (!swi_has_room(t, 2 * (size_t)end_bytes))
        return false;
    swi_track_start(t, span->track);
    t->format->span(t, &(struct swi_span_edge){.track = span->track,
                                               .time_ns = span->begin_ns,
                                               .name = span->name,
                                               .id = span->id,
                                               .begins = true,
                                               .cut = span->cut});
    t->reserved += end_bytes;
    span->written = true;
    return true;
}

static void end_write(struct swi_timeline *t, const struct swi_begun_span *span,
                      struct swi_track *track, int64_t time_ns, bool cut)
{
    t->reserved -= swi_end_bytes(t, span->name);
    swi_track_start(t, track);
    t->format->span(
        t, &(struct swi_span_edge){
               .track = track, .time_ns = time_ns, .name = span->name, .id = span->id, .cut = cut});
}

/* Writes the begin of a span that began before what is recorded. Returns false if nothing of it is
 * recorded. */
static bool begin_late(struct swi_timeline *t, struct swi_begun_span *span, int64_t end_ns)
{
    const struct swi_timeline_process *process = t->process[span->process];
    int64_t from_ns =
        process->offset_ns + (process->upto_ns ? process->from_ns : process->begin_ns);
    if (span->begin_ns >= from_ns || end_ns <= from_ns)
        return false;
    span->begin_ns = from_ns < 0 ? 0 : from_ns;
    span->cut = true;
    return begin_write(t, span);
}

static void span_begin(struct swi_timeline *t, struct swi_begun_span span, bool recorded)
{
    if (recorded && !begin_write(t, &span))
        return;
    if (!swi_ids_put(&t->spans, &span, sizeof span))
        t->failed = true;
}

static void span_end(struct swi_timeline *t, struct swi_begun_span *span, struct swi_track *track,
                     int64_t time_ns)
{
    const struct swi_timeline_process *process = t->process[span->process];
    int64_t upto_ns = process->upto_ns ? process->upto_ns + process->offset_ns : INT64_MAX;
    bool cut = time_ns > upto_ns;
    if (!span->written && !begin_late(t, span, time_ns))
        return;
    end_write(t, span, track, cut ? upto_ns : time_ns, cut);
    if (!cut && !span->cut)
        flow_add(t, (struct swi_flow){.from = span->track,
                                      .to = track,
                                      .from_ns = span->begin_ns,
                                      .to_ns = time_ns,
                                      .name = span->name,
                                      .id = span->id});
}

/* Takes an open span. One that began before the file is not in the table. */
static bool span_take(struct swi_timeline *t, struct swi_track *track, uint32_t name,
                      const struct swi_span_event *event, struct swi_begun_span *span)
{
    const struct swi_timeline_process *process = t->process[track->process];
    if (swi_ids_take(&t->spans, key_of(track->process, event->id), span, sizeof *span))
        return true;
    *span = (struct swi_begun_span){.id = event->id,
                                    .track = track,
                                    .process = track->process,
                                    .name = name,
                                    .begin_ns = event->begin_ns + process->offset_ns};
    return event->begin_ns >= 0 && event->begin_ns < process->begin_ns;
}

void swi_timeline_span(struct swi_timeline *t, int process, const struct swi_span_event *event)
{
    bool recorded = swi_is_recorded(t, process, event->time_ns);
    int64_t offset_ns = t->process[process]->offset_ns;
    int64_t time_ns =
        recorded ? swi_time_in_file(t, process, event->time_ns) : event->time_ns + offset_ns;
    struct swi_track *track = t->format->span ? swi_track_get(t, process, event->thread) : NULL;
    if (!track || t->failed)
        return;
    uint32_t name = swi_name_number(t, event->name, strlen(event->name));
    struct swi_begun_span span = {.key.number = key_of(track->process, event->id),
                                  .id = event->id,
                                  .track = track,
                                  .process = track->process,
                                  .name = name,
                                  .begin_ns = time_ns};
    if (event->begins)
        span_begin(t, span, recorded);
    else if (span_take(t, track, name, event, &span))
        span_end(t, &span, track, time_ns);
    swi_drain_if_much(t);
}

/* ---- files ----------------------------------------------------------------------------------- */

void swi_spans_begin_again(struct swi_timeline *t)
{
    t->pending_count = 0;
    for (size_t i = 0; i < t->spans.room; i++) {
        struct swi_begun_span *span = span_at(t, i);
        if (!span || !span->written)
            continue;
        t->reserved -= swi_end_bytes(t, span->name);
        span->written = begin_write(t, span);
    }
}

void swi_spans_end(struct swi_timeline *t)
{
    for (size_t i = 0; i < t->spans.room; i++) {
        struct swi_begun_span *span = span_at(t, i);
        if (!span)
            continue;
        const struct swi_timeline_process *process = t->process[span->process];
        int64_t upto_ns = process->upto_ns + process->offset_ns;
        int64_t end_ns = process->upto_ns ? upto_ns : t->end_ns;
        if (span->written || begin_late(t, span, end_ns))
            end_write(t, span, span->track, end_ns, true);
    }
}

void swi_timeline_spans_free(struct swi_timeline *t)
{
    free(t->spans.item);
    free(t->pending);
}
