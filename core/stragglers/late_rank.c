/* SPDX-License-Identifier: MIT */
#include "core/stragglers/late_rank.h"
#include "core/stragglers/slowest.h"
#include "core/stragglers/medians.h"

#include <math.h>
#include <string.h>

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
