/* SPDX-License-Identifier: MIT */
/* The generator is xorshift: George Marsaglia, Xorshift RNGs, Journal of Statistical Software
 * 8(14), 2003. */
#include "tests/support/random_calls.h"

static _Thread_local uint32_t state;

void random_begin(uint32_t seed)
{
    state = seed;
}

uint32_t random_below(uint32_t of)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % of;
}

void random_call(struct sw_profiler *sw, int action, void (*paused)(struct sw_profiler *sw))
{
    switch (random_below(12)) {
    case 0:
    case 1:
    case 2:
        sw_begin(sw, action);
        return;
    case 3:
    case 4:
    case 5:
        sw_end(sw, action);
        return;
    case 6:
    case 7:
    case 8:
        sw_next(sw, action);
        return;
    case 9:
        sw_end_batch(sw, random_below(64));
        return;
    case 10:
        sw_cancel(sw, action);
        return;
    default:
        sw_pause(sw);
        paused(sw);
        sw_resume(sw);
    }
}
