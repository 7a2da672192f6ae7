/* SPDX-License-Identifier: MIT */
/* ended.h - a region that has ended and is not in its row yet, or not completely. */
#ifndef CORE_ROWS_ENDED_H
#define CORE_ROWS_ENDED_H

#include "core/rows/row.h"

/* Used instead of `self`: the region is already in the sums of its row, but not in the histogram.
 */
#define SWI_COUNTED INT64_MIN

/* The thread that measures writes; others may read meanwhile. */
struct swi_ended {
    _Atomic(struct swi_row *) row;
    atomic_llong ticks;
    atomic_llong self;
};

/* Other threads look at the row of a region whose row may be new. */
static inline struct swi_row *swi_ended_row(const struct swi_ended *ended)
{
    return atomic_load_explicit(&ended->row, memory_order_acquire);
}

#endif
