/* SPDX-License-Identifier: MIT */
#include "core/stragglers/lateness.h"
#include "core/stragglers/order_statistics.h"

#include <math.h>
#include <string.h>

/* ---- a rank that is late in most of the run -------------------------------------------------- */

double swi_late_bound(struct swi_lateness *f)
{
    double least = INFINITY;
    for (size_t r = 0; r < f->ranks; r++)
        least = fmin(least, f->usual[r]);
    if (f->ranks <= 2)
        return least + SWI_LEAST_EFFECT * f->step;
    memcpy(f->column, f->usual, f->ranks * sizeof *f->column);
    double sigma = fmax(swi_spread_of(f->column, f->ranks), SWI_LEAST_SIGMA * f->step);
    memcpy(f->column, f->usual, f->ranks * sizeof *f->column);
    double middle = swi_median_of(f->column, f->ranks);
    return middle + fmax(SWI_LEAST_EFFECT * f->step, swi_lateness_threshold(f->ranks) * sigma);
}

bool swi_late_rank_find(struct swi_lateness *f)
{
    size_t rank = 0;
    for (size_t r = 1; r < f->ranks; r++)
        rank = f->usual[r] > f->usual[rank] ? r : rank;
    if (f->usual[rank] < swi_late_bound(f))
        return false;
    swi_slowest_set(f, rank);
    double confidence = swi_slowest_leads(f);
    if (confidence < SWI_LEAST_CONFIDENCE)
        return false;
    swi_slowest_all_steps(f);
    f->found->rank = rank;
    swi_slowest_name(f, "rank", confidence);
    return true;
}

/* ---- a rank that is late in some steps, and by far ------------------------------------------- */

static const double P_VALUE_MAX =
    1e-3; /* probability of naming a rank that is as good as the others */

/* Returns an upper bound of the probability that some rank is the last in k of n steps if the last
 * rank is random in each step. */
static double p_value(size_t k, size_t n, size_t ranks)
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
        if (swi_lateness_late(f, r, step) > swi_lateness_late(f, last, step))
            last = r;
    for (size_t r = 0; r < f->ranks; r++)
        if (r != last)
            second = fmax(second, swi_lateness_late(f, r, step));
    *lead = swi_lateness_late(f, last, step) - second;
    return last;
}

/* Returns whether a rank that is late by this much is late by far. sigma: the spread of all ranks.
 */
static bool is_high(const struct swi_lateness *f, double late, double sigma)
{
    return late >= SWI_LEAST_EFFECT * f->step &&
           late >= swi_lateness_threshold(f->ranks) * fmax(sigma, SWI_LEAST_SIGMA * f->step);
}

size_t swi_late_steps_find(struct swi_lateness *f)
{
    size_t count = 0;
    for (size_t s = 0; s < f->steps; s++) {
        double worst = -INFINITY;
        for (size_t r = 0; r < f->ranks; r++)
            worst = fmax(worst, swi_lateness_late(f, r, s));
        double sigma = swi_spread_of(swi_lateness_column(f, s), f->ranks);
        count += f->high[s] = is_high(f, worst, sigma);
    }
    return count;
}

/* Returns the distance of the marked steps if it is nearly always the same, from 2 on; else 0. */
static size_t period_of(const bool *step, size_t steps)
{
    size_t count = 0, last = 0, period = 0, same = 0;
    for (size_t s = 0; s < steps; s++) {
        if (!step[s])
            continue;
        if (count++ == 1)
            period = s - last;
        same += count > 1 && s - last == period;
        last = s;
    }
    /* One distance in ten may be another one, but not the first. */
    return count > 3 && period > 1 && 10 * same >= 9 * (count - 1) ? period : 0;
}

/* Returns how late the latest rank is without the one that is delayed: the latest of the marked
 * ranks, or of many that are equally fast. */
static double without_delay(const struct swi_lateness *f, size_t step, double sigma)
{
    double late = sqrt(2 * log((double)f->ranks)) * sigma;
    for (size_t r = 0; r < f->ranks; r++)
        late = f->row[r] ? fmax(late, swi_lateness_late(f, r, step)) : late;
    return late;
}

/* Returns the rank that is the last in a step among those that are not marked; their number if
 * there are none. */
static size_t last_unmarked(const struct swi_lateness *f, size_t step)
{
    size_t last = f->ranks;
    for (size_t r = 0; r < f->ranks; r++)
        if (!f->row[r] &&
            (last == f->ranks || swi_lateness_late(f, r, step) > swi_lateness_late(f, last, step)))
            last = r;
    return last;
}

void swi_rank_delays_find(struct swi_lateness *f)
{
    struct swi_rank_delays *delays = &f->found->delays;
    double sum = 0, *times = f->column + f->ranks;
    memset(times, 0, f->ranks * sizeof *times);
    for (size_t s = 0; s < f->steps; s++) {
        size_t last = last_unmarked(f, s);
        double late = last < f->ranks ? swi_lateness_late(f, last, s) : 0;
        double sigma = swi_spread_of(swi_lateness_column(f, s), f->ranks);
        f->high[s] = is_high(f, late, sigma);
        if (!f->high[s])
            continue;
        delays->steps++;
        delays->ranks += times[last] == 0;
        times[last]++;
        delays->most = times[last] > (double)delays->most ? (size_t)times[last] : delays->most;
        sum += fmax(0, late - without_delay(f, s, sigma));
    }
    delays->of_steps = f->steps;
    delays->lost = sum / f->whole;
    delays->period = period_of(f->high, f->steps);
}

/* Keeps only the steps in f->high in which this rank is the last. */
static void steps_of(struct swi_lateness *f, size_t rank)
{
    struct swi_slowness *found = &f->found->slow;
    double lead;
    found->high_steps = 0;
    for (size_t s = 0; s < f->steps; s++) {
        f->high[s] = f->high[s] && last_in(f, s, &lead) == rank;
        if (f->high[s] && found->high_steps++ == 0)
            found->first_step = s;
        found->last_step = f->high[s] ? s : found->last_step;
    }
    found->period = period_of(f->high, f->steps);
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
    if (p_value(times, high, f->ranks) > P_VALUE_MAX ||
        mine / (double)f->steps < SWI_LEAST_EFFECT / 4 * f->step)
        return false;
    swi_slowest_set(f, rank);
    steps_of(f, rank);
    f->found->rank = rank;
    swi_slowest_name(f, "intermittent", mine / total);
    return true;
}
