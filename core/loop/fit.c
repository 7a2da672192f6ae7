/* SPDX-License-Identifier: MIT */
#include "core/loop/fit.h"
#include "core/loop/counting.h"
#include "core/loop/misuse.h"
#include "core/loop/recording_windows.h"
#include "core/loop/open_regions.h"
#include "core/loop/step.h"
#include "core/records/report_record.h"

#include <stdlib.h>
#include <string.h>

/* Keeps the steps of this fit for the findings if a sink wants them. */
static void findings_begin(struct sw_profiler *sw)
{
    struct swi_newest_steps *newest = sw->measured.newest;
    bool wanted = swi_wants(&sw->records, SW_RECORD_FINDINGS);
    if (newest && wanted) {
        swi_newest_steps_empty(newest);
        return;
    }
    free(newest);
    sw->measured.newest = wanted ? swi_newest_steps_new() : NULL;
}

void swi_fit_began(struct sw_profiler *sw, struct swi_thread *thread, int64_t start)
{
    struct swi_progress *progress = &sw->measured.progress;
    progress->fit_start = start;
    progress->fit_began_ns = swi_clock_ns(&sw->measured.clock, start);
    progress->fit_own_ns = sw->measured.own_threads_ns;
    progress->dropped_ticks = 0;
    progress->fit_epochs = 0;
    progress->fit_inserted = false;
    for (size_t i = 0; i < sizeof sw->loop.batches / sizeof *sw->loop.batches; i++) {
        sw->loop.not_of_epoch[i] -= sw->loop.batches[i];
        sw->loop.batches[i] = 0;
    }
    swi_rolling_window_reset(&sw->loop.window);
    swi_step_history_reset(sw->records.history);
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

bool swi_fit_is_around(const struct swi_thread *thread)
{
    return !swi_depth(thread) || (thread->begun && thread->stack[1].start >= thread->first_tick);
}

/* A loop without a fit gets one, which begins with the thread's first region and lies below the
 * open regions. If these began earlier, within another fit, it begins now. */
static void fit_insert(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    struct swi_row *row = swi_thread_row(thread, SW_PHASE_FIT, SW_FIT);
    if (!row || (swi_depth(thread) + 1 >= thread->frame_capacity && !swi_thread_grow_stack(thread)))
        return;
    bool whole = swi_fit_is_around(thread);
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
    sw->measured.progress.fit_inserted = whole;
    swi_recorder_mark(&sw->records, SW_REGION_BEGIN, SW_FIT, start);
}

void swi_fit_first_begin(struct swi_thread *thread, int64_t now)
{
    thread->begun = true;
    thread->first_tick = now;
    if (thread->counting)
        swi_counting_first(thread);
}

/* The others may end another fit, so that what began with this thread's region is the next one. */
void swi_loop_claim(struct sw_profiler *sw, struct swi_thread *thread, int action, int64_t now)
{
    swi_fold_others(&sw->measured, thread, now, UINT64_MAX);
    if (atomic_load(&sw->measured.loop))
        return;
    if (!thread->begun)
        swi_fit_first_begin(thread, now);
    atomic_store(&sw->measured.loop, thread);
    thread->claims = false;
    thread->loop = true;
    swi_thread_phase(thread, SW_PHASE_FIT);
    if (action == SW_FIT)
        swi_waiting_add(thread);
    else
        fit_insert(sw, thread, now);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void epoch_report(struct sw_profiler *sw, int64_t now)
{
    swi_reports_prepare(sw);
    swi_recorder_report(&sw->records, SW_RECORD_EPOCH, swi_report_at(&sw->reports, now, false),
                        now);
}

/* All threads are folded up to the same tick. */
static void epoch_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    struct swi_progress *progress = &sw->measured.progress;
    swi_fold_others(&sw->measured, thread, now, UINT64_MAX);
    progress->fit_epochs++;
    if (swi_wants(&sw->records, SW_RECORD_EPOCH) &&
        !swi_pipeline_drops_epoch(sw->records.pipeline, false))
        epoch_report(sw, now);
    SWI_SET(progress->epochs, SWI_GET(progress->epochs) + 1);
}

/* Exactly what the report includes comes before it. */
static void fit_report(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    if (thread->tracing && !sw->loop.fit_implicit)
        swi_trace(sw, thread, SW_REGION_END, SW_FIT, now, NULL);
    swi_reports_prepare(sw);
    struct sw_report *report = swi_report_at(&sw->reports, now, true);
    swi_regions_hand_over(sw);
    swi_last_report_set(&sw->reports, report);
    swi_recorder_report(&sw->records, SW_RECORD_REPORT, report, now);
}

/* ---- the next fit ---------------------------------------------------------------------------- */

/* What a thread has open began before it. */
static void thread_goes_on(struct swi_thread *thread, uint64_t fits)
{
    swi_waiting_add(thread);
    swi_thread_next_fit(thread, fits);
    swi_bottom_clear(thread);
    thread->begun = swi_depth(thread) > 0;
    thread->first_tick = thread->begun ? thread->stack[1].start : 0;
}

static void fits_next(struct sw_profiler *sw, struct swi_thread *loop)
{
    sw->measured.last_loop = loop;
    pthread_mutex_lock(&sw->measured.lock);
    sw->measured.fits++;
    for (struct swi_thread *thread = swi_first_thread(&sw->measured); thread; thread = thread->list)
        thread_goes_on(thread, sw->measured.fits);
    pthread_mutex_unlock(&sw->measured.lock);
    loop->begun = false;
    atomic_store(&sw->measured.progress.fit_open, false);
    swi_misuses_reset(&sw->reports.misuses);
    loop->loop = false;
    swi_thread_phase(loop, SW_PHASE_THREADS);
    atomic_store(&sw->measured.loop, NULL);
}

static void fit_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    struct swi_progress *progress = &sw->measured.progress;
    progress->fit_ticks = now - progress->fit_start;
    bool noted = thread->fits_noted > sw->measured.fits_folded;
    swi_fold_others(&sw->measured, thread, now, noted ? thread->fits_noted : UINT64_MAX);
    sw->measured.fits_folded = noted ? thread->fits_noted : sw->measured.fits_folded;
    if (!sw->ending.fit_due)
        return;
    fit_report(sw, thread, now);
    sw->ending.fit_due = false;
    fits_next(sw, thread);
}

