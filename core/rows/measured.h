/* SPDX-License-Identifier: MIT */
/* measured.h - what a profiler measures: its clock, its threads, its pauses and the loop's
 * progress. The calls of the loop write it; reports and records read it on any thread. */
#ifndef CORE_ROWS_MEASURED_H
#define CORE_ROWS_MEASURED_H

#include "core/clock/clock.h"
#include "core/counters/counted_memory.h"
#include "core/process/child.h"
#include "core/process/own_floats.h"
#include "core/process/resources.h"
#include "core/rows/cost.h"
#include "core/rows/current_profiler.h"
#include "core/rows/newest_steps.h"
#include "core/rows/thread.h"
#include "core/text/curve.h"

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory that a program and its GPUs use, as monitors sample it during a fit, for the findings:
 * if there are more values than points, each point is the mean of twice as many as before. Further
 * GPUs are ignored. */
enum { SWI_MEMORY_SERIES = 17, SWI_MEMORY_POINTS = 512 };

struct swi_memory_series {
    char name[48];          /* process/rss_bytes, gpu/0/memory_used_bytes */
    struct swi_curve bytes; /* by time in ns */
};

struct swi_memory_use {
    pthread_mutex_t lock;
    int fit; /* the fit that the values belong to */
    size_t count;
    struct swi_memory_series series[SWI_MEMORY_SERIES];
};

void swi_memory_use_init(struct swi_memory_use *use);
void swi_memory_use_fini(struct swi_memory_use *use);

/* Adds a value of a fit. Drops values of another fit. May be called on any thread, and never waits
 * long. */
void swi_memory_use_add(struct swi_memory_use *use, int fit, const char *name, double t_ns,
                        double bytes);

/* The lock under which the events of all threads are folded, and all that they lead to is read and
 * written: open regions, rows, the steps of the loop. A thread that only notes events never takes
 * it. */

struct swi_thread;

struct swi_fold_lock {
    pthread_mutex_t mutex; /* recursive: a fold may send messages, and these may ask for a report */
    int depth;             /* of the thread that holds it */
    _Atomic pthread_t holder; /* 0: none */
    bool inherited; /* the holder crashed: the lock is the thread's that ends the program */
    int cancel;     /* whether it could be cancelled */
    /* What core/loop/fold.c does. Folds all that is published; all threads but one up to a tick,
     * and no further than where they noted that so many fits had ended (UINT64_MAX: up to the
     * tick); the oldest chunks of the calling thread, if the lock is free or it waits. */
    void (*fold)(void *arg);
    void (*others)(void *arg, const struct swi_thread *thread, int64_t upto, uint64_t fits);
    void (*own_chunks)(void *arg, struct swi_thread *thread, bool waits);
    void (*after)(void *arg); /* called when the lock was given: sends messages that are due */
    /* Without the lock: notes what rare work of the calling thread took. */
    void (*rare)(void *arg, struct swi_thread *thread, int64_t ticks);
    void *arg;
};

struct swi_measured;

/* calls: has the functions. */
void swi_fold_lock_init(struct swi_fold_lock *lock, const struct swi_fold_lock *calls);
void swi_fold_lock_fini(struct swi_fold_lock *lock);

/* Takes the lock and folds all that is published. If the holder has crashed, the thread that ends
 * the program takes over: what the crash left half done is skipped. Else it waits there for half a
 * second at most. Returns NULL if there is no lock, there or in the child of a fork. */
struct swi_fold_lock *swi_fold_take(struct swi_measured *measured);
/* Takes the lock without folding; NULL if another thread has it. */
struct swi_fold_lock *swi_fold_try(struct swi_measured *measured);
void swi_fold_give(struct swi_fold_lock *lock);
/* Returns whether the calling thread has the lock: a signal handler may have interrupted it. */
bool swi_fold_is_own(struct swi_measured *measured);

void swi_fold_others(struct swi_measured *measured, const struct swi_thread *thread, int64_t upto,
                     uint64_t fits);

static inline void swi_fold_leave(struct swi_fold_lock *const *lock)
{
    swi_fold_give(*lock);
}

/* To the end of the block, everything is folded. */
#define SWI_FOLDED(measured)                                                                       \
    __attribute__((cleanup(swi_fold_leave), unused)) struct swi_fold_lock *const swi_folded_ =     \
        swi_fold_take(measured)

