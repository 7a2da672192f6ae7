/* SPDX-License-Identifier: MIT */
/* slice.h - events of one thread as a record has them, and the regions that a sink gets of them. */
#ifndef CORE_TRACE_SLICE_H
#define CORE_TRACE_SLICE_H

#include "core/trace/chunk.h"

#include <stepwatch/sink.h>

struct swi_clock;

/* Consecutive events of a chunk, which a record holds a reference of. */
struct swi_slice {
    struct swi_clock *clock;
    const char *(*action_name)(int action);
    struct swi_chunk *chunk; /* NULL: none, some were lost */
    uint32_t from, to;
    int64_t lost;         /* so many before them */
    int64_t tick;         /* of the last event that was taken */
    int64_t since, until; /* ticks of the window: what is earlier or later is in none */
};

/* `what` of an event, from its lowest bit on: the event, the phase, the action and the thread. A
 * number of samples is an event of its own behind the end that it belongs to, in place of a tick.
 */
enum { SWI_EVENT_SAMPLES = 15, SWI_EVENT_PHASE = 4, SWI_EVENT_ACTION = 8, SWI_EVENT_THREAD = 32 };

static inline uint64_t swi_event_what(enum sw_region_event event, enum sw_phase phase, int action,
                                      int thread)
{
    return (uint64_t)event | (uint64_t)phase << SWI_EVENT_PHASE |
           (uint64_t)(uint32_t)action << SWI_EVENT_ACTION |
           (uint64_t)(uint32_t)thread << SWI_EVENT_THREAD;
}

/* How many begins, ends, cancels and discards a slice has, with those that were lost. */
static inline int64_t swi_slice_events(const struct swi_slice *slice)
{
    int64_t events = slice->lost;
    for (uint32_t i = slice->from; i < slice->to; i++)
        events += slice->chunk->event[i].what != SWI_EVENT_SAMPLES;
    return events;
}

/* What a sink's thread makes regions in. Zero-initialised is empty. */
struct swi_regions {
    struct sw_region item[SWI_CHUNK_EVENTS];
    int64_t *last_ns; /* by thread: its time never goes back, whatever became of the clock since */
    int threads;
};

/* Fills regions->item with what is in the window; returns how many. */
size_t swi_regions_make(struct swi_regions *regions, const struct swi_slice *slice);

void swi_regions_free(struct swi_regions *regions);

#endif
