/* SPDX-License-Identifier: MIT */
#include "core/loop/ended_regions.h"
#include "core/loop/clock_gap.h"
#include "core/loop/sampling.h"
#include "core/loop/step.h"
#include "core/loop/step_calls.h"
#include "core/process/own_floats.h"
#include "core/report/snapshot.h"

/* Counts region i now: it ended in a draw that no batch follows. */
static void count_now(struct swi_thread *thread, uint32_t i)
{
    struct swi_ended *ended = &SWI_GET(thread->ended)[i];
    if (SWI_GET(thread->counting))
        swi_counter_use_fold(thread, i);
    swi_row_sum(SWI_GET(ended->row), SWI_GET(ended->ticks), SWI_GET(ended->self));
    SWI_SET(ended->self, SWI_COUNTED);
}

void swi_drawn_count(struct swi_thread *thread, uint32_t first)
{
    const struct swi_ended *ended = SWI_GET(thread->ended);
    uint32_t count = swi_ended_count(thread);
    swi_thread_change(thread);
    for (uint32_t i = first; i < count; i++)
        if (swi_ended_waits(&ended[i]) && SWI_GET(ended[i].row)->action != SW_DRAW)
            count_now(thread, i);
    swi_thread_changed(thread);
}

/* Keeps the regions that ended before `first` and are not draws; discards the rest. */
void swi_ended_discard(struct swi_thread *thread, uint32_t first)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    uint32_t kept = 0, count = swi_ended_count(thread);
    swi_thread_change(thread);
    for (uint32_t i = 0; i < count; i++) {
        if (i >= first || SWI_GET(ended[i].row)->action == SW_DRAW) {
            swi_thread_discard(thread, i, i + 1);
            continue;
        }
        if (swi_ended_waits(&ended[i]))
            count_now(thread, i);
        SWI_SET(ended[kept].row, SWI_GET(ended[i].row));
        SWI_SET(ended[kept].ticks, SWI_GET(ended[i].ticks));
        SWI_SET(ended[kept].self, SWI_GET(ended[i].self));
        kept++;
    }
    swi_ended_count_set(thread, kept);
    SWI_SET(thread->batch_first, -1);
    thread->at_once = true;
    swi_thread_changed(thread);
}

void swi_ended_fold(struct sw_profiler *sw, struct swi_thread *thread)
{
    SWI_OWN_FLOATS;
    swi_waiting_add(sw, thread);
    swi_thread_change(thread);
    swi_thread_fold(thread, 0, swi_ended_count(thread));
    swi_ended_clear(thread);
    swi_thread_changed(thread);
    swi_snapshot_serve(thread);
}

/* Draws, and what ended in them, wait for their batch and come first in its list. The other regions
 * only lack their histograms. */
static void fold_between_steps(struct swi_thread *thread)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    uint32_t kept = 0, count = swi_ended_count(thread);
    const struct swi_counting *counting = SWI_GET(thread->counting);
    swi_thread_change(thread);
    for (uint32_t i = 0; i < count; i++) {
        struct swi_row *row = SWI_GET(ended[i].row);
        int64_t ticks = SWI_GET(ended[i].ticks), self = SWI_GET(ended[i].self);
        if (SWI_LIKELY(self == SWI_COUNTED)) {
            swi_row_bin(row, ticks);
            continue;
        }
        if (counting)
            swi_counter_use_shift(counting, kept, i);
        SWI_SET(ended[kept].row, row);
        SWI_SET(ended[kept].ticks, ticks);
        SWI_SET(ended[kept].self, self);
        kept++;
    }
    swi_ended_count_set(thread, kept);
    swi_thread_changed(thread);
}

/* The batch has more regions than are kept, so the older ones are folded now, without rates. */
static void fold_within_batch(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint32_t first = (uint32_t)SWI_GET(thread->batch_first);
    struct swi_step step = swi_step_of(sw, thread, first, 0, 0);
    swi_waiting_add(sw, thread);
    for (struct swi_row *row = SWI_GET(thread->rows); row && !thread->batch_folded; row = row->next)
        row->step_calls = 0;
    thread->batch_folded = true;
    swi_step_calls_count(step.ended + first, step.count - first, true);
    swi_thread_change(thread);
    if (SWI_GET(thread->counting))
        swi_step_counts(thread, swi_step_parts_of(&step), first);
    for (uint32_t i = first; i < step.count; i++)
        swi_step_region_add(sw, &step, i);
    swi_ended_count_set(thread, first);
    swi_thread_changed(thread);
}

/* More has ended in draws than is kept, so all of it is folded now. */
static void fold_drawn(struct sw_profiler *sw, struct swi_thread *thread)
{
    uint32_t kept = 0, count = swi_ended_count(thread);
    struct swi_step step = swi_step_of(sw, thread, count, 0, 0);
    const struct swi_counting *counting = SWI_GET(thread->counting);
    step.leave_out = swi_is_left_out(sw, thread);
    swi_waiting_add(sw, thread);
    swi_thread_change(thread);
    for (uint32_t i = 0; i < count; i++) {
        if (swi_step_action(&step, i) != SW_DRAW) {
            if (counting && !step.leave_out)
                swi_counter_use_fold(thread, i);
            swi_step_region_add(sw, &step, i);
            continue;
        }
        if (counting)
            swi_counter_use_shift(counting, kept, i);
        SWI_SET(step.ended[kept].row, SWI_GET(step.ended[i].row));
        SWI_SET(step.ended[kept].ticks, SWI_GET(step.ended[i].ticks));
        SWI_SET(step.ended[kept].self, SWI_GET(step.ended[i].self));
        kept++;
    }
    swi_ended_count_set(thread, kept);
    swi_thread_changed(thread);
}

static bool is_long(const struct swi_thread *thread)
{
    return swi_ended_count(thread) + SWI_FOLD >= SWI_ENDED_MAX;
}

void swi_ended_full(struct sw_profiler *sw, struct swi_thread *thread)
{
    SWI_OWN_FLOATS;
    bool in_batch = thread->loop && SWI_GET(thread->batch_first) >= 0;
    swi_gaps_look(sw, thread, swi_clock_tick(&sw->measured.clock));
    if (!thread->loop)
        swi_ended_fold(sw, thread);
    else if (!in_batch)
        fold_between_steps(thread);
    if (!in_batch && is_long(thread))
        fold_drawn(sw, thread);
    uint32_t count = swi_ended_count(thread);
    if (is_long(thread) ||
        (count + SWI_FOLD >= thread->ended_capacity && !swi_thread_grow_ended(thread))) {
        if (in_batch)
            fold_within_batch(sw, thread);
        else
            swi_ended_fold(sw, thread);
    }
    thread->fold_at = SWI_GET(thread->next_ended) + SWI_FOLD;
    swi_snapshot_serve(thread);
    swi_sampling_window_ended(thread, thread->phase, true);
}
