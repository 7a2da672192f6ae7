/* SPDX-License-Identifier: MIT */
/* ended.h - a region that has ended and waits for the end of its step. */
#ifndef CORE_ROWS_ENDED_H
#define CORE_ROWS_ENDED_H

#include "core/rows/row.h"

struct swi_ended {
    struct swi_row *row;
    int64_t ticks;
    int64_t self;
};

/* Returns samples per tick; 0 if the rate is unknown. */
static inline double swi_rate(int64_t samples, int64_t ticks)
{
    return samples > 0 && ticks > 0 ? (double)samples / (double)ticks : 0;
}

/* Returns the cost of drawing: the rate of the step less that of the batch. */
static inline double swi_draw_rate(int64_t samples, int64_t draw, int64_t batch)
{
    return swi_rate(samples, draw + batch) - swi_rate(samples, batch);
}

#endif
