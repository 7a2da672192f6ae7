/* SPDX-License-Identifier: MIT */
/* elapsed.h - how many samples went through train and valid, and how long these took by the clock
 * on the wall: with all that lies between the steps.
 *
 * A part of the loop thread's state, read like its rows: between two looks at its sequence counter
 * (thread.h). Times are ticks. */
#ifndef CORE_ROWS_ELAPSED_H
#define CORE_ROWS_ELAPSED_H

#include "core/rows/row.h"

struct swi_elapsed {
    atomic_llong steps;      /* of both */
    atomic_llong samples[2]; /* of train and valid */
    atomic_llong ticks[2];   /* stretches within train and valid that have ended */
    atomic_int running;      /* the phase of the one that is open; SW_PHASE_FIT: none */
    atomic_llong since;      /* when it began */
    /* Steps outside of train and valid are one stretch of train, from the first one's begin to the
     * last one's end, less what of train and valid lies between. */
    atomic_bool bare;
    atomic_llong first, last;
    atomic_llong between;
    int64_t before; /* all ticks[] at `first` */
};

/* What a reader keeps of it. */
struct swi_elapsed_copy {
    int64_t steps;
    int64_t samples[2], ticks[2];
    enum sw_phase running;
    int64_t since;
};

/* The innermost open of train and valid is another one from now on; SW_PHASE_FIT: there is none. */
void swi_elapsed_run(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t now);

/* A step outside of train and valid that took so many ticks ends now. */
void swi_elapsed_bare(struct swi_elapsed *elapsed, int64_t ticks, int64_t now);

/* Leaves out a pause. */
void swi_elapsed_shift(struct swi_elapsed *elapsed, int64_t paused);

void swi_elapsed_reset(struct swi_elapsed *elapsed);

void swi_elapsed_copy(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy);

/* The same with a step that ends now and is not in it yet: so many samples and ticks. */
void swi_elapsed_copy_with(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy,
                           enum sw_phase phase, int64_t samples, int64_t ticks, int64_t now);

/* Ticks of train (0) or valid (1) until now. */
int64_t swi_elapsed_ticks(const struct swi_elapsed_copy *copy, int phase, int64_t now);

/* Where a phase of steps is in samples[] and ticks[]. */
static inline int swi_elapsed_index(enum sw_phase phase)
{
    return phase == SW_PHASE_VALID;
}

/* A step ends. A sum of as many samples as there may be steps stays a number. */
static inline void swi_elapsed_step(struct swi_elapsed *elapsed, enum sw_phase phase,
                                    int64_t samples)
{
    const int64_t most = INT64_C(1) << 40;
    SWI_ADD(elapsed->steps, 1);
    if (__builtin_expect(samples > 0, 1))
        SWI_ADD(elapsed->samples[swi_elapsed_index(phase)], samples < most ? samples : most);
}

#endif
