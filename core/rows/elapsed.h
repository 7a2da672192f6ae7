/* SPDX-License-Identifier: MIT */
/* elapsed.h - how many samples went through train and valid, and their elapsed time including the
 * time between steps.
 *
 * Part of the state of the loop's thread. Readers copy it like the rows, between two looks at the
 * thread's sequence counter (thread.h). Times are in ticks. */
#ifndef CORE_ROWS_ELAPSED_H
#define CORE_ROWS_ELAPSED_H

#include "core/rows/row.h"

struct swi_elapsed {
    int64_t steps;      /* of train and valid together */
    int64_t samples[2]; /* of train and valid */
    int64_t ticks[2];   /* of the ended stretches */
    int running;        /* the phase of the open stretch; SW_PHASE_FIT: none is open */
    int64_t since;      /* when the open stretch began */
    /* Steps outside of train and valid count as one stretch of train: from the begin of the first
     * to the end of the last, without the stretches of train and valid in between. */
    bool bare;
    int64_t first, last;
    int64_t between;
    int64_t before; /* the sum of ticks[] at `first` */
};

/* A reader's copy of the figures. */
struct swi_elapsed_copy {
    int64_t steps;
    int64_t samples[2], ticks[2];
    enum sw_phase running;
    int64_t since;
};

/* Notes that the innermost open phase of train and valid changes now. phase: SW_PHASE_FIT if none
 * of the two is open. */
void swi_elapsed_run(struct swi_elapsed *elapsed, enum sw_phase phase, int64_t now);

/* Adds a step outside of train and valid that took this many ticks and ends now. */
void swi_elapsed_bare(struct swi_elapsed *elapsed, int64_t ticks, int64_t now);

/* Excludes a pause that took this many ticks. */
void swi_elapsed_shift(struct swi_elapsed *elapsed, int64_t paused);

void swi_elapsed_reset(struct swi_elapsed *elapsed);

void swi_elapsed_copy(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy);

/* Copies the figures and adds a step that ends now and is not in them yet. */
void swi_elapsed_copy_with(const struct swi_elapsed *elapsed, struct swi_elapsed_copy *copy,
                           enum sw_phase phase, int64_t samples, int64_t ticks, int64_t now);

/* Returns the ticks of train (0) or valid (1) until now. */
int64_t swi_elapsed_ticks(const struct swi_elapsed_copy *copy, int phase, int64_t now);

/* Returns the index of a phase in samples[] and ticks[]. */
static inline int swi_elapsed_index(enum sw_phase phase)
{
    return phase == SW_PHASE_VALID;
}

/* Adds a step. Its samples are clamped so that the sum cannot overflow. */
static inline void swi_elapsed_step(struct swi_elapsed *elapsed, enum sw_phase phase,
                                    int64_t samples)
{
    const int64_t most = INT64_C(1) << 40;
    elapsed->steps += 1;
    if (__builtin_expect(samples > 0, 1))
        elapsed->samples[swi_elapsed_index(phase)] += samples < most ? samples : most;
}

#endif
