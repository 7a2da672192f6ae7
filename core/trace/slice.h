/* SPDX-License-Identifier: MIT */
/* slice.h - events of one thread as a record holds them, and the regions that a sink gets from
 * them. */
#ifndef CORE_TRACE_SLICE_H
#define CORE_TRACE_SLICE_H

#include "core/trace/chunk.h"

#include <stepwatch/sink.h>

struct swi_clock;

/* What is known of the handles in events. */
struct swi_slice_actions {
    const char *(*name)(int action);
    int shaped_first; /* the first handle of an action with a shape */
    const char *(*shape)(int action);
    int (*base)(int action); /* the action of such a handle */
};

/* Consecutive events of a chunk. The record holds a reference to the chunk. */
struct swi_slice {
    struct swi_clock *clock;
    const struct swi_slice_actions *actions;
    const struct sw_counter_info *counter; /* by slot */
    struct swi_trace_chunk *chunk;         /* NULL: there are no events, because some were lost */
    uint32_t from, to;
    int64_t lost;         /* how many events were lost before these */
    int64_t tick;         /* of the last event taken */
    int64_t since, until; /* the window in ticks; earlier or later events are left out */
};

/* The parts of `what`, from its lowest bit on: the event, the phase, the action and the thread. A
 * number of samples is an event of its own after the end that it belongs to, with the number in
 * place of the tick. */
enum {
    SWI_TRACED_SAMPLES = 15,
    SWI_TRACED_PHASE = 4,
    SWI_TRACED_ACTION = 8,
    SWI_TRACED_THREAD = 32
};

/* So is how much a counter has gone up: its slot is where an action would be. */
enum { SWI_TRACED_COUNTER = 14 };

static inline uint64_t swi_traced_counter(int slot)
{
    return SWI_TRACED_COUNTER | (uint64_t)(uint32_t)slot << SWI_TRACED_ACTION;
}

/* Returns whether it is part of the event before it. */
static inline bool swi_traced_is_part(uint64_t what)
{
    return (what & 15) >= SWI_TRACED_COUNTER;
}

/* place: the phase and the thread, as swi_thread_phase() puts them together. */
static inline uint64_t swi_traced_what(enum sw_region_event event, int action, uint64_t place)
{
    return (uint64_t)event | (uint64_t)(uint32_t)action << SWI_TRACED_ACTION | place;
}

/* Returns how many begins, ends, cancels and discards a slice has, including lost ones. */
static inline int64_t swi_slice_events(const struct swi_slice *slice)
{
    int64_t events = slice->lost;
    for (uint32_t i = slice->from; i < slice->to; i++)
        events += !swi_traced_is_part(slice->chunk->event[i].what);
    return events;
}

/* A buffer in which a sink's thread makes regions. Zero-initialised, it is empty. */
struct swi_regions {
    struct sw_region item[SWI_TRACE_CHUNK_EVENTS];
    struct sw_counter_use use[SWI_TRACE_CHUNK_EVENTS];
    int64_t *last_ns; /* the last time of each thread; times never go back, even if the clock
                         changed since */
    int threads;
};

/* Fills regions->item with the events that are in the window. Returns how many. */
size_t swi_regions_make(struct swi_regions *regions, const struct swi_slice *slice);

void swi_regions_free(struct swi_regions *regions);

#endif
