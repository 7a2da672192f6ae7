/* SPDX-License-Identifier: MIT */
/* cost.h - what stepwatch itself costs the threads of the program, measured while they run.
 *
 * Rare and long work is a piece and is timed every time: a mark, a record, a report, the first call
 * of a thread. All other calls are sampled, in windows: the calls of one step, or those until 128
 * regions are folded. Every call of a sampled window is timed. The first windows of a fit are all
 * sampled. Later ones are at random distances, so that nothing that happens every n steps is always
 * or never in a sample. Samples are extended to the windows between them by the number of regions
 * that began, which the rows count anyway. Calls for an action that is not measured in the
 * profiler's mode are not timed: each takes about a nanosecond, and timing it takes fifty.
 *
 * core/loop/sampling.h times the calls, this file adds up. Ticks are ticks of the counter, or
 * nanoseconds of CLOCK_MONOTONIC if the profiler has another clock. */
#ifndef CORE_ROWS_COST_H
#define CORE_ROWS_COST_H

#include "core/rows/row.h"

/* Steps of train and of valid have different costs; OTHER is outside of both. */
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
    bool led;      /* the next call has to be timed */
    uint32_t left; /* windows until swi_cost_turn() is called */

    bool sampling;            /* the current window is sampled */
    bool calling;             /* a call is being timed */
    bool closing;             /* the current window ends with this call */
    enum swi_stratum stratum; /* of the window that ends */
    uint32_t weight;          /* windows that it counts as */
    uint64_t windows;         /* since the fit began */
    uint32_t random;
    int64_t shortest; /* time from the begin of a call to where it is timed; INT64_MAX: none yet */

    int depth;     /* of nested pieces */
    int64_t began; /* the outermost piece */
    int64_t found; /* ticks that the current call needed to find the thread's state */

    atomic_llong pieces;        /* ticks of all pieces, and of timing the calls of closed windows */
    atomic_llong before;        /* of these, before the fit */
    struct swi_cost_sum window; /* the current one */
    atomic_llong timing;        /* what timing its calls took */
    struct swi_cost_sum all[SWI_STRATA];     /* windows that stand for themselves */
    struct swi_cost_sum sampled[SWI_STRATA]; /* windows that stand for others too */
};

/* A call that is timed. */
struct swi_timed_call {
    int64_t entered; /* as early as it could be read; 0: it was not */
    int64_t began, ended;
    int64_t pieces; /* when it began */
    int depth;      /* open regions then */
};

/* Forgets all figures: the next window is the first. */
void swi_cost_reset(struct swi_cost *cost);
/* The same where a fit begins: the call and the piece under way are of the fit. */
void swi_cost_restart(struct swi_cost *cost);

/* Copies the figures that swi_cost_ticks() uses. */
void swi_cost_copy(const struct swi_cost *from, struct swi_cost *to);

/* Where a window ends, once `left` has come to 0. folded: it is one of 128 regions, not a step. */
void swi_cost_turn(struct swi_cost *cost, enum swi_stratum stratum, bool folded);

void swi_cost_piece_begin(struct swi_cost *cost, int64_t now);
void swi_cost_piece_end(struct swi_cost *cost, int64_t now);
/* The call under way found the thread's state first, which took so long. */
void swi_cost_found(struct swi_cost *cost, int64_t ticks);

void swi_cost_call_begin(struct swi_cost *cost, struct swi_timed_call *call);
/* empty: what timing nothing takes; longest: a call that took longer was interrupted, or waited;
 * now: the time, after all. */
void swi_cost_call_end(struct swi_cost *cost, const struct swi_timed_call *call, bool begun,
                       int64_t empty, int64_t longest, int64_t now);

/* Ticks in all, as far as is known, where so many regions were counted in each stratum. Any thread.
 */
double swi_cost_ticks(const struct swi_cost *cost, const int64_t regions[SWI_STRATA]);

#endif
