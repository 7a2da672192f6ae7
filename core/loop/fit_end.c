/* SPDX-License-Identifier: MIT */
/* The end of an epoch or a fit is a moment (core/report/report_moment.h), whose report is made
 * later. */
#include "core/loop/fit_end.h"
#include "core/loop/counting.h"
#include "core/loop/step.h"
#include "core/loop/tracing.h"

/* The report includes what the other threads have measured so far. At their next call, they notice
 * and start again from zero (calling_thread.c). */
static void fits_next(struct sw_profiler *sw, struct swi_thread *thread, uint64_t number)
{
    sw->measured.fits++;
    sw->measured.fit_moment = number;
    sw->measured.last_loop = thread;
    thread->fits = sw->measured.fits;
    thread->begun = false;
    swi_bottom_clear(thread);
    atomic_store(&sw->measured.progress.fit_open, false);
}

/* With the lock held. */
static void moment_reached(struct sw_profiler *sw, struct swi_thread *thread, bool complete,
                           uint64_t number)
{
    if (complete)
        fits_next(sw, thread, number);
    swi_thread_at(thread, number, sw->measured.fit_moment);
    if (complete || sw->measured.thread_count > 1)
        atomic_store(&sw->measured.serial, swi_profiler_serial_next());
}

/* Used when nothing more can be kept. */
static uint64_t moment_make_now(struct sw_profiler *sw, struct swi_thread *thread,
                                struct swi_moment *moment)
{
    swi_moment_make(&sw->moments, moment);
    pthread_mutex_lock(&sw->measured.lock);
    uint64_t number = swi_past_skip(&sw->measured.past);
    moment_reached(sw, thread, moment->complete, number);
    pthread_mutex_unlock(&sw->measured.lock);
    return number;
}

/* Returns the number of the moment, or 0 if too many moments are waiting. */
static uint64_t moment_post(struct sw_profiler *sw, struct swi_thread *thread,
                            struct swi_moment *moment)
{
    pthread_mutex_lock(&sw->measured.lock);
    uint64_t number = swi_past_post(&sw->measured.past, moment, sizeof *moment, &moment->number);
    if (number)
        moment_reached(sw, thread, moment->complete, number);
    pthread_mutex_unlock(&sw->measured.lock);
    return number;
}

static bool any_waits(const struct sw_profiler *sw)
{
    return swi_past_waits(&sw->measured.past, SWI_GET(sw->measured.past.newest));
}

/* Call it when all regions of the loop's thread are in their rows. record: gets the report later,
 * or NULL; its reference is taken over. Returns the number of the moment. */
static uint64_t moment_end(struct sw_profiler *sw, struct swi_thread *thread, bool complete,
                           struct swi_record *record)
{
    struct swi_moment moment;
    uint64_t number = 0;
    swi_moment_begin(&sw->measured, &moment, complete);
    swi_elapsed_copy(&thread->elapsed, &moment.elapsed);
    swi_cost_copy(&thread->cost, &moment.cost);
    swi_moment_rest(&sw->reports, &moment);
    moment.record = record;
    if (complete)
        swi_moment_findings(&sw->measured, &moment);
    moment.cuts = complete && swi_wants(&sw->records, SW_RECORD_REGIONS);
    if (complete)
        swi_moments_forget(&sw->moments);
    if (swi_past_is_crowded(&sw->measured.past))
        swi_pipeline_hurry(sw->records.pipeline);
    bool room = swi_past_reserve(&sw->measured.past);
    while (room && !(number = moment_post(sw, thread, &moment)) && any_waits(sw))
        swi_moments_relieve(&sw->moments);
    if (!number)
        return moment_make_now(sw, thread, &moment);
    if (moment.cuts)
        swi_moments_make(&sw->moments, number);
    return number;
}

/* Its report is made later (core/report/report_moment.h). */
static void epoch_report(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    struct swi_record *record = swi_emit_later(&sw->moments, thread, SW_RECORD_EPOCH, now);
    if (record)
        swi_emit_moment(&sw->moments, record, moment_end(sw, thread, false, record));
}

void swi_epoch_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    SWI_SET(sw->measured.progress.fit_epochs, SWI_GET(sw->measured.progress.fit_epochs) + 1);
    /* A replay has time to make each report. */
    bool too_many = !sw->records.run.replayed && swi_past_is_behind(&sw->measured.past);
    if (swi_wants(&sw->records, SW_RECORD_EPOCH) &&
        !swi_pipeline_drops_epoch(sw->records.pipeline, too_many))
        epoch_report(sw, thread, now);
    SWI_SET(sw->measured.progress.epochs, SWI_GET(sw->measured.progress.epochs) + 1);
}

/* Holds the lock of the traces, so that exactly what the report includes comes before it. */
static void report_trace(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    if (thread->tracing && !sw->loop.fit_untold)
        swi_trace(sw, thread, SW_REGION_END, SW_FIT, now, -1);
    swi_regions_hand_over_reported(sw, thread);
}

static void fit_report(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    swi_traces_lock(&sw->traces);
    struct swi_record *record = swi_emit_later(&sw->moments, thread, SW_RECORD_REPORT, now);
    uint64_t number = moment_end(sw, thread, true, record);
    report_trace(sw, thread, now);
    if (record)
        swi_emit_moment(&sw->moments, record, number);
    swi_traces_unlock(&sw->traces);
}

/* Returns false if the run is being ended by another thread, which makes the report and reads the
 * rows. */
static bool report_claim(struct sw_profiler *sw)
{
    enum swi_fit_report due = SWI_REPORT_DUE;
    return atomic_compare_exchange_strong(&sw->ending.fit_report, &due, SWI_REPORT_MAKING);
}

static void thread_leaves_fit(struct sw_profiler *sw, struct swi_thread *thread)
{
    swi_misuses_reset(&sw->reports.misuses);
    thread->loop = false;
    swi_thread_phase(thread, SW_PHASE_THREADS);
    atomic_store(&sw->measured.loop, NULL);
}

void swi_fit_ended(struct sw_profiler *sw, struct swi_thread *thread, int64_t now)
{
    SWI_SET(sw->measured.progress.fit_ticks, now - SWI_GET(sw->measured.progress.fit_start));
    if (sw->loop.values.count)
        swi_emit_metrics(&sw->records, &sw->loop.values, NULL, NULL, swi_step_last(sw), now);
    if (!report_claim(sw))
        return;
    fit_report(sw, thread, now);
    atomic_store(&sw->ending.fit_report, SWI_REPORT_NONE);
    thread_leaves_fit(sw, thread);
}
