/* SPDX-License-Identifier: MIT */
#include "core/report/report_moment.h"

/* Returns the loop's thread. threads_are: set to the phase that its rows `threads` are shown in.
 * They are part of a fit that the program did not begin. */
static struct swi_thread *loop_thread(struct swi_measured *measured, enum sw_phase *threads_are)
{
    struct swi_thread *loop = atomic_load(&measured->loop);
    bool inserted = SWI_GET(measured->progress.fit_inserted);
    *threads_are = loop && !inserted ? SW_PHASE_BEFORE : SW_PHASE_FIT;
    if (loop)
        return loop;
    if (!SWI_GET(measured->progress.fit_number))
        return swi_thread_first(measured);
    *threads_are = SW_PHASE_AFTER;
    return measured->last_loop;
}

static void threads_sum(struct swi_measured *measured, struct swi_moment *moment)
{
    for (struct swi_thread *thread = measured->threads; thread; thread = thread->list) {
        moment->misuses += thread->misuses;
        moment->discarded += thread->discarded;
        moment->discarded_ticks += thread->discarded_ticks;
    }
}

/* Returns how long the fit took. Without a fit, that is the time since the first region. */
static double fit_ticks(struct swi_measured *measured, const struct swi_moment *moment)
{
    struct swi_progress *progress = &measured->progress;
    if (moment->complete)
        return (double)SWI_GET(progress->fit_ticks);
    if (!atomic_load(&progress->fit_open))
        return SWI_GET(progress->fit_number) ? 0 : (double)(moment->now - moment->first);
    SWI_SET(progress->elapsed_tick, moment->now);
    return (double)(moment->now - SWI_GET(progress->fit_start));
}

static void misuses_list(struct swi_misuses *misuses, struct swi_moment *moment)
{
    struct sw_report list = {0};
    moment->failed = !swi_misuses_list(misuses, &list);
    moment->misuse = list.misuse;
    moment->misuse_count = list.misuse_count;
}

/* The steps of the fit that ends, for its findings; of one that the end of the program cuts off,
 * too.
 */
static void findings_take(struct swi_measured *measured, struct swi_moment *moment)
{
    bool cut_off = atomic_load(&measured->dead) && atomic_load(&measured->progress.fit_open);
    if (!moment->complete && !cut_off)
        return;
    moment->newest = measured->newest;
    if (!moment->complete)
        return;
    pthread_mutex_lock(&measured->lock);
    moment->preempted_before = swi_preempted_take(measured, &moment->preempted_thread);
    pthread_mutex_unlock(&measured->lock);
}

void swi_moment_take(struct swi_reports *reports, struct swi_moment *moment, int64_t now,
                     bool complete)
{
    struct swi_measured *measured = reports->measured;
    const struct swi_progress *progress = &measured->progress;
    *moment = (struct swi_moment){
        .complete = complete, .preempted_before = {-1, -1}, .memory = &measured->memory};
    moment->loop = loop_thread(measured, &moment->threads_are);
    moment->now = measured->standing ? measured->pause_tick : now;
    moment->first = moment->loop ? moment->loop->first_tick : now;
    if (moment->loop)
        swi_elapsed_copy(&moment->loop->elapsed, &moment->elapsed);
    threads_sum(measured, moment);
    moment->fit_ticks = fit_ticks(measured, moment);
    moment->ns_per_tick = swi_clock_rate(&measured->clock);
    moment->fit = SWI_GET(progress->fit_number);
    moment->inserted = !moment->fit || SWI_GET(progress->fit_inserted);
    moment->epoch = SWI_GET(progress->fit_epochs);
    moment->step = SWI_GET(progress->step);
    moment->dropped_ticks = SWI_GET(progress->dropped_ticks);
    moment->began_ns = moment->fit ? SWI_GET(progress->fit_began_ns)
                                   : swi_clock_ns(&measured->clock, moment->first);
    misuses_list(&reports->misuses, moment);
    findings_take(measured, moment);
}

void swi_moment_fini(struct swi_moment *moment)
{
    struct sw_report list = {.misuse = moment->misuse, .misuse_count = moment->misuse_count};
    swi_misuses_free(&list);
    moment->misuse = NULL;
    moment->misuse_count = 0;
}
