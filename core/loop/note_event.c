/* SPDX-License-Identifier: MIT */
#include "core/loop/note_event.h"
#include "core/loop/counting.h"
#include "core/loop/sampling.h"
#include "core/process/own_floats.h"

#include <stdlib.h>

/* Takes a chunk beside those of the pool. */
static struct swi_chunk *chunk_new(void)
{
    SWI_OWN_MEMORY;
    struct swi_chunk *chunk = calloc(1, SWI_CHUNK_BYTES);
    if (chunk)
        chunk->number = SWI_CHUNK_ALLOCATED;
    return chunk;
}

/* First folds what the dispatcher has left too long, if nobody does so now. Where it may have lost
 * its processor with the lock held, takes more. Only if this is used up, it waits. */
static struct swi_chunk *chunk_get(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_event_pool *pool = &sw->measured.pool;
    struct swi_chunk *chunk = swi_chunk_take(pool, sw->measured.own_folds);
    if (chunk)
        return chunk;
    sw->measured.fold.own_chunk(sw->measured.fold.arg, thread);
    chunk = swi_chunk_take(pool, SWI_CHUNKS_MOST);
    if (chunk)
        return chunk;
    {
        SWI_FOLDED(&sw->measured);
    }
    chunk = swi_chunk_take(pool, SWI_CHUNKS_MOST);
    return chunk ? chunk : chunk_new();
}

static void chunk_link(struct swi_thread *thread, struct swi_chunk *more)
{
    struct swi_chunk *full = thread->last_chunk;
    thread->limit = more->event + SWI_CHUNK_EVENTS;
    struct swi_event *end = __atomic_exchange_n(&thread->next, more->event, __ATOMIC_SEQ_CST);
    thread->last_chunk = more;
    full->count = (uint32_t)(end - full->event);
    atomic_store_explicit(&full->next, more, memory_order_release);
}

void swi_stream_grow(struct swi_thread *thread)
{
    struct sw_profiler *sw = thread->profiler;
    if (thread->growing || thread->next < thread->limit)
        return;
    SWI_OWN_FLOATS;
    thread->growing = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (swi_is_copied(&sw->measured) || sw->measured.forked) {
        thread->next = thread->last_chunk->event; /* nobody folds in a copy of the process */
    } else {
        struct swi_chunk *more = chunk_get(sw, thread);
        if (more)
            chunk_link(thread, more);
        else
            thread->next = thread->limit - 1; /* no memory at all: the newest events are lost */
        swi_sampling_chunk_ended(sw, thread);
        if (sw->measured.clock.counter && swi_clock_due(&sw->measured.clock, swi_counter()))
            swi_clock_look_unless_held(&sw->measured.clock, INT64_MAX);
    }
    atomic_signal_fence(memory_order_seq_cst);
    thread->growing = false;
}

void swi_note_read(struct swi_thread *thread, int64_t tick, uint64_t what)
{
    const struct swi_counter_reading *reading = thread->reading;
    int parts = reading ? reading->count : 0;
    struct swi_event *event = swi_event_take(thread, 1 + parts);
    for (int i = parts; i-- > 0;)
        swi_event_fill(event + 1 + i, reading->part[i].value, reading->part[i].what);
    swi_event_fill(event, tick, what);
    swi_event_done(thread, event, 1 + parts);
}

/* ---- calls that are timed -------------------------------------------------------------------- */

/* A call that took longer than 16 us was interrupted or waited. */
#define LONG_PER_SECOND 62500

void swi_timed_begin(struct sw_profiler *sw, struct swi_thread *thread, int64_t entered,
                     struct swi_timed_call *call)
{
    *call = (struct swi_timed_call){.entered = entered, .depth = swi_near_depth(thread)};
    swi_cost_call_begin(&thread->cost, call);
    swi_known_look_again(sw, thread);
}

/* The tick says nothing where the program has set the clock, because reading that one more often
 * would change it. */
static void cost_note(struct sw_profiler *sw, struct swi_thread *thread,
                      const struct swi_timed_cost *spent, int64_t now)
{
    int flags = (spent->begun ? SWI_COST_BEGUN : 0) | (spent->alone ? SWI_COST_ALONE : 0);
    swi_note_number(thread, sw->measured.clock.set ? INT64_MAX : now,
                    swi_event_what(SWI_EVENT_COST, flags, (uint64_t)spent->ticks), spent->rest);
}

void swi_timed_end(struct sw_profiler *sw, struct swi_thread *thread,
                   const struct swi_timed_call *call, bool begun)
{
    int64_t longest = SWI_GET(sw->measured.clock.second) / LONG_PER_SECOND;
    int64_t now = swi_cost_now(&sw->measured.clock);
    struct swi_timed_cost spent = swi_cost_call_end(&thread->cost, call, begun,
                                                    sw->measured.chosen.timing_cost, longest, now);
    cost_note(sw, thread, &spent, now);
    swi_sampling_wait(sw, thread);
    swi_known_look_again(sw, thread);
    /* In cold caches, this took half as long as the call. */
    swi_cost_found(&thread->cost, swi_cost_now(&sw->measured.clock) - now);
}

void swi_timed_rare(void *profiler, struct swi_thread *thread, int64_t ticks)
{
    struct sw_profiler *sw = profiler;
    const struct swi_timed_cost spent = {.rest = ticks};
    cost_note(sw, thread, &spent, swi_cost_now(&sw->measured.clock));
}
