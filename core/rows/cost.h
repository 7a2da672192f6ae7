/* SPDX-License-Identifier: MIT */
/* cost.h - what stepwatch itself costs the threads of the program, measured while they run.
 *
 * Rare and long work is timed every time: a mark, a record, a report, the
 * first call of a thread. All other calls are sampled in windows. A window is the calls of one
 * step, or the calls until a chunk of events is full. Every call of a sampled window is timed. The
 * first windows of a fit are all sampled. Later ones are at random distances, so that work that
 * happens every n steps is not in all samples or in none. Samples stand for the windows between
 * them in proportion to the number of regions that began, which the rows count anyway. Calls for an
 * action that is not measured in the profiler's mode are not timed: each takes about a nanosecond,
 * and timing it takes fifty.
 *
 * core/loop/sampling.h times the calls and this file adds them up. Ticks are ticks of the counter,
 * or nanoseconds of CLOCK_MONOTONIC if the profiler has another clock. */
#ifndef CORE_ROWS_COST_H
#define CORE_ROWS_COST_H

#include <stepwatch/report.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Words that one thread writes at a time and any thread may read. */
#define SWI_SET(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)
#define SWI_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

/* Steps of train and of valid have different costs. OTHER is everything outside of both. */
enum swi_stratum { SWI_STRATUM_OTHER, SWI_STRATUM_TRAIN, SWI_STRATUM_VALID, SWI_STRATA };

static inline enum swi_stratum swi_stratum_of(enum sw_phase phase)
{
    return phase == SW_PHASE_TRAIN   ? SWI_STRATUM_TRAIN
           : phase == SW_PHASE_VALID ? SWI_STRATUM_VALID
                                     : SWI_STRATUM_OTHER;
}

/* The duration of some calls, and how many regions began in them. */
struct swi_cost_sum {
    atomic_llong ticks;
    atomic_llong regions;
};

/* The cost of one thread. Reports on other threads read the atomic members. */
struct swi_cost {
    /* Read by each step. */
    bool timing_due; /* the next call must be timed */
    uint32_t left;   /* windows until swi_cost_turn() is called */

    bool sampling;            /* the current window is sampled */
    bool calling;             /* a call is being timed */
    bool closing;             /* the current window ends with this call */
    enum swi_stratum stratum; /* of the window that ends */
    uint32_t weight;          /* how many windows it counts as */
    uint64_t windows;         /* since the fit began */
    uint32_t random;
    int64_t shortest; /* shortest time from the begin of a call to where it is timed; INT64_MAX:
                         none yet */

    int depth;     /* of rare work within rare work */
    int64_t began; /* when the outermost of it began */
    int64_t found; /* ticks that the current call needed to find the thread's state */

    atomic_llong rare;   /* ticks of all rare work, and of timing the calls of closed windows */
    atomic_llong before; /* those of them before the fit */
    struct swi_cost_sum window;              /* the current window */
    atomic_llong timing;                     /* what timing the calls of the window took */
    struct swi_cost_sum all[SWI_STRATA];     /* windows that stand for themselves */
    struct swi_cost_sum sampled[SWI_STRATA]; /* windows that stand for others too */
};

/* A call that is timed. */
struct swi_timed_call {
    int64_t entered; /* the earliest time that could be read; 0: none */
    int64_t began, ended;
    int64_t rare; /* `rare` when the call began */
    int depth;    /* open regions when the call began */
};

/* Clears all figures. The next window is the first. */
void swi_cost_reset(struct swi_cost *cost);
/* Clears all figures when a fit begins. The current call and the current rare work count for the
 * new fit. */
void swi_cost_restart(struct swi_cost *cost);

/* Copies the figures that swi_cost_ticks() uses. */
void swi_cost_copy(const struct swi_cost *from, struct swi_cost *to);

/* Ends a window. Called when `left` has reached 0. folded: the window is one of 128 regions, not a
 * step. */
void swi_cost_turn(struct swi_cost *cost, enum swi_stratum stratum, bool folded);

void swi_cost_rare_work_begin(struct swi_cost *cost, int64_t now);
void swi_cost_rare_work_end(struct swi_cost *cost, int64_t now);
/* Adds the time that the current call took to find the thread's state. */
void swi_cost_found(struct swi_cost *cost, int64_t ticks);

void swi_cost_call_begin(struct swi_cost *cost, struct swi_timed_call *call);
/* empty: how long timing an empty call takes. longest: a call that took longer was interrupted or
 * waited. now: the time after everything. */
void swi_cost_call_end(struct swi_cost *cost, const struct swi_timed_call *call, bool begun,
                       int64_t empty, int64_t longest, int64_t now);

/* Returns the estimated ticks in total. regions: how many regions were counted in each stratum. Any
 * thread may call it. */
double swi_cost_ticks(const struct swi_cost *cost, const int64_t regions[SWI_STRATA]);

#endif
