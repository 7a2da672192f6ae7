/* SPDX-License-Identifier: MIT */
/* slow_places.h - steps that are far slower than their neighbours. */
#ifndef CORE_ADVICE_SLOW_PLACES_H
#define CORE_ADVICE_SLOW_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swi_places {
    size_t count;
    size_t *at;   /* indices of steps, ascending */
    double *more; /* how much longer than usual each of them takes; of all other steps 0 */
    double cost;  /* the sum of that */
};

/* Finds values that are above the lower quartile of the 33 values around them by more than 6
 * deviations and by `least`. size: of each batch; then only batches of equal size are compared, and
 * sizes of fewer than 16 batches are left out. NULL: all are compared. False without memory;
 * swi_places_fini() is due in any case. */
bool swi_places_find(struct swi_places *places, const double *x, size_t n, double least,
                     const int64_t *size);
void swi_places_fini(struct swi_places *places);

#endif
