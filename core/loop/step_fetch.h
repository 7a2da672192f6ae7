/* SPDX-License-Identifier: MIT */
/* step_fetch.h - prefetches memory that the end of a step needs. It is code of step.c, which keeps
 * the step in registers. */
#ifndef CORE_LOOP_STEP_FETCH_H
#define CORE_LOOP_STEP_FETCH_H

#include "core/loop/step_regions.h"

static SWI_INLINE void swi_row_fetch(const struct swi_row *row)
{
    if (SWI_UNLIKELY(!row))
        return;
    __builtin_prefetch(row, 1);
    __builtin_prefetch(&row->rates, 1);
}

static SWI_INLINE void swi_bins_fetch(const struct swi_row *row, int64_t ticks, int64_t samples)
{
    if (SWI_UNLIKELY(!row))
        return;
    __builtin_prefetch(SWI_GET(row->rates), 1);
    swi_recent_fetch(&row->recent, swi_bin((double)ticks));
    swi_recent_fetch(&row->recent_of_rates, swi_bin((double)samples / (double)ticks));
}

static SWI_INLINE void swi_rolling_window_fetch(const struct swi_rolling_window *window)
{
    const size_t most = 16;
    __builtin_prefetch(window->index);
    for (size_t i = 0; i < window->count && i < most; i++)
        __builtin_prefetch(&window->column[i], 1);
}

/* Prefetches all at once. Otherwise each region would wait for its own. */
static SWI_APART void swi_step_fetch(const struct sw_profiler *sw, const struct swi_thread *thread,
                                     const struct swi_step *step)
{
    const uint32_t most = 64; /* a processor can wait for about this many cache lines at once */
    uint32_t count = step->count < most ? step->count : most;
    bool train = step->phase == SW_PHASE_TRAIN;
    const struct swi_row *own = thread->entry[SW_STEP].known[step->phase];
    const struct swi_row *whole = thread->entry[train ? SW_TRAIN : SW_VALID].known[SW_PHASE_FIT];
    swi_row_fetch(own);
    swi_row_fetch(whole);
    for (uint32_t i = 0; i < count; i++)
        swi_row_fetch(SWI_GET(step->ended[i].row));
    if (train)
        swi_rolling_window_fetch(&sw->loop.window);
    swi_bins_fetch(own, step->draw + step->batch, step->samples);
    swi_bins_fetch(whole, step->draw + step->batch, step->samples);
    for (uint32_t i = 0; i < count; i++)
        swi_bins_fetch(SWI_GET(step->ended[i].row), SWI_GET(step->ended[i].ticks), step->samples);
}

#endif
