/* SPDX-License-Identifier: MIT */
/* event_pool.h - memory for the events of all threads of a profiler: chunks of one size, which the
 * threads take and whoever folds the events gives back. Neither waits for the other.
 *
 * The chunks lie in one area of addresses, of which the system provides only what is used. Free
 * chunks are a stack: the one that was given back last is taken first, so that a loop goes round in
 * few of them. */
#ifndef CORE_STREAM_EVENT_POOL_H
#define CORE_STREAM_EVENT_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call of the loop as its thread notes it: what was called, and when. What follows from the calls
 * is worked out later, by whoever folds the events (core/loop/fold.h). */

/* The other numbers of an event lie in the slots behind it: their `what` says SWI_EVENT_PART, and a
 * number is in the place of the tick. */
enum swi_event_kind {
    SWI_EVENT_NONE, /* not published yet */
    SWI_EVENT_BEGIN,
    SWI_EVENT_END,  /* payload: the samples of a batch; of a fit, how many have ended */
    SWI_EVENT_NEXT, /* the end of a sibling, if one is open, and a begin */
    SWI_EVENT_CANCEL,
    SWI_EVENT_INSIDE,    /* what is open inside an action is discarded */
    SWI_EVENT_LOG,       /* instead of an action: the number of the name; a part: the value */
    SWI_EVENT_COUNT,     /* an own counter goes up; a part: by how much */
    SWI_EVENT_CLAIM,     /* from here on, this is the loop's thread */
    SWI_EVENT_FITS,      /* payload: how many fits had ended when the thread looked */
    SWI_EVENT_INHERITED, /* from here on, these are the events of another thread of the system */
    SWI_EVENT_PART
};

/* The parts of `what`, from its lowest bit on: kind, action, payload. */
enum { SWI_EVENT_ACTION = 4, SWI_EVENT_PAYLOAD = 20 };
#define SWI_EVENT_KINDS ((UINT64_C(1) << SWI_EVENT_ACTION) - 1)
#define SWI_PAYLOAD_MAX (UINT64_MAX >> SWI_EVENT_PAYLOAD)

/* The slot is published when `what` is not 0. */
struct swi_event {
    int64_t tick;
    _Atomic uint64_t what;
};

static inline uint64_t swi_event_what(enum swi_event_kind kind, int action, uint64_t payload)
{
    return (uint64_t)kind | (uint64_t)(uint16_t)action << SWI_EVENT_ACTION |
           payload << SWI_EVENT_PAYLOAD;
}

static inline enum swi_event_kind swi_event_kind(uint64_t what)
{
    return (enum swi_event_kind)(what & SWI_EVENT_KINDS);
}

static inline int swi_event_action(uint64_t what)
{
    return (int)(what >> SWI_EVENT_ACTION & UINT16_MAX);
}

static inline uint64_t swi_event_payload(uint64_t what)
{
    return what >> SWI_EVENT_PAYLOAD;
}

enum {
    SWI_CHUNK_BYTES = 16384,
    /* Behind the end of a chunk, the parts of its last event have room, and those of signal
     * handlers that interrupt the thread there. */
    SWI_SPARE_EVENTS = 64,
    SWI_CHUNK_EVENTS = SWI_CHUNK_BYTES / (int)sizeof(struct swi_event) - 1 - SWI_SPARE_EVENTS,
    /* The first chunk of a thread is shorter, and the thread's own: many threads measure once. */
    SWI_FIRST_EVENTS = 191,
    /* From so many chunks on, a thread folds one of its own before it takes another; it takes up to
     * as many again while it cannot. */
    SWI_CHUNKS_SOFT = 1024,
    SWI_CHUNKS_MOST = 2 * SWI_CHUNKS_SOFT
};

#define SWI_CHUNK_ALLOCATED UINT32_MAX

struct swi_chunk {
    _Atomic(struct swi_chunk *) next; /* of the thread; NULL: this is the last one */
    uint32_t count;                   /* how many events were claimed, once there is a next one */
    uint32_t number;                  /* in the pool, from 1 on; 0: a thread's first;
                                         SWI_CHUNK_ALLOCATED: it has memory of its own */
    struct swi_event event[];
};
_Static_assert(sizeof(struct swi_chunk) == sizeof(struct swi_event), "events follow in line");

struct swi_event_pool {
    char *area; /* NULL: there is no memory */
    size_t bytes;
    uint32_t most;           /* chunks that there is room for */
    _Atomic uint64_t top;    /* the free chunk on top, and how often the top changed */
    _Atomic uint32_t *below; /* by number: the chunk below a free one */
    atomic_uint fresh;       /* chunks that were never used have numbers above this */
    atomic_uint populated;   /* chunks up to this one have their pages */
    atomic_uint used;        /* chunks that threads have */
};

/* Without memory, the pool has no chunks. */
void swi_event_pool_init(struct swi_event_pool *pool);
void swi_event_pool_fini(struct swi_event_pool *pool);

/* Makes the kernel provide the pages of the chunks that are taken next, so that the loop does not
 * wait for page faults. Other threads than the loop's call it now and then. */
void swi_event_pool_populate(struct swi_event_pool *pool);

/* Returns an empty chunk, or NULL if `limit` are in use. */
struct swi_chunk *swi_chunk_take(struct swi_event_pool *pool, uint32_t limit);
/* Takes a chunk back, unless it is a thread's first. All its events are folded. */
void swi_chunk_give_back(struct swi_event_pool *pool, struct swi_chunk *chunk);

#endif
