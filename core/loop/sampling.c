/* SPDX-License-Identifier: MIT */
#include "core/loop/sampling.h"

/* A call that took longer than 16 us was interrupted or waited. */
#define LONG_PER_SECOND 62500

/* ---- windows --------------------------------------------------------------------------------- */

void swi_sampling_restart(struct swi_thread *thread)
{
    swi_cost_restart(&thread->cost);
    if (swi_current.thread == thread && thread->cost.led)
        swi_current.counted = 0;
}

void swi_sampling_turn(struct swi_thread *thread, enum sw_phase phase, bool folded)
{
    swi_cost_turn(&thread->cost, swi_stratum_of(phase), folded);
    if (swi_current.thread == thread && thread->cost.led)
        swi_current.counted = 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

void swi_timed_begin(struct sw_profiler *sw, struct swi_thread *thread, int64_t entered,
                     struct swi_timed_call *call)
{
    *call = (struct swi_timed_call){.entered = entered, .depth = swi_depth(thread)};
    swi_cost_call_begin(&thread->cost, call);
    swi_current_look_again(sw, thread);
}

void swi_timed_end(struct sw_profiler *sw, struct swi_thread *thread,
                   const struct swi_timed_call *call, bool begun)
{
    int64_t longest = SWI_GET(sw->measured.clock.second) / LONG_PER_SECOND;
    swi_cost_call_end(&thread->cost, call, begun, sw->measured.chosen.timing_cost, longest,
                      swi_cost_now(&sw->measured.clock));
    swi_current_look_again(sw, thread);
}

/* The shortest of some rounds, which was not interrupted. */
int64_t swi_timing_cost(struct sw_profiler *sw)
{
    enum { ROUNDS = 64 };
    struct swi_thread thread = {.number = 0}; /* without memory for regions */
    int64_t least = INT64_MAX;
    swi_cost_reset(&thread.cost);
    for (int i = 0; i < ROUNDS; i++) {
        SWI_TIMED(sw, &thread, 0, (void)0, false);
        int64_t took = SWI_GET(thread.cost.window.ticks);
        SWI_SET(thread.cost.window.ticks, 0);
        least = took < least ? took : least;
    }
    return least;
}
