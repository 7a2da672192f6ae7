/* SPDX-License-Identifier: MIT */
/* event_pool.h - memory for the events of all threads of a profiler: chunks of one size, which the
 * threads take and whoever folds the events gives back. Neither waits for the other.
 *
 * The chunks lie in one area of addresses, of which the system provides only what is used. Free
 * chunks are a stack: the one that was given back last is taken first, so that a loop goes round in
 * few of them. */
#ifndef CORE_STREAM_EVENT_POOL_H
#define CORE_STREAM_EVENT_POOL_H

#include "core/stream/event.h"

#include <stdbool.h>
#include <stddef.h>

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
