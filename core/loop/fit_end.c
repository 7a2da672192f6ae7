/* SPDX-License-Identifier: MIT */
#include "core/loop/fit_end.h"
#include "core/loop/counting.h"
#include "core/loop/fit.h"
#include "core/loop/misuse.h"
#include "core/loop/stack.h"
#include "core/loop/step.h"
#include "core/loop/tracing.h"
#include "core/loop/waiting_regions.h"
#include "core/records/report_record.h"

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
    SWI_SET(progress->fit_epochs, SWI_GET(progress->fit_epochs) + 1);
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
    sw->measured.fits++;
    sw->measured.last_loop = loop;
    pthread_mutex_lock(&sw->measured.lock);
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
    SWI_SET(progress->fit_ticks, now - SWI_GET(progress->fit_start));
    if (sw->loop.values.count)
        swi_recorder_metrics(&sw->records, &sw->loop.values, NULL, NULL, swi_step_last(sw), now);
    bool noted = thread->fits_noted > sw->measured.fits_folded;
    swi_fold_others(&sw->measured, thread, now, noted ? thread->fits_noted : UINT64_MAX);
    sw->measured.fit_ending = noted ? thread->fits_noted : UINT64_MAX;
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

static void fit_end(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    int depth = swi_frame_of(thread, SW_FIT);
    if (depth)
        swi_regions_discard(sw, thread, depth, now);
    if (depth)
        swi_phase_end(sw, thread, now);
    else
        fit_ended(sw, thread, now); /* a pause on another thread has removed its frame */
}

void swi_fit_replace(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    if (!SWI_GET(sw->measured.progress.fit_inserted))
        swi_misuse(sw, thread, SWI_BEGUN_TWICE, SW_FIT, -1);
    swi_misuses_crossed(sw, thread, swi_frame_of(thread, SW_FIT), SW_FIT);
    fit_end(sw, thread, now);
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
    fit_end(sw, loop, now);
    return now;
}