/* ---- the ends -------------------------------------------------------------------------------- */

void swi_phase_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    int action = thread->frame->action;
    swi_waiting_discard(thread, action);
    swi_region_end(sw, thread, -1, now);
    swi_phase_restore(thread, now);
    swi_steps_restart(sw, action);
    swi_fit_findings_cut(sw, action, false);
    if (action == SW_EPOCH)
        epoch_ended(sw, thread, now);
    swi_recorder_mark(&sw->records, SW_REGION_END, action, now);
    if (action == SW_FIT)
        fit_ended(sw, thread, now);
}

void swi_fit_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    int depth = swi_frame_of(thread, SW_FIT);
    if (depth)
        swi_regions_discard(sw, thread, depth, now);
    if (depth)
        swi_phase_end(sw, thread, now);
    else
        fit_ended(sw, thread, now);
}

void swi_fit_replace(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    if (!sw->measured.progress.fit_inserted)
        swi_misuse(sw, thread, SWI_BEGUN_TWICE, SW_FIT, -1);
    swi_misuses_crossed(sw, thread, swi_frame_of(thread, SW_FIT), SW_FIT);
    swi_fit_end(sw, thread, now);
}

static void open_at_close_tell(struct sw_profiler *sw, struct swi_thread *thread)
{
    for (int i = swi_depth(thread) - swi_frame_of(thread, SW_FIT); i-- > 0;)
        swi_misuse(sw, thread, SWI_OPEN_AT_CLOSE, thread->frame[-i].action, -1);
}

/* If a program has only its own actions, they form a fit on the thread that measured first. */
int64_t swi_fit_close(struct sw_profiler *sw)
{
    int64_t now = swi_clock_tick(&sw->measured.clock);
    struct swi_thread *loop = atomic_load(&sw->measured.loop);
    bool none = !loop && !SWI_GET(sw->measured.progress.fit_number);
    if (none)
        loop = swi_thread_first(&sw->measured);
    if (!loop)
        return now;
    if (none)
        swi_loop_claim(sw, loop, SW_STEP, now);
    sw->loop.fit_implicit = none;
    open_at_close_tell(sw, loop);
    swi_fit_end(sw, loop, now);
    return now;
}
