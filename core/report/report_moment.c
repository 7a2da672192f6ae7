/* SPDX-License-Identifier: MIT */
#include "core/report/report_moment.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a replayed run cost, as its own reports say ---------------------------------------- */

static bool room_make(struct swi_replayed_costs *costs)
{
    if (costs->count < costs->room)
        return true;
    size_t room = costs->room ? 2 * costs->room : 8;
    struct swi_replayed_cost *grown = realloc(costs->item, room * sizeof *grown);
    if (!grown)
        return false;
    costs->item = grown;
    costs->room = room;
    return true;
}

void swi_replayed_costs_add(struct swi_replayed_costs *costs, const struct swi_replayed_cost *cost)
{
    size_t at = costs->count;
    while (at && costs->item[at - 1].fit > cost->fit)
        at--;
    if (at && costs->item[at - 1].fit == cost->fit) {
        costs->item[at - 1] = *cost;
    } else if (room_make(costs)) {
        memmove(costs->item + at + 1, costs->item + at, (costs->count++ - at) * sizeof *cost);
        costs->item[at] = *cost;
    }
}

static int compare(const void *a, const void *b)
{
    const struct swi_replayed_cost *x = a, *y = b;
    return (x->fit > y->fit) - (x->fit < y->fit);
}

struct swi_replayed_cost swi_replayed_costs_of(const struct swi_replayed_costs *costs, int fit)
{
    struct swi_replayed_cost unknown = {fit, NAN, 0}, *found = NULL;
    if (costs->count)
        found = bsearch(&unknown, costs->item, costs->count, sizeof unknown, compare);
    return found ? *found : unknown;
}

void swi_replayed_costs_fini(struct swi_replayed_costs *costs)
{
    free(costs->item);
    *costs = (struct swi_replayed_costs){0};
}

/* ---- everything in a report besides the rows ------------------------------------------------- */

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
