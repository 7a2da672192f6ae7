/* SPDX-License-Identifier: MIT */
/* measured.h - what a profiler measures: its clock, its threads, its pauses, and how far the loop
 * is. The calls of the loop write it; reports and records read it, on any thread. */
#ifndef CORE_ROWS_MEASURED_H
#define CORE_ROWS_MEASURED_H

#include "core/clock/clock.h"
#include "core/process/child.h"
#include "core/rows/current.h"
#include "core/rows/row_copies.h"
#include "core/rows/thread.h"

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>

/* Written by swi_profiler_open(), and not after it. */
struct swi_chosen {
    uint64_t ignored; /* a bit for each builtin action that is not measured in this mode */
    enum sw_mode mode;
    int drop; /* 1 or 0 */
    int64_t rolling_average;
    int64_t close_timeout_ns;
    int64_t timing_cost; /* what timing a call takes itself (core/loop/sampling.h) */
    bool accounting;
    const struct sw_probe *probe; /* that is told of regions; NULL: none */
};

/* Written by the loop's thread. */
struct swi_progress {
    atomic_llong step;       /* number of the training step that comes next */
    atomic_llong expected;   /* steps in all, for an eta; by any thread */
    atomic_llong epochs;     /* finished, over the run */
    atomic_llong fit_epochs; /* finished in this fit */
    atomic_llong fit_start;
    atomic_llong fit_began_ns;  /* the same as a time, which no pause and no gap moves */
    atomic_llong elapsed_tick;  /* until when swi_fit_elapsed() counted last; by any thread */
    atomic_llong fit_ticks;     /* of the fit that ended last, while its report is made */
    atomic_llong dropped_ticks; /* self time of calls that drop_first_batch left out */
    atomic_int fit_number;      /* 1 is the first; 0 before any */
    atomic_bool fit_open;
    atomic_bool fit_inserted; /* nobody began the fit that is open: it has all of its thread */
};

struct swi_measured {
    /* Compared by every call with what the thread remembers; another number makes the thread look
     * again. */
    _Atomic uint64_t serial;
    intptr_t current_at; /* swi_current_distance() */
    struct swi_clock clock;
    struct swi_chosen chosen;
    struct swi_progress progress;

    /* Written by any thread, under the lock; the atomic members are read without it. */
    pthread_mutex_t lock;
    struct swi_thread *threads;
    _Atomic(struct swi_thread *) loop; /* NULL before it is known and between two fits */
    struct swi_thread *last_loop;      /* the thread that the fit before was on */
    int thread_count;
    atomic_bool paused;
    bool standing; /* the clock is stopped at pause_tick, until the pause is subtracted */
    uint64_t pauses;
    int64_t pause_tick;
    uint64_t fits;         /* that ended */
    uint64_t fit_moment;   /* number of the moment when the last of them did */
    atomic_uint gaps_told; /* of the clock that all threads were told to look for */
    struct swi_past past;

    /* Written by whoever ends the run, or finds itself in a child. */
    atomic_bool dead; /* after fork in the child, and at exit: nothing is measured any more */
    bool forked;
};

/* Whether this process has only a copy of the profiler, by a fork: then nothing may wait. */
static inline bool swi_is_inherited(const struct swi_measured *measured)
{
    return measured->forked || swi_is_copy();
}

/* Whether the clock has a gap that is not taken out of what the thread has open. */
static inline bool swi_gap_is_pending(const struct swi_measured *measured,
                                      const struct swi_thread *thread)
{
    return SWI_GET(thread->gaps) !=
           atomic_load_explicit(&measured->clock.gaps, memory_order_acquire);
}

/* A tick from before a gap, as it would have been without one. 0 stays 0. */
static inline int64_t swi_gap_taken_out(const struct swi_gap *gap, int64_t tick, int64_t now)
{
    return tick && swi_gap_is_before(gap, tick, now) ? tick + gap->shift : tick;
}

/* The thread whose regions make a fit where nobody begins one: the first that measured anything.
 * NULL: none did. */
struct swi_thread *swi_thread_first(struct swi_measured *measured);

/* A tick of the loop thread's, less what it has yet to take out; with the lock held. */
int64_t swi_loop_tick(struct swi_measured *measured, int64_t tick);

/* Ticks of the fit that is open, less its pauses, also of one that lasts. */
int64_t swi_fit_elapsed(struct swi_measured *measured);

#endif
