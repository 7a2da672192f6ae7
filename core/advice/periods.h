/* SPDX-License-Identifier: MIT */
/* periods.h - finds whether slow steps occur at regular intervals. */
#ifndef CORE_ADVICE_PERIODS_H
#define CORE_ADVICE_PERIODS_H

#include "core/advice/analysis.h"

/* A period. `at` has those of the places that match it. */
struct swi_period {
    int64_t every; /* steps between two slow ones; 0 if the steps have no period */
    size_t count;
    size_t *at;
};

/* Finds a period in the numbers of the steps, then in the distances of the places, then in the
 * places of the steps in their epochs. The first that matches is used. Returns false if out of
 * memory. Call swi_period_fini() in any case. */
bool swi_period_find(struct swi_period *period, const struct swi_places *places,
                     const struct swi_analysis *analysis);
void swi_period_fini(struct swi_period *period);

/* Returns how much longer than usual the places at the period take together. */
double swi_period_cost(const struct swi_period *period, const struct swi_places *places);

#endif