/* How often the loop's thread was preempted before its fit, and how long it waited for a processor.
 * The dispatcher's thread looks from time to time, because the loop's thread must not make a system
 * call. So the figures are at most a quarter of a second old when a fit begins. */

struct swi_preempted {
    int opened_by; /* the thread that called sw_open(): its gettid() */
    int thread;    /* the thread that was counted; 0: none */
    struct swi_preemptions count;
};

/* Takes the figures of the calling thread, which opens the profiler and probably runs the loop. */
void swi_preempted_open(struct swi_measured *measured);

/* Takes those of the thread that runs the loop or ran the last fit. Keeps existing ones
 * while a fit is open. */
void swi_preempted_look(struct swi_measured *measured);

/* Returns those before the fit that ends, if they are known. The next fit gets new ones. thread:
 * set to the thread of the fit, or 0. Call it with the lock held. */
struct swi_preemptions swi_preempted_take(struct swi_measured *measured, int *thread);

/* Written only by swi_profiler_open(). */
struct swi_chosen {
    enum sw_mode mode;
    int drop; /* 1 or 0 */
    int64_t rolling_average;
    int64_t close_timeout_ns;
    int64_t timing_cost; /* how long timing a call takes (core/loop/timed_calls.h) */
    bool accounting;
    double peak_flops;            /* of the machine, per second; 0 if it is not known */
    const struct sw_probe *probe; /* receives the begins and ends of regions; NULL: none */
};

/* When sw_set_step() was called, a training step had ended. */
#define SWI_STEP_SET_PASSED (-1)

/* Written under the fold lock, except for what any thread sets. Whoever makes a record, the
 * watchdog and the monitors read the atomic ones without it. */
struct swi_progress {
    atomic_llong step;     /* number of the next training step */
    atomic_llong expected; /* total steps, for an ETA; any thread may set it */
    atomic_llong epochs;   /* finished in the run */
    atomic_int fit_number; /* 1 is the first; 0 before any */
    atomic_bool fit_open;
    atomic_llong
        set_step; /* 1 + what sw_set_step() set; 0: it was not called; SWI_STEP_SET_PASSED */
    atomic_llong own_step; /* newest step of the values with steps of their own */
    int64_t fit_epochs;    /* finished in this fit */
    int64_t fit_start;
    int64_t fit_own_ns;    /* CPU time of stepwatch's threads when the fit began */
    int64_t fit_began_ns;  /* its start as a time; pauses and clock gaps do not change it */
    int64_t elapsed_tick;  /* until when the report that was made last counted the open fit */
    int64_t fit_ticks;     /* of the last ended fit, while its report is made */
    int64_t dropped_ticks; /* self time of the calls that drop_first_batch excluded */
    bool fit_inserted;     /* the program did not begin the open fit: the fit has everything that
                              its thread measures */
};

/* What the calls of a loop use comes first: few cache lines, of which a step writes none that every
 * call of every thread reads. */
struct swi_measured {
    /* A bit for each builtin action that the mode does not measure. Written only by
     * swi_profiler_open(). */
    _Alignas(64) uint64_t ignored;
    /* Every call compares this number with the one that the thread remembers. If it differs, the
     * thread looks up its state again. */
    _Atomic uint64_t serial;
    intptr_t known_at;          /* swi_known_distance() of `place` */
    const atomic_uchar *is_own; /* swi_process_mark, which is in another page */
    int place;                  /* of this profiler in swi_current.known */
    bool leaves_out;            /* the mode leaves out builtin actions: calls look closer */
    struct swi_chosen chosen;
    /* Of the fit that is open or has ended last; NULL: nobody wants findings. */
    struct swi_newest_steps *newest;
    _Alignas(64) struct swi_progress progress;
    struct swi_clock clock;

    /* The events of all threads. */
    struct swi_event_pool pool;
    uint32_t own_folds; /* if more chunks are in use, threads fold some of theirs themselves */
    _Atomic(struct swi_thread *) claim; /* the loop's thread, as of its newest calls */
    atomic_ullong claims;               /* how many threads were the loop's */
    atomic_ullong fits_ended;           /* as of the calls */
    struct swi_fold_lock fold;
    /* Under it: CPU time of stepwatch's threads, when the dispatcher looked last, or when somebody
     * asked for a report or a fit ended. A thread of the program that folds an epoch's end does not
     * read it: that takes a system call for each thread. */
    int64_t own_threads_ns;

