/* SPDX-License-Identifier: MIT */
#include "core/loop/step_apart.h"
#include "core/loop/tracing.h"
#include "core/rows/shaped.h"

static bool is_draw(const struct swi_thread *thread, uint32_t i)
{
    return SWI_GET(SWI_GET(thread->ended)[i].row)->action == SW_DRAW;
}

void swi_step_counts(const struct swi_thread *thread, struct swi_step_parts parts, uint32_t from)
{
    for (uint32_t i = from; i < parts.count; i++)
        if (!parts.leave_out || (i < parts.first && !is_draw(thread, i)))
            swi_counts_fold(thread, i);
}

void swi_step_counts_between(const struct swi_thread *thread, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (SWI_GET(SWI_GET(thread->ended)[i].self) == SWI_COUNTED || !is_draw(thread, i))
            swi_counts_fold(thread, i);
        else
            swi_counts_shift(SWI_GET(thread->counting), kept++, i);
    }
}

/* The first window begins so that it is full when its first values are logged. */
static void window_add(struct sw_profiler *sw, const struct swi_thread *thread,
                       struct swi_step_parts parts)
{
    struct swi_window_counts *counts = &sw->loop.window_counts;
    const struct swi_counting *counting = SWI_GET(thread->counting);
    if (sw->loop.window.pushed == sw->measured.chosen.drop + 1)
        swi_window_counts_reset(counts);
    for (uint32_t i = 0; i < parts.count; i++) {
        const struct swi_row *row = SWI_GET(SWI_GET(thread->ended)[i].row);
        bool outside = i < parts.first && row->action != SW_DRAW;
        if (outside || row->is_inner)
            continue;
        swi_window_counts_add(counts, counting, i, swi_action_base(row->action));
        if (row->action == SW_DRAW || i + 1 == parts.count)
            swi_window_counts_add(counts, counting, i, SW_STEP);
    }
    counts->steps++;
}

void swi_step_apart(struct sw_profiler *sw, struct swi_thread *thread, struct swi_step_parts parts,
                    struct swi_row *row, int64_t now)
{
    if (thread->tracing)
        swi_trace(sw, thread, SW_REGION_END, SW_BATCH, now, parts.samples);
    if (!SWI_GET(thread->counting))
        return;
    swi_step_counts(thread, parts, 0);
    if (row && !parts.leave_out)
        swi_counts_step(thread, row, parts.first, parts.count);
    if (thread->phase == SW_PHASE_TRAIN)
        window_add(sw, thread, parts);
}
