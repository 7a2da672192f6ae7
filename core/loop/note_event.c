/* SPDX-License-Identifier: MIT */
/* How a thread notes its events, and times some of its calls to know what stepwatch itself costs.
 */
#include "core/loop/note_event.h"
#include "core/loop/counting.h"
#include "core/loop/timed_calls.h"
#include "core/process/own_floats.h"
#include "core/rows/fold_memory.h"

#include <sys/mman.h>

/* ---- which calls are timed ------------------------------------------------------------------- */

static void timing_apply(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    struct swi_known *known = swi_known_of(&sw->measured);
    if (known->thread == thread && thread->cost.timing_due)
        known->counted = 0;
}

void swi_sampling_wait(struct sw_profiler *sw, struct swi_thread *thread)
{
    bool looks = thread->claimed && SWI_GET(sw->loop.windows_due);
    thread->window_left = thread->window_span = looks ? 1 : thread->cost.left;
}

void swi_sampling_restart(struct sw_profiler *sw, struct swi_thread *thread)
{
    swi_cost_reset(&thread->cost);
    swi_sampling_wait(sw, thread);
    timing_apply(sw, thread);
}

static void window_end(struct sw_profiler *sw, struct swi_thread *thread, uint32_t windows,
                       bool folded)
{
    struct swi_cost *cost = &thread->cost;
    cost->left -= windows < cost->left ? windows : cost->left;
    if (cost->left)
        return;
    swi_cost_turn(cost, folded);
    timing_apply(sw, thread);
}

void swi_sampling_batch_ended(struct sw_profiler *sw, struct swi_thread *thread)
{
    window_end(sw, thread, thread->window_span, false);
    swi_sampling_wait(sw, thread);
}

/* A chunk of events is full. */
static void chunk_ended(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint32_t ended = thread->window_span - thread->window_left;
    window_end(sw, thread, ended + 1, true);
    thread->window_left = thread->window_span = thread->cost.left;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Takes a chunk beside those of the pool: not by malloc(), as a signal handler may have interrupted
 * that. */
static struct swi_chunk *chunk_new(void)
{
    struct swi_chunk *chunk = mmap(NULL, SWI_CHUNK_BYTES, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (chunk == MAP_FAILED)
        return NULL;
    chunk->number = SWI_CHUNK_ALLOCATED;
    return chunk;
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

/* Until the thread has another chunk, handlers that interrupt it note behind the end of the full
 * one, where there is little room. So it takes one before all else, however many there are. */
static struct swi_chunk *chunk_follow(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_event_pool *pool = &sw->measured.pool;
    struct swi_chunk *more = swi_chunk_take(pool);
    if (!more)
        more = chunk_new();
    thread->growing = true;
    atomic_signal_fence(memory_order_seq_cst);
    bool followed = thread->next < thread->limit; /* a handler that came between */
    if (more && !followed)
        chunk_link(thread, more);
    else if (!followed)
        thread->next = thread->limit - 1; /* no memory at all: the newest events are lost */
    atomic_signal_fence(memory_order_seq_cst);
    thread->growing = false;
    if (more && followed)
        swi_chunk_give_back(pool, more);
    return more;
}

/* Folds what the dispatcher has left too long; without sinks there is none. Where it may have lost
 * its processor with the lock held, more chunks are taken meanwhile. Only if all are used up, the
 * thread waits. In a handler, which may have interrupted malloc() or a thread with any lock,
 * nothing is folded that leads to records; the rest goes there too (fold_memory.h). */
static void surplus_fold(struct sw_profiler *sw, struct swi_thread *thread,
                         const struct swi_chunk *newest)
{
    bool many = atomic_load(&sw->measured.pool.used) > sw->measured.own_folds;
    bool waits = newest && newest->number == SWI_CHUNK_ALLOCATED;
    bool sinks = sw->measured.own_folds > 1;
    if ((many || waits) && !((sinks || waits) && swi_in_handler(thread)))
        sw->measured.fold.own_chunks(sw->measured.fold.arg, thread, waits);
}

void swi_stream_grow(struct swi_thread *thread)
{
    struct sw_profiler *sw = thread->profiler;
    if (thread->growing || thread->next < thread->limit)
        return;
    SWI_OWN_FLOATS;
    if (swi_is_copied(&sw->measured) || sw->measured.forked) {
        thread->next = thread->last_chunk->event; /* nobody folds in a copy of the process */
        return;
    }
    surplus_fold(sw, thread, chunk_follow(sw, thread));
    chunk_ended(sw, thread);
    if (sw->measured.clock.counter && swi_clock_due(&sw->measured.clock, swi_counter()))
        swi_clock_look_unless_held(&sw->measured.clock, INT64_MAX);
}

void swi_note_read(struct swi_thread *thread, int64_t tick, uint64_t what)
{
    const struct swi_counter_reading *reading = thread->reading;
    int parts = reading ? reading->count : 0;
    struct swi_event *event = swi_event_take(thread, 1 + parts);
    for (int i = 0; i < parts; i++)
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

/* The shortest of some rounds, which was not interrupted. */
int64_t swi_timing_cost(const struct sw_profiler *sw)
{
    enum { ROUNDS = 64 };
    int64_t least = INT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t began = swi_now_before(sw), took = swi_now_after(sw) - began;
        least = took < least ? took : least;
    }
    return least;
}
