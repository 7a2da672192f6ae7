/* SPDX-License-Identifier: MIT */
/* Spans have their own rows, which belong to a made-up thread (number SWI_SPANS_THREAD). So
 * reports read them like any other rows. */
#include "core/loop/spans.h"
#include "core/counters/counted_memory.h"
#include "core/loop/calling_thread.h"

#include <stdlib.h>

void swi_spans_fini(struct swi_spans *spans)
{
    free(spans->open.item);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* NULL without memory. The fits so far had no spans. */
static struct swi_thread *rows_of(struct sw_profiler *sw)
{
    struct swi_spans *spans = &sw->spans;
    if (spans->thread || !(spans->thread = swi_thread_new(SWI_SPANS_THREAD)))
        return spans->thread;
    pthread_mutex_lock(&sw->measured.lock);
    spans->thread->fits = sw->measured.fits;
    spans->thread->list = sw->measured.threads;
    __atomic_store_n(&sw->measured.threads, spans->thread, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&sw->measured.lock);
    return spans->thread;
}

static void row_add(struct sw_profiler *sw, int action, int64_t ticks)
{
    struct swi_thread *thread = rows_of(sw);
    struct swi_row *row = thread ? swi_thread_row(thread, SW_PHASE_THREADS, action) : NULL;
    if (!row) {
        swi_no_memory(&sw->records, "a span");
        return;
    }
    swi_row_add(row, ticks > 0 ? ticks : 0, 0);
}

/* ---- the calls ------------------------------------------------------------------------------- */

static void span_send(struct sw_profiler *sw, const struct swi_open_span *span, int thread,
                      bool open, int64_t now)
{
    if (!swi_wants(&sw->records, SW_RECORD_SPAN))
        return;
    struct swi_record *record = swi_recorder_make(&sw->records, SW_RECORD_SPAN, SWI_POOL_FEW, now);
    if (!record)
        return;
    struct sw_span *sent = swi_record_room(record);
    _Static_assert(sizeof *sent <= SWI_POOL_FEW * sizeof(struct sw_metric), "no room");
    *sent = (struct sw_span){.size = sizeof *sent,
                             .open = open,
                             .id = span->id.number,
                             .action = sw_action_name(span->action),
                             .action_id = span->action,
                             .thread = thread,
                             .begin_ns = swi_clock_ns(&sw->measured.clock, span->start),
                             .end_ns = open ? 0 : swi_clock_ns(&sw->measured.clock, now)};
    record->record.span = sent;
    swi_recorder_push(&sw->records, record);
}

int64_t sw_span_begin(struct sw_profiler *sw, int action)
{
    SWI_OWN_MEMORY;
    struct swi_thread *thread = sw ? swi_thread_get(sw) : NULL;
    if (!thread)
        return 0;
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    if (!swi_folded_)
        return 0;
    struct swi_open_span span = {.action = action < 0 || action >= SWI_ACTIONS ? SWI_ACTION_OTHER
                                                                               : action,
                                 .pauses = thread->pauses_seen,
                                 .gaps = atomic_load(&sw->measured.clock.gaps),
                                 .start = swi_clock_tick(&sw->measured.clock)};
    span.id.number = ++sw->spans.last_id;
    if (sw->spans.open.count >= SWI_OPEN_SPANS_MAX ||
        !swi_ids_put(&sw->spans.open, &span, sizeof span)) {
        swi_no_memory(&sw->records, "a span");
        return 0;
    }
    span_send(sw, &span, thread->number, true, span.start);
    return span.id.number;
}

/* Corrects the begin as if the clock had no gap. */
static void gaps_take_out(struct swi_clock *clock, struct swi_open_span *span, int64_t now)
{
    unsigned gaps = atomic_load(&clock->gaps);
    for (unsigned n = span->gaps; n != gaps; n++) {
        struct swi_gap gap;
        if (swi_clock_gap(clock, n, &gap))
            span->start = swi_gap_taken_out(&gap, span->start, now);
    }
}

/* Like a region of another thread, a span does not count the time of a pause. */
static bool is_counted(struct sw_profiler *sw, const struct swi_thread *thread,
                       const struct swi_open_span *span)
{
    return thread && thread->pauses_seen == span->pauses && !atomic_load(&sw->measured.paused);
}

void sw_span_end(struct sw_profiler *sw, int64_t id)
{
    SWI_OWN_MEMORY;
    struct swi_open_span span;
    if (!sw || id <= 0 || atomic_load(&sw->measured.dead) || swi_is_inherited(&sw->measured))
        return;
    int64_t now = swi_clock_tick(&sw->measured.clock);
    struct swi_thread *thread = swi_thread_get(sw);
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    if (!swi_folded_ || !swi_ids_take(&sw->spans.open, id, &span, sizeof span))
        return;
    gaps_take_out(&sw->measured.clock, &span, now);
    if (is_counted(sw, thread, &span))
        row_add(sw, span.action, now - span.start);
    span_send(sw, &span, thread ? thread->number : 0, false, now);
}
