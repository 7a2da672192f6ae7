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

/* Returns whether the region waits for the end of its step: a draw, what ended in a draw that keeps
 * it, or what ended in a batch. */
static inline bool swi_ended_waits(const struct swi_ended *ended)
{
    return SWI_GET(ended->self) != SWI_COUNTED;
}

/* Other threads look at the row of a region whose row may be new. */
static inline struct swi_row *swi_ended_row(const struct swi_ended *ended)
{
    return atomic_load_explicit(&ended->row, memory_order_acquire);
}

#endif
