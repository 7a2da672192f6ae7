/* SPDX-License-Identifier: MIT */
/* slow_places.h - finds steps that are far slower than their neighbours. */
#ifndef CORE_ADVICE_SLOW_PLACES_H
#define CORE_ADVICE_SLOW_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swi_places {
    size_t count;
    size_t *at;   /* indices of steps, ascending */
    double *more; /* how much longer than usual each of them takes; 0 for all other steps */
    double cost;  /* the sum of that */
};

/* Finds values that exceed the lower quartile of the 33 values around them by more than 6
 * deviations and by `least`. size: of each batch; only batches of equal size are compared, and
 * sizes with fewer than 16 batches are left out. NULL: all are compared. Returns false if out of
 * memory. Call swi_places_fini() in any case. */
bool swi_places_find(struct swi_places *places, const double *x, size_t n, double least,
                     const int64_t *size);
void swi_places_fini(struct swi_places *places);

#endif
