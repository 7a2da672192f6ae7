/* SPDX-License-Identifier: MIT */
/* waiting_steps.h - steps of the loop's thread that have ended and are not in their rows yet.
 *
 * After a long step, the rows are no longer in the caches, and to add a step to them takes about a
 * hundred cache lines. So long steps wait, in the order of their ends, and several are added at
 * once (core/loop/step.c). Readers add what waits to what they read of the rows
 * (core/report/snapshot.c). */
#ifndef CORE_ROWS_WAITING_STEPS_H
#define CORE_ROWS_WAITING_STEPS_H

#include "core/rows/ended.h"

enum { SWI_WAITING_STEPS = 16, SWI_WAITING_REGIONS = 112 };

struct swi_waiting_step {
    atomic_uint first;     /* of its regions: the first that ran in the batch */
    atomic_uint count;     /* of its regions; the last is the batch */
    atomic_uint last_draw; /* of its regions; UINT32_MAX: none */
    atomic_int phase;
    atomic_llong samples, draw, batch; /* the last two are ticks */
    atomic_llong number;               /* of the training step */
    atomic_llong end;                  /* tick */
};

struct swi_waiting_steps {
    atomic_uint steps;
    atomic_uint regions;
    int64_t training; /* only the thread itself reads it: how many of the steps are of training */
    /* The rows of the action step, and of train or valid as a whole: those of training first. NULL
     * until a step has changed them since the thread's last moment. */
    struct {
        _Atomic(struct swi_row *) own, whole;
    } rows[2];
    struct swi_waiting_step step[SWI_WAITING_STEPS];
    struct swi_ended region[SWI_WAITING_REGIONS]; /* of all steps, one after the other */
};

/* Returns samples per tick; 0 if the rate is unknown. */
static inline double swi_rate(int64_t samples, int64_t ticks)
{
    return __builtin_expect(samples > 0 && ticks > 0, 1) ? (double)samples / (double)ticks : 0;
}

/* Returns the cost of drawing: the rate of the step less that of the batch. */
static inline double swi_draw_rate(int64_t samples, int64_t draw, int64_t batch)
{
    return swi_rate(samples, draw + batch) - swi_rate(samples, batch);
}

#endif
