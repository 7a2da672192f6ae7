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
    double *work;       /* [rank * steps + step] */
    float *idle;        /* the same; those of the action, if only one waits */
    float *idle_sums;   /* NULL if only one waits */
    double *middle;     /* median idle time of the ranks in each step */
    double *usual;      /* median lateness of each rank */
    double *column;     /* room for two values of each rank and of each step */
    size_t *order;      /* ranks by host */
    bool *row;          /* the slowest ranks */
    bool *high;         /* steps in which a rank is late by far */
    double step, whole; /* duration of a typical step; sum of the longest steps */
};

/* Makes room and sums up the durations. Returns false if out of memory; release it either way. */
bool swi_lateness_init(struct swi_lateness *f, struct swi_straggler *found,
                       const struct swi_rank_durations *data);
void swi_lateness_fini(struct swi_lateness *f);

static inline double swi_lateness_at(const struct swi_lateness *f, const float *value, size_t rank,
                                     size_t step)
{
    return (double)value[rank * f->steps + step];
}

static inline double swi_lateness_work(const struct swi_lateness *f, size_t rank, size_t step)
{
    return f->work[rank * f->steps + step];
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
double swi_lateness_median(struct swi_lateness *f, const float *value, size_t step);

/* Returns a bound, in standard deviations, that the largest of n normal values hardly ever exceeds.
 */
double swi_lateness_threshold(size_t n);

/* ---- the ranks that keep the others waiting (slowest.c) ---- */

/* f->row names them, and f->high the steps that count. In this part of the blocks of a run one of
 * them must be the last. */
#define SWI_LEAST_CONFIDENCE 0.7

/* Makes one rank the only one. */
void swi_slowest_set(struct swi_lateness *f, size_t rank);

/* Makes all steps count. */
void swi_slowest_all_steps(struct swi_lateness *f);

/* Returns in which part of the blocks of steps they are the last. */
double swi_slowest_leads(struct swi_lateness *f);

/* Describes them: the action with the largest loss, the wait, the gain. */
void swi_slowest_describe(struct swi_lateness *f, struct swi_slowness *slow);

/* Names them in f->found, and describes them. */
void swi_slowest_name(struct swi_lateness *f, const char *verdict, double confidence);

/* ---- a rank that is late in most of the run, or in some steps and by far (late_rank.c) ---- */

/* Returns from which usual lateness on a rank is slow, and not only the latest by chance. */
double swi_late_bound(struct swi_lateness *f);

/* Looks for a rank that is late in most of the run. Returns true if it is found, and names it in
 * f->found. */
bool swi_late_rank_find(struct swi_lateness *f);

/* Marks in f->high the steps in which some rank is late by far. Returns their number. */
size_t swi_late_steps_find(struct swi_lateness *f);

/* Returns true if one rank is late in so many of those steps that it is hardly chance, and names it
 * in f->found. */
bool swi_sometimes_late_find(struct swi_lateness *f, size_t high);

/* Fills in f->found->delays: steps in which a rank is late by far that f->row does not mark. */
void swi_rank_delays_find(struct swi_lateness *f);

#endif
