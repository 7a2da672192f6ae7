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
 * core/loop/timed_calls.h times the calls and notes an event of each, and this file adds them up
 * where the events are folded, so a fit has what was noted in it. Ticks are ticks of the counter,
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

/* ---- on the thread itself -------------------------------------------------------------------- */

/* Which calls of a thread are timed. What they took are events (swi_spent_add()). */
struct swi_cost {
    /* Read by each step. */
    bool timing_due; /* the next call must be timed */
    uint32_t left;   /* windows until swi_cost_turn() is called */

    bool sampling;    /* the current window is sampled */
    bool calling;     /* a call is being timed */
    bool closing;     /* the current window ends with this call */
    uint32_t weight;  /* how many windows it counts as */
    uint64_t windows; /* since the fit began */
    uint32_t random;
    int64_t shortest; /* shortest time from the begin of a call to where it is timed; INT64_MAX:
                         none yet */

    int depth;     /* of rare work within rare work */
    int64_t began; /* when the outermost of it began */
    int64_t rare;  /* ticks of all rare work */
    int64_t found; /* those of finding the thread's state, of rare work in a timed call and of
                      noting what a call took, which no event has yet */
};

/* A call that is timed. */
struct swi_timed_call {
    int64_t entered; /* the earliest time that could be read; 0: none */
    int64_t began, ended;
    int64_t rare; /* `rare` when the call began */
    int depth;    /* open regions when the call began */
};

/* What such a call took: the payload of its event, and the part behind it. */
struct swi_timed_cost {
    int64_t ticks; /* of the call itself */
    int64_t rest;  /* of timing it, of rare work in it, and of an interruption */
    bool begun;    /* it began a region */
    bool alone;    /* all calls around it are timed: it stands for no other */
};

/* A fit begins: all calls are timed at first. */
void swi_cost_reset(struct swi_cost *cost);

/* Ends a window. Called when `left` has reached 0. folded: the window ended with a chunk of events,
 * not with a step. */
void swi_cost_turn(struct swi_cost *cost, bool folded);

void swi_cost_rare_work_begin(struct swi_cost *cost, int64_t now);
/* Returns the ticks that an event is to be noted of, or 0. */
int64_t swi_cost_rare_work_end(struct swi_cost *cost, int64_t now);
/* Adds the time that the current call took to find the thread's state, or to note its cost. */
void swi_cost_found(struct swi_cost *cost, int64_t ticks);

void swi_cost_call_begin(struct swi_cost *cost, struct swi_timed_call *call);
/* empty: how long timing an empty call takes. longest: a call that took longer was interrupted or
 * waited. now: the time after everything. */
struct swi_timed_cost swi_cost_call_end(struct swi_cost *cost, const struct swi_timed_call *call,
                                        bool begun, int64_t empty, int64_t longest, int64_t now);

/* ---- in the fold ----------------------------------------------------------------------------- */

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
    int64_t ticks;
    int64_t regions;
};

/* What a thread's calls cost in a fit, as far as it was timed. */
struct swi_spent {
    int64_t rest;                            /* what stands for itself and is no call */
    enum swi_stratum stratum;                /* of the last call that began a region */
    struct swi_cost_sum alone[SWI_STRATA];   /* calls that stand for themselves */
    struct swi_cost_sum sampled[SWI_STRATA]; /* calls that stand for others too */
};

/* stratum: where the thread is after the call. A call that began nothing belongs to what was begun
 * before it. */
void swi_spent_add(struct swi_spent *spent, enum swi_stratum stratum,
                   const struct swi_timed_cost *cost);

/* Returns the estimated ticks in total. regions: how many regions were counted in each stratum. */
double swi_spent_ticks(const struct swi_spent *spent, const int64_t regions[SWI_STRATA]);

#endif
