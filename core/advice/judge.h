/* SPDX-License-Identifier: MIT */
/* judge.h - what rules look at: the steps after the slow ones at the start. */
#ifndef CORE_ADVICE_JUDGE_H
#define CORE_ADVICE_JUDGE_H

#include "core/advice/advice.h"
#include "core/advice/slow_places.h"

#include <stdbool.h>

/* Fewer steps say nothing. */
enum { SWI_STEPS_LEAST = 32 };

/* An action of the steps that are judged. */
struct swi_judged_action {
    const char *name;
    const double *ns; /* of each of those steps */
    double sum;
    bool standard; /* forward, loss, backward, opt_step, zero_grad or predict */
};

struct swi_judge {
    const struct swi_advised *fit;
    struct swi_advice *advice;
    bool failed; /* no memory */
    size_t finding_room, checked_room;

    /* All steps but the first, if that is dropped. */
    size_t dropped;
    bool enough; /* to say something of single steps */
    bool calm;   /* they do not vary too much for what looks at their means */

    /* The slow steps at the start. */
    size_t warm;
    double warm_cost, warm_total; /* ns: what they took longer; all steps */

    /* The steps after these: all that follows is of them. */
    size_t n;
    const int64_t *number, *samples;
    const bool *first;
    const double *draw, *batch;
    double *s;       /* draw and batch */
    double *scratch; /* room for as many values, also for the longest series */
    double *whole;   /* the same, for what a rule computes of each step */
    int64_t *within; /* place in the epoch */
    double total, typical;
    double rate; /* samples/s, or steps/s */
    bool has_samples;
    size_t actions;
    struct swi_judged_action *action;
    int64_t size;   /* the most frequent size of a batch */
    size_t mains;   /* batches of that size */
    size_t *main;   /* their indices */
    bool contended; /* the processor was taken away now and then */
    double *local;  /* the median batch around each */

    /* What rules leave for those after them. */
    struct swi_places slow_draws, slow_batches;
    bool *explained; /* of each step: why it is slow is said */
    bool irregular_bursts;
    bool asynchronous;
};

/* Prepares the judge; false without memory. swi_judge_fini() is due in any case. */
bool swi_judge_init(struct swi_judge *judge, const struct swi_advised *fit,
                    struct swi_advice *advice);
void swi_judge_fini(struct swi_judge *judge);

#endif
