/* SPDX-License-Identifier: MIT */
/* periods.h - whether slow steps come at regular intervals. */
#ifndef CORE_ADVICE_PERIODS_H
#define CORE_ADVICE_PERIODS_H

#include "core/advice/slow_places.h"

/* Every so many steps; `at` has those of the places that fit. */
struct swi_period {
    int64_t every; /* 0: there is no period */
    size_t count;
    size_t *at;
};

/* Looks at the numbers of the steps, then at the distances of the places, then at the place of each
 * step in its epoch (within): the first that fits. False without memory; swi_period_fini() is due
 * in any case. */
bool swi_period_find(struct swi_period *period, const struct swi_places *places,
                     const int64_t *number, const int64_t *within, size_t n);
void swi_period_fini(struct swi_period *period);

#endif
