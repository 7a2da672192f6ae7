/* SPDX-License-Identifier: MIT */
#include "core/loop/fit.h"
#include "core/loop/counting.h"
#include "core/loop/step.h"
#include "core/loop/waiting_regions.h"

#include <string.h>

/* Keeps the steps of this fit for the findings if a sink wants them. */
static void findings_begin(struct sw_profiler *sw)
{
    bool wanted = swi_wants(&sw->records, SW_RECORD_FINDINGS);
    swi_newest_give_back(&sw->measured.newest_pool, sw->measured.newest);
    sw->measured.newest = wanted ? swi_newest_take(&sw->measured.newest_pool) : NULL;
}

void swi_fit_began(struct sw_profiler *sw, struct swi_thread *thread, int64_t start)
{
    struct swi_progress *progress = &sw->measured.progress;
    SWI_SET(progress->fit_start, start);
    SWI_SET(progress->fit_began_ns, swi_clock_ns(&sw->measured.clock, start));
    SWI_SET(progress->fit_own_ns, sw->measured.own_threads_ns);
    SWI_SET(progress->dropped_ticks, 0);
    SWI_SET(progress->fit_epochs, 0);
    SWI_SET(progress->fit_inserted, false);
    for (size_t i = 0; i < sizeof sw->loop.batches / sizeof *sw->loop.batches; i++) {
        sw->loop.not_of_epoch[i] -= sw->loop.batches[i];
        sw->loop.batches[i] = 0;
    }
    swi_rolling_window_reset(&sw->loop.window);
    swi_rolling_counter_use_reset(&sw->loop.window_counts);
    swi_step_history_reset(atomic_load(&sw->records.history));
    findings_begin(sw);
    swi_bottom_clear(thread);
    SWI_SET(progress->fit_number, SWI_GET(progress->fit_number) + 1);
    atomic_store_explicit(&progress->fit_open, true, memory_order_release);
    sw->ending.fit_due = true;
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

static void rows_move(struct swi_thread *thread)
{
    for (uint32_t i = 0; i < thread->ended_count; i++)
        thread->ended[i].row = row_moved(thread, thread->ended[i].row, SW_PHASE_TRAIN);
    for (struct swi_frame *frame = thread->stack + 1; frame <= thread->frame; frame++)
        frame->row =
            row_moved(thread, frame->row, frame->action == SW_DRAW ? SW_PHASE_TRAIN : SW_PHASE_FIT);
}

static void fit_push(struct swi_thread *thread, int depth, struct swi_row *row, int64_t start,
                     int64_t inside)
{
    struct swi_frame *at = thread->stack + depth;
    memmove(at + 1, at, (size_t)(swi_depth(thread) + 1 - depth) * sizeof *at);
    *at = (struct swi_frame){.row = row, .start = start, .inside = inside, .action = SW_FIT};
    thread->frame++;
    thread->open_builtin |= 1U << SW_FIT;
}

/* A loop without a fit gets one, which begins with the thread's first region and lies below the
 * open regions. If these began earlier, within another fit, it begins now. */
static void fit_insert(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    struct swi_row *row = swi_thread_row(thread, SW_PHASE_FIT, SW_FIT);
    if (!row || (swi_depth(thread) + 1 >= thread->frame_capacity && !swi_thread_grow_stack(thread)))
        return;
    bool whole = !swi_depth(thread) || thread->stack[1].start >= thread->first_tick;
    int64_t start = whole ? thread->first_tick : now;
    if (whole)
        rows_move(thread);
    else
        swi_waiting_add(thread);
    swi_counting_insert(thread, whole);
    if (whole)
        fit_push(thread, 1, row, start, thread->stack->inside);
    else
        fit_push(thread, swi_depth(thread) + 1, row, start, 0);
    swi_fit_began(sw, thread, start);
    SWI_SET(sw->measured.progress.fit_inserted, whole);
    swi_recorder_mark(&sw->records, SW_REGION_BEGIN, SW_FIT, start);
}

void swi_loop_claim(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    swi_fold_others(&sw->measured, thread, now, UINT64_MAX);
    if (atomic_load(&sw->measured.loop))
        return;
    atomic_store(&sw->measured.loop, thread);
    thread->claims = false;
    thread->loop = true;
    swi_thread_phase(thread, SW_PHASE_FIT);
    if (action == SW_FIT)
        swi_waiting_add(thread);
    else
        fit_insert(sw, thread, now);
}
