/* SPDX-License-Identifier: MIT */
/* Finds the loop's thread, and begins its fit. */
#include "core/loop/fit.h"
#include "core/loop/counting.h"
#include "core/loop/ended_regions.h"
#include "core/loop/step.h"
#include "core/loop/tracing.h"
#include "core/process/own_floats.h"

#include <string.h>

/* Keeps the steps of this fit for the findings if a sink wants them. */
static void findings_begin(struct sw_profiler *sw)
{
    bool wanted = swi_wants(&sw->records, SW_RECORD_FINDINGS);
    struct swi_newest_steps *newest = wanted ? swi_newest_take(&sw->measured.newest_pool) : NULL;
    pthread_mutex_lock(&sw->measured.lock);
    struct swi_newest_steps *before = atomic_exchange(&sw->measured.newest, newest);
    pthread_mutex_unlock(&sw->measured.lock);
    swi_newest_give_back(&sw->measured.newest_pool, before);
}

void swi_fit_began(struct sw_profiler *sw, struct swi_thread *thread, int64_t start)
{
    SWI_SET(sw->measured.progress.fit_start, start);
    SWI_SET(sw->measured.progress.fit_began_ns, swi_clock_ns(&sw->measured.clock, start));
    SWI_SET(sw->measured.progress.dropped_ticks, 0);
    SWI_SET(sw->measured.progress.fit_epochs, 0);
    SWI_SET(sw->measured.progress.fit_inserted, false);
    for (size_t i = 0; i < sizeof sw->loop.batches / sizeof *sw->loop.batches; i++) {
        sw->loop.not_of_epoch[i] -= sw->loop.batches[i];
        sw->loop.batches[i] = 0;
    }
    swi_rolling_window_reset(&sw->loop.window);
    swi_rolling_counter_use_reset(&sw->loop.window_counts);
    swi_kept_steps_reset(atomic_load(&sw->records.kept));
    findings_begin(sw);
    swi_bottom_clear(thread);
    SWI_SET(sw->measured.progress.fit_number, SWI_GET(sw->measured.progress.fit_number) + 1);
    atomic_store_explicit(&sw->measured.progress.fit_open, true, memory_order_release);
    atomic_store(&sw->ending.fit_report, SWI_REPORT_DUE);
}

/* Moves open regions, and draws and what ended in them that wait for their batch, from `threads` to
 * the phase where they belong now. What ended earlier stays; report.c assigns it. */
static struct swi_row *row_moved(struct swi_thread *thread, struct swi_row *row,
                                 enum sw_phase phase)
{
    struct swi_row *moved = swi_thread_row(thread, phase, row->action);
    if (moved && row->is_inner)
        moved = swi_thread_inner(thread, moved);
    return moved ? moved : row;
}

/* An open action has no fast entry. When it ends, it gets the one of its phase again. */
static void frame_move(struct swi_thread *thread, struct swi_frame *frame)
{
    struct swi_row *row = frame->row;
    frame->row = row_moved(thread, row, row->action == SW_DRAW ? SW_PHASE_TRAIN : SW_PHASE_FIT);
    if (frame->fast == &thread->unused || frame->row == row)
        return;
    *frame->fast = row;
    frame->fast = swi_thread_fast(thread, frame->row->phase, frame->action);
    *frame->fast = NULL;
}

static void rows_move(struct swi_thread *thread)
{
    struct swi_ended *ended = SWI_GET(thread->ended);
    for (uint32_t i = 0; i < swi_ended_count(thread); i++)
        if (swi_ended_waits(&ended[i]))
            SWI_SET(ended[i].row, row_moved(thread, SWI_GET(ended[i].row), SW_PHASE_TRAIN));
    for (int i = 0; i < swi_depth(thread); i++)
        frame_move(thread, &thread->frame[-i]);
}

/* Moves the innermost region first, so that a signal handler always finds it. */
static void fit_push(struct swi_thread *thread, struct swi_frame *at, struct swi_row *row,
                     int64_t start, int64_t inside)
{
    struct swi_frame fit = {.row = row,
                            .start = start,
                            .inside = inside,
                            .fast = &thread->unused,
                            .action = SW_FIT,
                            .plain = -1};
    struct swi_frame *top = thread->frame + 1;
    *top = top > at ? top[-1] : fit;
    atomic_signal_fence(memory_order_release);
    thread->frame = top;
    for (struct swi_frame *frame = top - 1; frame > at; frame--)
        *frame = frame[-1];
    *at = fit;
}

/* A loop without a fit gets one, which begins with the thread's first region and lies below the
 * open regions. If these began earlier, within another fit, it begins now. */
static void fit_insert(struct sw_profiler *sw, struct swi_thread *thread)
{
    struct swi_row *row = swi_thread_row(thread, SW_PHASE_FIT, SW_FIT);
    if (!row || (thread->frame + 1 >= thread->frame_limit && !swi_thread_grow_stack(thread)))
        return;
    bool whole = !swi_depth(thread) || thread->stack[1].start >= thread->first_tick;
    int64_t start = whole ? thread->first_tick : swi_clock_tick(&sw->measured.clock);
    if (whole)
        rows_move(thread);
    else
        swi_ended_fold(sw, thread);
    swi_counting_insert(thread, whole);
    if (whole)
        fit_push(thread, &thread->stack[1], row, start, thread->stack->inside);
    else
        fit_push(thread, thread->frame + 1, row, start, 0);
    swi_fit_began(sw, thread, start);
    SWI_SET(sw->measured.progress.fit_inserted, whole);
    swi_emit_mark(&sw->records, SW_REGION_BEGIN, SW_FIT, start);
}

void swi_loop_claim(struct sw_profiler *sw, struct swi_thread *thread, int action)
{
    SWI_OWN_FLOATS;
    struct swi_thread *nobody = NULL;
    if (!atomic_compare_exchange_strong(&sw->measured.loop, &nobody, thread))
        return;
    thread->loop = true;
    swi_thread_phase(thread, SW_PHASE_FIT);
    if (action == SW_FIT)
        swi_ended_fold(sw, thread);
    else
        fit_insert(sw, thread);
}
