/* SPDX-License-Identifier: MIT */
/* trace.h - the begins, ends and cancels of each thread, on their way to sinks that want
 * SW_RECORD_REGIONS.
 *
 * A thread appends to a trace of its own, without a lock and without waiting for anybody: it fills
 * events of its last chunk, links a new one behind it, and then publishes how many there are, with
 * a store-release. Whoever holds the lock of all traces reads that with a load-acquire and takes
 * slices out, up to there; an event that is published is never written again. Who takes them, and
 * when, is records/regions.c's. */
#ifndef CORE_TRACE_TRACE_H
#define CORE_TRACE_TRACE_H

#include "core/trace/slice.h"

#include <stdbool.h>

/* Of one thread. */
struct swi_trace {
    struct swi_trace *next; /* in the list of all */
    /* The thread's own. */
    struct swi_chunk *chunk; /* where it appends; NULL before the first */
    struct swi_event *at, *end;
    /* The thread's, for whoever takes. */
    _Atomic(struct swi_chunk *) first; /* its first chunk; NULL: none yet */
    atomic_ullong published;           /* so many events are whole */
    atomic_llong lost;                 /* for which there was no chunk */
    /* With the lock held. */
    struct swi_chunk *oldest; /* that was not taken as a whole; NULL: `first` */
    uint64_t cut;             /* events that a report has seen */
    uint64_t taken;
    int64_t lost_told;
    int64_t last_tick; /* of what was taken */
};

struct swi_traces {
    pthread_mutex_t lock; /* of whoever takes; taken before the profiler's, never after it */
    int cancel;           /* of the thread that holds it: whether it could be cancelled */
    _Atomic(struct swi_trace *) first;
    struct swi_chunks pool;
};

void swi_traces_init(struct swi_traces *traces);
/* Every chunk that was taken must have come back. */
void swi_traces_fini(struct swi_traces *traces);

/* A thread that holds the lock cannot be cancelled. */
void swi_traces_lock(struct swi_traces *traces);
bool swi_traces_trylock(struct swi_traces *traces);
/* For the end of a program that may have crashed with the lock held: waits 0.1 s at most. */
bool swi_traces_lock_soon(struct swi_traces *traces);
void swi_traces_unlock(struct swi_traces *traces);

/* An empty trace, in the list of all. NULL without memory. */
struct swi_trace *swi_trace_new(struct swi_traces *traces);

/* ---- the thread's own ----
 */

static inline bool swi_trace_has_room(const struct swi_trace *trace)
{
    return trace->end - trace->at >= 2;
}

/* Makes room for an event and its samples. False, and one more is lost, where there is none. */
bool swi_trace_grow(struct swi_traces *traces, struct swi_trace *trace);

static inline void swi_trace_put(struct swi_trace *trace, int64_t tick, uint64_t what)
{
    *trace->at++ = (struct swi_event){tick, what};
}

/* Others see what was put until now, which is so many. */
static inline void swi_trace_publish(struct swi_trace *trace, unsigned events)
{
    uint64_t before = atomic_load_explicit(&trace->published, memory_order_relaxed);
    atomic_store_explicit(&trace->published, before + events, memory_order_release);
}

/* ---- of others ----
 */

/* How many events are whole. trace: NULL for a thread that has none. */
uint64_t swi_trace_published(const struct swi_trace *trace);

/* With the lock held: a report has seen so many. */
void swi_trace_cut(struct swi_trace *trace, uint64_t seen);

/* With the lock held: the next events that are in one chunk, none from `upto` on, with a reference
 * of the chunk; or, without a chunk, how many were lost since that was last told. False where there
 * is neither. */
bool swi_trace_take(struct swi_trace *trace, uint64_t upto, struct swi_slice *slice);

#endif
