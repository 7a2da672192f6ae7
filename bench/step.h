/* SPDX-License-Identifier: MIT */
/* step.h - the seven regions of a step, for programs that measure what they cost. */
#ifndef BENCH_STEP_H
#define BENCH_STEP_H

#include <stepwatch/stepwatch.h>

/* All regions of a step; its end, sw_end_batch(), is the caller's. */
static inline __attribute__((always_inline)) void step_regions(struct sw_profiler *sw)
{
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    sw_next(sw, SW_LOSS);
    sw_next(sw, SW_BACKWARD);
    sw_next(sw, SW_OPT_STEP);
    sw_next(sw, SW_ZERO_GRAD);
    sw_end(sw, SW_ZERO_GRAD);
}

#endif
