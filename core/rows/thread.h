/* SPDX-License-Identifier: MIT */
/* thread.h - what one thread measures: the stack of its open regions, the regions that ended since
 * the last fold, and its rows. Everything is written by that thread alone.
 *
 * Outside of a batch a region that ends is in the sums of its row at once; what waits in the list
 * `ended`, for 128 regions, is the histogram. In a batch all of it waits for the end of the step:
 * only then it is known that the step counts, and how many samples it had. So does a draw, which a
 * batch has to follow. */
#ifndef CORE_ROWS_THREAD_H
#define CORE_ROWS_THREAD_H

#include "core/rows/action.h"
#include "core/rows/cost.h"
#include "core/rows/elapsed.h"
#include "core/rows/row_copies.h"
#include "core/rows/row.h"

#include <stepwatch/sink.h>

struct sw_probe;
struct sw_profiler;
struct swi_snapshot;

enum {
    SWI_SPANS_THREAD = -1, /* in place of a thread's number: the rows of spans */
    SWI_PHASES = 4,        /* that a thread has rows of */
    SWI_DEPTH_MAX = 1024,
    SWI_FOLD = 128,       /* regions outside a batch are folded when there are so many */
    SWI_ENDED_MAX = 65536 /* within a batch too, without rates, when there are so many */
};

/* An open region. The first of a thread's stack is none: its action is -1. */
struct swi_frame {
    struct swi_row *row;
    int64_t start;         /* tick */
    int64_t inside;        /* ticks of the counted regions inside */
    struct swi_row **fast; /* gets `row` back when the region ends */
    int plain;             /* the action, where its end needs no closer look; else -1 */
    uint32_t first;        /* of a batch: how many regions had ended when it began */
    int action; /* (apart from plain: next to it, gcc 12 stores both by way of a vector) */
    /* A begin writes one cache line; an end also the line of the region around it. */
    char unused[20];
};

/* What a thread has of an action. A call that finds cold caches finds all of it in one line. */
struct swi_entry {
    struct swi_row *fast[SWI_PHASES];  /* NULL for what is special, not measured, or open */
    struct swi_row *known[SWI_PHASES]; /* NULL before the first call */
};

/* In place of `self`: the region is in the sums of its row already, only its histogram waits. */
#define SWI_COUNTED INT64_MIN

/* A region that ended. */
struct swi_ended {
    _Atomic(struct swi_row *) row;
    atomic_llong ticks;
    atomic_llong self;
};

struct swi_thread {
    /* Read and written by every begin and end. */
    struct swi_frame *frame;       /* the innermost open region */
    struct swi_frame *frame_limit; /* the last that there is room for */
    /* See swi_fast_entry(): a row, or NULL where a begin needs a closer look. */
    struct swi_row **fast;
    _Atomic(struct swi_ended *) next_ended; /* where the next region that ends goes */
    struct swi_ended *fold_at;              /* when that is reached, there is something to do */
    bool at_once;                           /* outside of a batch */

    atomic_ullong sequence;               /* odd while the rows are changed */
    _Atomic(struct swi_snapshot *) asked; /* who reads the rows and cannot for their changes */
    atomic_int
        batch_first; /* how many regions had ended when the open batch began; -1: none is open */
    _Atomic(struct swi_ended *) ended;
    uint32_t ended_capacity;
    struct swi_frame *stack;
    int frame_capacity;
    const struct sw_probe *probe; /* is told of every region; NULL: none is. Like `tracing` */
    bool tracing;                 /* a sink wants every region: `fast` has no entries */
    struct swi_row **traced;      /* then what `fast` is otherwise; else NULL */
    struct swi_row *unused;       /* what `fast` of a special region points at */
    bool batch_folded;            /* regions of the open batch are in their rows already */
    int too_deep;                 /* begins beyond SWI_DEPTH_MAX: so many ends are ignored */
    enum sw_phase phase;
    bool loop; /* this is the loop thread */
    int number;
    const void
        *owner; /* the OS thread: address of its swi_current and its id; NULL: sw_set_thread() */
    int owner_id;
    int64_t first_tick;       /* first begin since the last fit; 0: none */
    atomic_uint gaps;         /* of the clock that were taken out of what is open */
    uint64_t pauses;          /* of the profiler, when this thread looked last */
    uint64_t fits;            /* reports of the profiler, when this thread looked last */
    struct swi_past *past;    /* of the profiler; NULL: nothing is ever kept */
    atomic_ullong moment;     /* of the profiler, when this thread looked last */
    atomic_ullong trace_seen; /* events of its trace by then */
    atomic_ullong since;      /* the last one that ended a fit: what changed before is forgotten */
    int fast_low, fast_high;  /* actions in between may have fast entries */
    atomic_llong misuses;
    atomic_llong discarded;
    atomic_llong discarded_ticks;
    struct swi_elapsed elapsed;     /* of the loop thread */
    struct swi_cost cost;           /* what the calls cost it */
    struct swi_cost cost_before;    /* the same of the fit before */
    struct swi_entry *entry;        /* SWI_ACTIONS */
    _Atomic(struct swi_row *) rows; /* all of them, the newest first */
    struct swi_row *rows_ready;     /* not used yet */
    struct swi_reserve reserve;     /* of the rows' histograms */
    struct swi_ended *outgrown[16]; /* a reader may still look at them */
    int outgrown_count;
    void *memory; /* that it is in */

