/* SPDX-License-Identifier: MIT */
#include "core/loop/sampling.h"

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
    swi_cost_reset(&thread->cost);
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
    swi_cost_turn(cost, folded);
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

/* The shortest of some rounds, which was not interrupted. */
int64_t swi_timing_cost(const struct sw_profiler *sw)
{
    enum { ROUNDS = 64 };
    int64_t least = INT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t began = swi_now_before(sw), took = swi_now_after(sw) - began;
        least = took < least ? took : least;
    }
    return least;
}
