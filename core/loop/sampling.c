/* SPDX-License-Identifier: MIT */
#include "core/loop/sampling.h"
#include "core/loop/near_stack.h"

/* A call that took longer than 16 us was interrupted or waited. */
#define LONG_PER_SECOND 62500

/* ---- windows --------------------------------------------------------------------------------- */

static void timing_apply(const struct sw_profiler *sw, const struct swi_thread *thread)
{
    struct swi_known *known = swi_known_of(&sw->measured);
    if (known->thread == thread && thread->cost.timing_due)
        known->counted = 0;
}

void swi_sampling_wait(struct sw_profiler *sw, struct swi_thread *thread)
{
    bool looks = thread->claimed && SWI_GET(sw->loop.windows_due);
    thread->window_left = thread->window_span = looks ? 1 : thread->cost.left;
}

void swi_sampling_restart(struct sw_profiler *sw, struct swi_thread *thread)
{
    swi_cost_restart(&thread->cost);
    swi_sampling_wait(sw, thread);
    timing_apply(sw, thread);
}

void swi_sampling_next_fit(struct sw_profiler *sw, struct swi_thread *thread)
{
    swi_cost_copy(&thread->cost, &thread->cost_before);
    swi_cost_reset(&thread->cost);
    atomic_store(&thread->cost_fits, atomic_load(&sw->measured.fits_ended));
    swi_sampling_wait(sw, thread);
    timing_apply(sw, thread);
}

static void window_end(struct sw_profiler *sw, struct swi_thread *thread, uint32_t windows,
                       bool folded)
{
    struct swi_cost *cost = &thread->cost;
    cost->left -= windows < cost->left ? windows : cost->left;
    if (cost->left)
        return;
    swi_cost_turn(cost, swi_stratum_of(swi_near_phase(thread)), folded);
    timing_apply(sw, thread);
}

void swi_sampling_batch_ended(struct sw_profiler *sw, struct swi_thread *thread)
{
    window_end(sw, thread, thread->window_span, false);
    swi_sampling_wait(sw, thread);
}

void swi_sampling_chunk_ended(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint32_t ended = thread->window_span - thread->window_left;
    window_end(sw, thread, ended + 1, true);
    thread->window_left = thread->window_span = thread->cost.left;
}

/* ---- calls ----------------------------------------------------------------------------------- */

void swi_timed_begin(struct sw_profiler *sw, struct swi_thread *thread, int64_t entered,
                     struct swi_timed_call *call)
{
    *call = (struct swi_timed_call){.entered = entered, .depth = swi_near_depth(thread)};
    swi_cost_call_begin(&thread->cost, call);
    swi_known_look_again(sw, thread);
}

void swi_timed_end(struct sw_profiler *sw, struct swi_thread *thread,
                   const struct swi_timed_call *call, bool begun)
{
    int64_t longest = SWI_GET(sw->measured.clock.second) / LONG_PER_SECOND;
    swi_cost_call_end(&thread->cost, call, begun, sw->measured.chosen.timing_cost, longest,
                      swi_cost_now(&sw->measured.clock));
    swi_sampling_wait(sw, thread);
    swi_known_look_again(sw, thread);
}

/* The shortest of some rounds, which was not interrupted. */
int64_t swi_timing_cost(struct sw_profiler *sw)
{
    enum { ROUNDS = 64 };
    struct swi_thread thread = {.number = 0}; /* without memory for regions */
    int64_t least = INT64_MAX;
    thread.top = thread.near;
    swi_cost_reset(&thread.cost);
    for (int i = 0; i < ROUNDS; i++) {
        SWI_TIMED(sw, &thread, 0, (void)0, false);
        int64_t took = SWI_GET(thread.cost.window.ticks);
        SWI_SET(thread.cost.window.ticks, 0);
        least = took < least ? took : least;
    }
    return least;
}
