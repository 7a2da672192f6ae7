/* SPDX-License-Identifier: MIT */
/* thread.h - what one thread measures: the stack of its open regions, the regions that ended since
 * the last fold, and its rows. Only that thread writes it.
 *
 * Outside of a batch, an ended region is added to the sums of its row at once. Only the histogram
 * waits in the list `ended`, for up to 128 regions. In a batch, everything waits for the end of the
 * step: only then it is known whether the step counts, and how many samples it had. A draw waits
 * too, because a batch must follow it. */
#ifndef CORE_ROWS_THREAD_H
#define CORE_ROWS_THREAD_H

#include "core/rows/action.h"
#include "core/rows/cost.h"
#include "core/rows/counter_use.h"
#include "core/rows/elapsed.h"
#include "core/rows/row_copies.h"
#include "core/rows/row.h"
#include "core/rows/waiting_steps.h"

#include <stepwatch/sink.h>

struct sw_probe;
struct sw_profiler;
struct swi_snapshot;

enum {
    SWI_SPANS_THREAD = -1, /* used as the number of the thread that has the rows of spans */
    SWI_PHASES = 4,        /* phases in which a thread has rows */
    SWI_DEPTH_MAX = 1024,
    SWI_FORGIVEN = 2, /* ends that are no misuse after a pause, besides those of regions it took */
    SWI_FOLD = 128,   /* this many ended regions outside of a batch are folded */
    SWI_ENDED_MAX = 65536 /* this many are folded within a batch too, without rates */
};

/* An open region. The first frame of a stack is unused: its action is -1. */
struct swi_frame {
    struct swi_row *row;
    int64_t start;         /* tick */
    int64_t inside;        /* ticks of the counted regions inside */
    struct swi_row **fast; /* set to `row` again when the region ends */
    int plain;             /* the action if its end needs no closer look, else -1 */
    uint32_t first;        /* for a batch: how many regions had ended when it began */
    int action;            /* not beside `plain`: gcc 12 would store both by way of a vector */
    /* Padding: a begin writes one cache line, and an end also that of the region around it. */
    char unused[20];
};

/* A thread's rows of an action, in one cache line for calls that find cold caches. */
struct swi_entry {
    struct swi_row *fast[SWI_PHASES];  /* NULL if the action is special, not measured, or open */
    struct swi_row *known[SWI_PHASES]; /* NULL before the first call */
};

struct swi_thread {
    /* Read and written by every begin and end. */
    struct swi_frame *frame;       /* the innermost open region */
    struct swi_frame *frame_limit; /* the last frame that there is room for */
    /* See swi_fast_entry(): a row, or NULL if a begin needs a closer look. */
    struct swi_row **fast;
    _Atomic(struct swi_ended *) next_ended; /* where the next ended region goes */
    struct swi_ended *fold_at;              /* when this is reached, the regions must be folded */
    bool at_once;                           /* outside of a batch */