    int64_t window; /* number of the last one in which it looked whether it records; -1: none */
    _Atomic(struct swi_trace *) trace; /* begins, ends, cancels; NULL: it was never `tracing` */
    struct swi_thread *next;           /* in the profiler's list */
};

/* NULL without memory. */
struct swi_thread *swi_thread_new(int number);
void swi_thread_free(struct swi_thread *thread);

/* Gets the memory that the first regions of a thread need. */
void swi_thread_make_ready(struct swi_thread *thread);

/* The row of an action in a phase, made at its first use, and kept and emptied as its moment wants
 * it. NULL without memory. Not in the middle of a change. */
struct swi_row *swi_thread_look_row(struct swi_thread *thread, enum sw_phase phase, int action);

static inline struct swi_row *swi_thread_row(struct swi_thread *thread, enum sw_phase phase,
                                             int action)
{
    int known = (unsigned)action < SWI_ACTIONS ? action : SWI_ACTION_OTHER;
    struct swi_row *row = thread->entry[known].known[phase];
    bool current = row && SWI_GET(row->moment) == SWI_GET(thread->moment);
    return __builtin_expect(current, 1) ? row : swi_thread_look_row(thread, phase, known);
}

/* The same of the calls inside of an open call of `row`. */
struct swi_row *swi_thread_inner(struct swi_thread *thread, struct swi_row *row);

/* The fast entry of an action in a phase, which may be filled from now on. */
static inline struct swi_row **swi_thread_fast(struct swi_thread *thread, enum sw_phase phase,
                                               int action)
{
    if (action < thread->fast_low)
        thread->fast_low = action;
    if (action >= thread->fast_high)
        thread->fast_high = action + 1;
    return &thread->entry[action].fast[phase];
}

/* Where a table like thread->fast has an action: it points into the entry of action 0. */
static inline struct swi_row **swi_fast_entry(struct swi_row **fast, int action)
{
    return fast + (size_t)(unsigned)action * (sizeof(struct swi_entry) / sizeof *fast);
}

/* The phase that begins and ends are measured under from now on. */
void swi_thread_phase(struct swi_thread *thread, enum sw_phase phase);

static inline int swi_depth(const struct swi_thread *thread)
{
    return (int)(thread->frame - thread->stack);
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

/* Room for one more open region, or one more ended one; false without memory. */
bool swi_thread_grow_stack(struct swi_thread *thread);
bool swi_thread_grow_ended(struct swi_thread *thread);

/* Between these a reader sees that rows and `ended` are being changed. */
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

/* Adds a region to its row, or what is still missing of it. */
static inline void swi_ended_add(struct swi_row *row, int64_t ticks, int64_t self)
{
    if (self != SWI_COUNTED)
        swi_row_sum(row, ticks, self);
    swi_row_bin(row, ticks);
}

/* Folds regions ended[from..to) into their rows. Between change and changed. */
void swi_thread_fold(struct swi_thread *thread, uint32_t from, uint32_t to);

/* What this thread measures from now on comes after a moment: each row is looked at before it
 * changes. No region has ended that is not in its row. since: the last moment that ended a fit;
 * where the thread did not look since, it forgets all calls and the counts of misuse. */
void swi_thread_at(struct swi_thread *thread, uint64_t moment, uint64_t since);

/* Whether a row has anything of the fit that the thread is in. */
static inline bool swi_row_is_known(const struct swi_row *row, uint64_t since)
{
    return SWI_GET(row->moment) >= since;
}

/* Counts regions ended[from..to) as discarded. */
void swi_thread_discard(struct swi_thread *thread, uint32_t from, uint32_t to);

#endif
