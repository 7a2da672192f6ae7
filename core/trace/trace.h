/* SPDX-License-Identifier: MIT */
/* trace.h - the begins, ends and cancels of each thread, on their way to sinks that want
 * SW_RECORD_REGIONS. The fold appends them to the trace of their thread and hands slices over as
 * records, under the fold lock. A sink has a reference to the chunk of a slice, and a published
 * event is never written again. */
#ifndef CORE_TRACE_TRACE_H
#define CORE_TRACE_TRACE_H

#include <stepwatch/sink.h>
#include <stepwatch/window.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Events of one thread as a record holds them, and the regions that a sink gets from them. */

enum {
    SWI_TRACE_CHUNK_EVENTS = 1024,
    SWI_CHUNKS_MAX = 1536, /* 24 MiB: the most that may wait for slow sinks */
    SWI_CHUNKS_MANY = 256  /* from this many on, events are handed over at once */
};

/* One event of a region, or the number of samples of the event before (trace.c). */
struct swi_trace_event {
    int64_t tick;
    uint64_t what;
};

struct swi_trace_chunk {
    atomic_int references;        /* one of the trace, and one of each record with events of it */
    atomic_int *used;             /* how many chunks there are */
    struct swi_trace_chunk *next; /* of the trace */
    uint32_t count;               /* events so far */
    struct swi_trace_event event[SWI_TRACE_CHUNK_EVENTS];
};

void swi_trace_chunk_unref(struct swi_trace_chunk *chunk);

struct swi_clock;

/* Consecutive events of a chunk. The record holds a reference to the chunk. */
struct swi_slice {
    struct swi_clock *clock;
    const struct sw_counter_info *counter; /* by slot */
    struct swi_trace_chunk *chunk;         /* NULL: there are no events, because some were lost */
    uint32_t from, to;
    int64_t lost;         /* how many events were lost before these */
    int64_t tick;         /* of the last event taken */
    int64_t since, until; /* the window in ticks; earlier or later events are left out */
};

/* The parts of `what`, from its lowest bit on: the event, the phase, the action and the thread. A
 * number of samples, or of a step, is an event of its own after the end that it belongs to, with
 * the number in place of the tick. */
enum {
    SWI_TRACED_STEP = 13,
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
    return (what & 15) >= SWI_TRACED_STEP;
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

/* Which window is open. The loop's thread opens and closes windows (core/loop/recording_windows.c)
 * under the fold lock. */

struct swi_recording {
    /* Set by swi_profiler_open(). */
    struct sw_schedule schedule;
    bool windowed; /* false: the window is the whole run */

    int64_t steps;     /* training steps that ended while a sink or a capture needed them */
    int64_t capturing; /* steps that a capture still needs after the current one */
    int64_t windows;   /* windows opened so far */

    struct sw_window window; /* the open window, or the last one */
    int64_t since, until;    /* ticks; earlier or later events are in no window */

    /* Written by all threads. */
    atomic_bool open;
    atomic_bool reported; /* the window that was open from the start was reported */
    atomic_llong asked;   /* steps of a capture that is about to begin, or 0 */
};

/* The trace of one thread. */
struct swi_trace {
    struct swi_trace *next;        /* in the list of all traces */
    struct swi_trace_chunk *first; /* the oldest with events that were not taken; NULL: none */
    struct swi_trace_chunk *last;  /* where events are appended */
    uint32_t taken;                /* events of the first chunk */
    int64_t lost;                  /* events for which there was no chunk, until they are told */
    int64_t last_tick;             /* of the last event taken */
};

/* Zero-initialised, there are none. */
struct swi_traces {
    struct swi_trace *first;
    atomic_int used; /* chunks, of records too */
};

/* Every chunk of a record must have been returned. */
void swi_traces_fini(struct swi_traces *traces);

/* Returns a new trace that is in the list of all, or NULL if out of memory. */
struct swi_trace *swi_trace_new(struct swi_traces *traces);

/* Returns whether the last chunk has room for this many events. */
static inline bool swi_trace_has_room(const struct swi_trace *trace, unsigned events)
{
    return trace->last && trace->last->count + events <= SWI_TRACE_CHUNK_EVENTS;
}

/* Makes room for an event and its parts. Returns false and counts a lost event if there is none. */
bool swi_trace_grow(struct swi_traces *traces, struct swi_trace *trace);

/* Appends an event, or a part of the one before, for which there is room. */
static inline void swi_trace_put(struct swi_trace *trace, int64_t tick, uint64_t what)
{
    struct swi_trace_chunk *chunk = trace->last;
    chunk->event[chunk->count++] = (struct swi_trace_event){tick, what};
}

/* Takes the next events that are in one chunk, with a reference to the chunk. If there are none,
 * gives only the number of events lost since the last call. Returns false if there is neither. */
bool swi_trace_take(struct swi_trace *trace, struct swi_slice *slice);

#endif