    atomic_ullong sequence;               /* odd while the rows change */
    _Atomic(struct swi_snapshot *) asked; /* a copy that a reader asks this thread to make */
    atomic_int batch_first; /* regions that had ended when the open batch began, or -1 */
    _Atomic(struct swi_ended *) ended;
    uint32_t ended_capacity;
    struct swi_frame *stack;
    int frame_capacity;
    const struct sw_probe *probe;      /* receives all begins and ends, or NULL */
    bool tracing;                      /* a sink wants all regions: `fast` has no entries */
    bool apart;                        /* tracing, a probe, or counters: calls take a closer look */
    struct swi_row **traced;           /* what `fast` would be if not tracing; else NULL */
    _Atomic(struct swi_trace *) trace; /* begins, ends and cancels; NULL if it was never tracing */
    uint64_t place;                    /* the phase and the number: see swi_thread_phase() */
    struct swi_row *unused;            /* the target of frame->fast of special regions */
    bool batch_folded;                 /* regions of the open batch were folded already */
    int too_deep;                      /* begins beyond SWI_DEPTH_MAX, whose ends are ignored */
    enum sw_phase phase;
    bool loop;    /* this is the loop's thread */
    bool begun;   /* first_tick is known */
    int forgiven; /* ends without a begin that are no misuse, because a pause took the begin */
    int number;
    const void *owner; /* the address of the OS thread's swi_current; NULL: sw_set_thread() */
    int owner_id;
    int64_t first_tick;       /* first begin since the last fit */
    atomic_uint gaps;         /* gaps of the clock that were removed from what is open */
    uint64_t pauses;          /* the profiler's, when this thread looked last */
    uint64_t fits;            /* the profiler's, when this thread looked last */
    struct swi_past *past;    /* the profiler's; NULL: no row is ever kept */
    atomic_ullong moment;     /* the profiler's, when this thread looked last */
    atomic_ullong trace_seen; /* events in its trace at that time */
    atomic_ullong since;      /* the last moment that ended a fit; changes before it do not count */
    int fast_low, fast_high;  /* actions in this range may have fast entries */
    atomic_llong misuses;
    atomic_llong discarded;
    atomic_llong discarded_ticks;
    struct swi_elapsed elapsed;     /* for the loop's thread */
    struct swi_cost cost;           /* what the calls cost this thread */
    struct swi_cost cost_before;    /* the cost in the fit before */
    struct swi_entry *entry;        /* SWI_ACTIONS */
    _Atomic(struct swi_row *) rows; /* all rows, the newest first */
    struct swi_row *rows_ready;     /* unused rows */
    struct swi_reserve reserve;     /* for the rows' histograms */
    struct swi_ended *outgrown[16]; /* old arrays that a reader may still use */
    int outgrown_count;
    void *memory;                            /* the memory block that holds this struct */
    struct swi_waiting_steps *waiting;       /* in that block */
    _Atomic(struct swi_counting *) counting; /* its counters, or NULL */

    int64_t window; /* number of the last window in which it checked whether it records, or -1 */
    struct swi_thread *next; /* in the profiler's list */
};

/* Returns NULL if out of memory. */
struct swi_thread *swi_thread_new(int number);
void swi_thread_free(struct swi_thread *thread);

/* Allocates the memory that the first regions of a thread need. */
void swi_thread_make_ready(struct swi_thread *thread);

/* Returns the row of an action in a phase. Makes it at its first use. If a moment has passed, keeps
 * a copy of it, or empties it, as needed. Returns NULL if out of memory. Must not be called in the
 * middle of a change. */
struct swi_row *swi_thread_look_row(struct swi_thread *thread, enum sw_phase phase, int action);

static inline struct swi_row *swi_thread_row(struct swi_thread *thread, enum sw_phase phase,
                                             int action)
{
    int known = (unsigned)action < SWI_ACTIONS ? action : SWI_ACTION_OTHER;
    struct swi_row *row = thread->entry[known].known[phase];
    bool current = row && SWI_GET(row->moment) == SWI_GET(thread->moment);
    return __builtin_expect(current, 1) ? row : swi_thread_look_row(thread, phase, known);
}

/* Returns the row of calls inside an open call of `row`, in the same way. */
struct swi_row *swi_thread_inner(struct swi_thread *thread, struct swi_row *row);

/* Returns the fast entry of an action in a phase, so that it can be filled. */
static inline struct swi_row **swi_thread_fast(struct swi_thread *thread, enum sw_phase phase,
                                               int action)
{
    if (action < thread->fast_low)
        thread->fast_low = action;
    if (action >= thread->fast_high)
        thread->fast_high = action + 1;
    return &thread->entry[action].fast[phase];
}

/* Returns the entry of an action in a table like thread->fast, which points into the entry of
 * action 0. */
static inline struct swi_row **swi_fast_entry(struct swi_row **fast, int action)
{
    return fast + (size_t)(unsigned)action * (sizeof(struct swi_entry) / sizeof *fast);
}

