/* SPDX-License-Identifier: MIT */
#include "core/stragglers/late_in_steps.h"
#include "core/stragglers/culprit.h"
#include "core/stragglers/medians.h"

#include <math.h>
#include <string.h>

static const double CHANCE = 1e-3; /* probability of naming a rank that is as good as the others */

/* Returns an upper bound of the probability that some rank is the last in k of n steps if the last
 * rank is random in each step. */
static double by_chance(size_t k, size_t n, size_t ranks)
{
    double p = 1 / (double)ranks, sum = 0;
    for (size_t i = k; i <= n; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
                   (double)i * log(p) + (double)(n - i) * log1p(-p));
    return (double)ranks * sum;
}

/* Returns the rank that is the last in a step, and sets its distance from the second. */
static size_t last_in(const struct swi_lateness *f, size_t step, double *lead)
{
    size_t last = 0;
    double second = -INFINITY;
    for (size_t r = 1; r < f->ranks; r++)
        if (swi_lateness_at(f, f->late, r, step) > swi_lateness_at(f, f->late, last, step))
            last = r;
    for (size_t r = 0; r < f->ranks; r++)
        if (r != last)
            second = fmax(second, swi_lateness_at(f, f->late, r, step));
    *lead = swi_lateness_at(f, f->late, last, step) - second;
    return last;
}

size_t swi_late_steps_find(struct swi_lateness *f)
{
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double worst = -INFINITY;
        for (size_t r = 0; r < f->ranks; r++)
            worst = fmax(worst, swi_lateness_at(f, f->late, r, s));
        double sigma = swi_spread_of(swi_lateness_column(f, f->late, s), f->ranks);
        f->high[s] =
            worst >= SWI_LEAST_EFFECT * f->step &&
            worst >= swi_lateness_threshold(f->ranks) * fmax(sigma, SWI_LEAST_SIGMA * f->step);
        count += f->high[s];
    }
    return count;
}

/* Keeps only the steps in f->high in which this rank is the last. */
static void steps_of(struct swi_lateness *f, size_t rank)
{
    struct swi_straggler *found = f->found;
    double lead;
    found->high_steps = 0;
    for (size_t s = 0; s < f->steps; s++) {
        f->high[s] = f->high[s] && last_in(f, s, &lead) == rank;
        if (f->high[s] && found->high_steps++ == 0)
            found->first_step = s;
        found->last_step = f->high[s] ? s : found->last_step;
    }
}

bool swi_sometimes_late_find(struct swi_lateness *f, size_t high)
{
    double *weight = f->column, total = 0;
    if (high < 3)
        return false;
    memset(weight, 0, f->ranks * sizeof *weight);
    for (size_t s = 0; s < f->steps; s++) {
        double lead;
        size_t last = last_in(f, s, &lead);
        weight[last] += f->high[s] ? lead : 0;
    }
    size_t rank = 0, times = 0;
    for (size_t r = 0; r < f->ranks; r++) {
        rank = weight[r] > weight[rank] ? r : rank;
        total += weight[r];
    }
    double mine = weight[rank], lead;
    for (size_t s = 0; s < f->steps; s++)
        times += f->high[s] && last_in(f, s, &lead) == rank;
    if (by_chance(times, high, f->ranks) > CHANCE ||
        mine / (double)f->steps < SWI_LEAST_EFFECT / 4 * f->step)
        return false;
    swi_culprit_set(f, rank);
    steps_of(f, rank);
    f->found->rank = rank;
    swi_culprit_name(f, "intermittent", mine / total);
    return true;
}
