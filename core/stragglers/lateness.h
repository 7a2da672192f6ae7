/* SPDX-License-Identifier: MIT */
/* lateness.h - how much later than the others each rank arrives in each step, and what the search
 * for a straggler shares. */
#ifndef CORE_STRAGGLERS_LATENESS_H
#define CORE_STRAGGLERS_LATENESS_H

#include "core/stragglers/straggler.h"

/* Parts of a step: a smaller effect is not reported, a smaller spread is not trusted. */
#define SWI_LEAST_EFFECT 0.03
#define SWI_LEAST_SIGMA 0.002

struct swi_lateness {
    const struct swi_rank_durations *data;
    struct swi_straggler *found;
    size_t ranks, steps;
    double *work, *idle; /* [rank * steps + step] */
    double *middle;      /* median idle time of the ranks in each step */
    double *usual;       /* median lateness of each rank */
    double *column;      /* room for two values of each rank and of each step */
    size_t *order;       /* ranks by host */
    bool *row;           /* the slowest ranks */
    bool *high;          /* steps in which a rank is late by far */
    double step, whole;  /* duration of a typical step; sum of the longest steps */
};

/* Makes room and sums up the durations. Returns false if out of memory; release it either way. */
bool swi_lateness_init(struct swi_lateness *f, struct swi_straggler *found,
                       const struct swi_rank_durations *data);
void swi_lateness_fini(struct swi_lateness *f);

static inline double swi_lateness_at(const struct swi_lateness *f, const double *value, size_t rank,
                                     size_t step)
{
    return value[rank * f->steps + step];
}

/* Returns how much later than the median a rank arrives in a step: computed each time, because
 * there are many ranks and steps. */
static inline double swi_lateness_late(const struct swi_lateness *f, size_t rank, size_t step)
{
    return f->middle[step] - swi_lateness_at(f, f->idle, rank, step);
}

/* Fills f->column with the lateness of all ranks in a step. */
double *swi_lateness_column(struct swi_lateness *f, size_t step);

/* Returns the median of the values of all ranks in a step. Overwrites f->column. */
double swi_lateness_median(struct swi_lateness *f, const double *value, size_t step);

/* Returns a bound, in standard deviations, that the largest of n normal values hardly ever exceeds.
 */
double swi_lateness_threshold(size_t n);

#endif
