/* SPDX-License-Identifier: MIT */
/* trace.h - the begins, ends and cancels of each thread, on their way to sinks that want
 * SW_RECORD_REGIONS. The fold appends them to the trace of their thread and hands slices over as
 * records, under the fold lock. A sink has a reference to the chunk of a slice, and a published
 * event is never written again. */
#ifndef CORE_TRACE_TRACE_H
#define CORE_TRACE_TRACE_H

#include "core/trace/slice.h"

#include <stdbool.h>

/* The trace of one thread. */
struct swi_trace {
    struct swi_trace *next; /* in the list of all traces */
    /* Used by the thread only. */
    struct swi_trace_chunk *chunk; /* where it appends; NULL at first */
    uintptr_t origin; /* the address of event 0 if all were in a row with those of `chunk` */
    uint64_t limit;   /* the number of the first event for which `chunk` has no room */
    /* Written by the thread, read by the thread that takes events. */
    _Atomic(struct swi_trace_chunk *) first; /* its first chunk, or NULL */
    atomic_ullong published;                 /* number of complete events */
    atomic_llong lost;                       /* events for which there was no chunk */
    struct swi_trace_chunk
        *oldest; /* the first chunk that was not taken completely; NULL: `first` */
    uint64_t taken;
    int64_t lost_told;
    int64_t last_tick; /* of the last event taken */
};

struct swi_traces {
    _Atomic(struct swi_trace *) first;
    struct swi_chunks pool;
};

void swi_traces_init(struct swi_traces *traces);
/* Every chunk that was taken must have been returned. */
void swi_traces_fini(struct swi_traces *traces);

/* Returns a new trace that is in the list of all, or NULL if out of memory. */
struct swi_trace *swi_trace_new(struct swi_traces *traces);

/* ---- the thread's own ------------------------------------------------------------------------ */

/* Returns how many events the thread has appended. */
static inline uint64_t swi_trace_count(const struct swi_trace *trace)
{
    return atomic_load_explicit(&trace->published, memory_order_relaxed);
}

/* Returns whether there is room for this many events. */
static inline bool swi_trace_has_room(const struct swi_trace *trace, unsigned events)
{
    return swi_trace_count(trace) + (events - 1) < trace->limit;
}

/* Makes room for an event and its samples. Returns false and counts a lost event if there is none.
 */
bool swi_trace_grow(struct swi_traces *traces, struct swi_trace *trace);

/* Fills an event that is not published yet. number: how many are before it, published or not. */
static inline void swi_trace_put(struct swi_trace *trace, uint64_t number, int64_t tick,
                                 uint64_t what)
{
    struct swi_trace_event *event =
        (struct swi_trace_event *)(trace->origin + number * sizeof *event);
    event->tick = tick;
    event->what = what;
}

/* Makes events that were put visible to other threads. count: of all until now. */
static inline void swi_trace_publish(struct swi_trace *trace, uint64_t count)
{
    atomic_store_explicit(&trace->published, count, memory_order_release);
}

/* ---- of others ------------------------------------------------------------------------------- */

/* Takes the next events that are in one chunk and before `upto`, with a reference to the chunk. If
 * there are none, gives only the number of events lost since the last call. Returns false if there
 * is neither. */
bool swi_trace_take(struct swi_trace *trace, uint64_t upto, struct swi_slice *slice);

#endif
