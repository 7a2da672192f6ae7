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

void swi_moment_begin(struct swi_measured *measured, struct swi_moment *moment, bool complete)
{
    *moment = (struct swi_moment){.number = SWI_NOW,
                                  .complete = complete,
                                  .preempted_before = {-1, -1},
                                  .memory = &measured->memory};
    pthread_mutex_lock(&measured->lock);
    moment->loop = loop_thread(measured, &moment->threads_are);
    moment->now = measured->standing ? measured->pause_tick : swi_clock_tick(&measured->clock);
    moment->first = moment->loop ? moment->loop->first_tick : moment->now;
    moment->since = measured->fit_moment;
    pthread_mutex_unlock(&measured->lock);
}

/* Call it with the lock held. The loop's thread may not have subtracted a gap between the clocks
 * yet. */
static void threads_sum(struct swi_measured *measured, struct swi_moment *moment)
{
    moment->misuses = moment->discarded = moment->discarded_ticks = 0;
    moment->elapsed.since = swi_loop_tick(measured, moment->elapsed.since);
    for (struct swi_thread *thread = measured->threads; thread; thread = thread->next) {
        if (thread->fits != measured->fits)
            continue;
        moment->misuses += SWI_GET(thread->misuses);
        moment->discarded += SWI_GET(thread->discarded);
        moment->discarded_ticks += SWI_GET(thread->discarded_ticks);
    }
}

/* Returns how long the fit took. Without a fit, that is the time since the first region. */
static double fit_ticks(struct swi_measured *measured, const struct swi_moment *moment)
{
    if (moment->complete)
        return (double)SWI_GET(measured->progress.fit_ticks);
    if (!atomic_load_explicit(&measured->progress.fit_open, memory_order_acquire))
        return SWI_GET(measured->progress.fit_number) ? 0 : (double)(moment->now - moment->first);
    return (double)swi_fit_elapsed(measured);
}

static void misuses_list(struct swi_misuses *misuses, struct swi_moment *moment)
{
    struct sw_report list = {0};
    swi_moment_fini(moment);
    moment->failed = !swi_misuses_list(misuses, &list);
    moment->misuse = list.misuse;
    moment->misuse_count = list.misuse_count;
}

void swi_moment_rest(struct swi_reports *reports, struct swi_moment *moment)
{
    struct swi_measured *measured = reports->measured;
    const struct swi_progress *progress = &measured->progress;
    pthread_mutex_lock(&measured->lock);
    threads_sum(measured, moment);
    pthread_mutex_unlock(&measured->lock);
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
}

/* How many moments have steps of a fit. */
enum { HELD_MOST = 4 };
static atomic_int held;

void swi_moment_findings(struct swi_measured *measured, struct swi_moment *moment)
{
    pthread_mutex_lock(&measured->lock);
    struct swi_newest_steps *newest = atomic_exchange(&measured->newest, NULL);
    moment->preempted_before = swi_preempted_take(measured, &moment->preempted_thread);
    pthread_mutex_unlock(&measured->lock);
    moment->newest_pool = &measured->newest_pool;
    if (newest && atomic_fetch_add(&held, 1) >= HELD_MOST) {
        atomic_fetch_sub(&held, 1);
        swi_newest_give_back(moment->newest_pool, newest);
        newest = NULL;
    }
    moment->newest = newest;
}

static void newest_free(struct swi_moment *moment)
{
    if (!moment->newest)
        return;
    atomic_fetch_sub(&held, 1);
    swi_newest_give_back(moment->newest_pool, moment->newest);
    moment->newest = NULL;
}

void swi_moment_fini(struct swi_moment *moment)
{
    struct sw_report list = {.misuse = moment->misuse, .misuse_count = moment->misuse_count};
    swi_misuses_free(&list);
    moment->misuse = NULL;
    moment->misuse_count = 0;
    newest_free(moment);
}
