/* SPDX-License-Identifier: MIT */
/* random_calls.h - scripts of random calls of a loop, the same in each run. */
#ifndef TESTS_SUPPORT_RANDOM_CALLS_H
#define TESTS_SUPPORT_RANDOM_CALLS_H

#include <stepwatch/stepwatch.h>

/* Begins a script, for the calling thread. seed: not 0. */
void random_begin(uint32_t seed);

/* Returns a number from 0 to below `of`. */
uint32_t random_below(uint32_t of);

/* Begins, ends, changes to or cancels the action, ends the batch, or pauses and calls `paused`. */
void random_call(struct sw_profiler *sw, int action, void (*paused)(struct sw_profiler *sw));

#endif