/* Where `place` has the phase and the number of the thread. */
enum { SWI_PLACE_PHASE = 4, SWI_PLACE_THREAD = 32 };

/* Sets the phase under which begins and ends are measured. */
void swi_thread_phase(struct swi_thread *thread, enum sw_phase phase);

static inline int swi_depth(const struct swi_thread *thread)
{
    return (int)(thread->frame - thread->stack);
}

/* Return what lies beside an open and beside an ended region of a thread that counts, in the first
 * bank. The sizes are multiples of each other, so no division is needed. */
static inline struct swi_frame_counts *swi_frame_counts_of(const struct swi_thread *thread,
                                                           const struct swi_counting *counting,
                                                           const struct swi_frame *frame)
{
    enum { TIMES = sizeof(struct swi_frame_counts) / sizeof(struct swi_frame) };
    _Static_assert(TIMES * sizeof(struct swi_frame) == sizeof(struct swi_frame_counts), "padding");
    ptrdiff_t bytes = (const char *)frame - (const char *)thread->stack;
    return (struct swi_frame_counts *)((char *)counting->bank[0].frame + TIMES * bytes);
}

static inline struct swi_ended_counts *swi_ended_counts_of(const struct swi_thread *thread,
                                                           const struct swi_counting *counting,
                                                           const struct swi_ended *ended)
{
    enum { TIMES = sizeof(struct swi_ended_counts) / sizeof(struct swi_ended) };
    _Static_assert(TIMES * sizeof(struct swi_ended) == sizeof(struct swi_ended_counts), "padding");
    ptrdiff_t bytes = (const char *)ended - (const char *)SWI_GET(thread->ended);
    return (struct swi_ended_counts *)((char *)SWI_GET(counting->bank[0].ended) + TIMES * bytes);
}

static inline uint32_t swi_ended_count(const struct swi_thread *thread)
{
    return (uint32_t)(SWI_GET(thread->next_ended) - SWI_GET(thread->ended));
}

static inline void swi_ended_count_set(struct swi_thread *thread, uint32_t count)
{
    atomic_store_explicit(&thread->next_ended, SWI_GET(thread->ended) + count,
                          memory_order_release);
}

/* Make room for one more open or ended region. They return false if out of memory. */
bool swi_thread_grow_stack(struct swi_thread *thread);
bool swi_thread_grow_ended(struct swi_thread *thread);

/* Mark the begin and the end of a change of rows or of `ended`, so that readers notice it. */
static inline void swi_thread_change(struct swi_thread *thread)
{
    SWI_ADD(thread->sequence, 1);
    SWI_FENCE(memory_order_release);
}

static inline void swi_thread_changed(struct swi_thread *thread)
{
    SWI_FENCE(memory_order_release);
    SWI_ADD(thread->sequence, 1);
}

/* Adds a region to its row, or only to its histogram if the sums have it already. */
static inline void swi_ended_add(struct swi_row *row, int64_t ticks, int64_t self)
{
    if (self != SWI_COUNTED)
        swi_row_sum(row, ticks, self);
    swi_row_bin(row, ticks);
}

/* Folds regions ended[from..to) into their rows. Call it between change and changed. */
void swi_thread_fold(struct swi_thread *thread, uint32_t from, uint32_t to);

/* Notes that everything the thread measures from now on comes after a moment, so each row is looked
 * at before it changes. All ended regions must be in their rows. since: the last moment that ended
 * a fit. If the thread has not looked since then, it forgets all calls and the counts of misuse. */
void swi_thread_at(struct swi_thread *thread, uint64_t moment, uint64_t since);

/* Returns whether a row has any values of the fit that the thread is in. */
static inline bool swi_row_is_known(const struct swi_row *row, uint64_t since)
{
    return SWI_GET(row->moment) >= since;
}

/* Counts regions ended[from..to) as discarded. */
void swi_thread_discard(struct swi_thread *thread, uint32_t from, uint32_t to);

#endif