    /* Written by any thread under the lock. The atomic members are read without it. */
    pthread_mutex_t lock;
    struct swi_thread *threads;
    _Atomic(struct swi_thread *) loop; /* NULL before it is known, and between two fits */
    struct swi_thread *last_loop;      /* the thread of the fit before */
    int thread_count;
    atomic_bool paused;
    bool standing;    /* time is frozen at pause_tick until the pause is subtracted */
    int64_t left_out; /* up to this tick, what is noted too late for the fold at a pause */
    uint64_t pauses;
    int64_t pause_tick;
    uint64_t fits;        /* how many have ended, as far as it is folded */
    uint64_t fits_folded; /* the same by the numbers of the events */
    struct swi_counters counters;
    struct swi_preempted preempted; /* under the lock */
    struct swi_memory_use memory;   /* has a lock of its own */

    /* Written by the thread that ends the run, or that finds itself in a child. */
    atomic_bool dead; /* in the child of a fork and at exit: nothing is measured any more */
    bool forked;
};

/* Returns whether this process has only a copy of the profiler, because of a fork. Then no call may
 * wait. */
static inline bool swi_is_inherited(const struct swi_measured *measured)
{
    return measured->forked || swi_is_copy();
}

/* swi_is_copy(), for the calls of the loop. */
static inline bool swi_is_copied(const struct swi_measured *measured)
{
    return !atomic_load_explicit(measured->is_own, memory_order_relaxed);
}

/* Returns whether the clock has a gap that was not yet removed from what the thread has open. */
static inline bool swi_gap_is_pending(const struct swi_measured *measured,
                                      const struct swi_thread *thread)
{
    return thread->gaps != atomic_load_explicit(&measured->clock.gaps, memory_order_acquire);
}

/* Returns a tick with the gap removed if it is from before the gap. 0 stays 0. */
static inline int64_t swi_gap_taken_out(const struct swi_gap *gap, int64_t tick, int64_t now)
{
    return tick && swi_gap_is_before(gap, tick, now) ? tick + gap->shift : tick;
}

/* Returns the thread whose regions make a fit if the program begins none: the first that measured
 * anything. Returns NULL if there is none. */
struct swi_thread *swi_thread_first(struct swi_measured *measured);

/* Returns a serial that no profiler has had, which is never 0 and a multiple of 8. A profiler gets
 * a new one whenever threads must look at it again. Any thread may call it. */
uint64_t swi_profiler_serial_next(void);

/* Takes the place in swi_current that the fewest open profilers have, and gives it back. */
void swi_place_take(struct swi_measured *measured);
void swi_place_give(const struct swi_measured *measured);

/* Threads are added in front of the list and stay in it: it can be walked without the lock. */
static inline struct swi_thread *swi_first_thread(const struct swi_measured *measured)
{
    return __atomic_load_n(&measured->threads, __ATOMIC_ACQUIRE);
}

/* What the calling thread knows of the profiler, if the serial is right. */
static inline struct swi_known *swi_known_of(const struct swi_measured *measured)
{
    return &swi_current.known[measured->place];
}

/* ---- time of rare and long work -------------------------------------------------------------- */

/* Times rare and long work of stepwatch on threads of the program: marks, records, reports. All
 * other work is sampled (core/loop/timed_calls.h). Such work leaves neither memory nor
 * floating-point exceptions to the program. */

struct swi_rare_overhead {
    const struct swi_measured *measured;
    struct swi_thread *thread;      /* NULL: the calling thread is not measured */
    struct swi_memory_saved memory; /* what it allocates is nobody's */
    struct swi_floats floats;
};

void swi_rare_overhead_begin(struct swi_rare_overhead *work, const struct swi_measured *measured);
void swi_rare_overhead_end(struct swi_rare_overhead *work);

/* Times the rest of the block as rare work. What is within other rare work is part of that. */
#define SWI_RARE_WORK(measured)                                                                    \
    __attribute__((cleanup(swi_rare_overhead_end),                                                 \
                   unused)) struct swi_rare_overhead swi_rare_overhead_;                           \
    swi_rare_overhead_begin(&swi_rare_overhead_, measured)

/* Reads the clock for costs: the counter, or CLOCK_MONOTONIC. */
static inline int64_t swi_cost_now(const struct swi_clock *clock)
{
    return clock->counter ? swi_counter() : swi_monotonic_ns();
}

#endif
