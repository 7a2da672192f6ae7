/* SPDX-License-Identifier: MIT */
#include "core/report/report_snapshot.h"

#include "core/counters/counter.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- misuses --------------------------------------------------------------------------------- */

void swi_misuses_init(struct swi_misuses *misuses)
{
    pthread_mutex_init(&misuses->lock, NULL);
}

void swi_misuses_fini(struct swi_misuses *misuses)
{
    pthread_mutex_destroy(&misuses->lock);
}

void swi_misuses_reset(struct swi_misuses *misuses)
{
    pthread_mutex_lock(&misuses->lock);
    for (size_t i = 0; i < misuses->count; i++)
        misuses->item[i].times = 0;
    misuses->more = 0;
    pthread_mutex_unlock(&misuses->lock);
}

void swi_misuse_text(char *text, size_t size, const struct swi_misuse_item *item)
{
    const char *name = sw_action_name(item->action);
    const char *other = item->other < 0 ? "" : sw_action_name(item->other);
    const char *missing = item->action == SW_BATCH ? ": sw_end_batch() is missing" : "";
    switch (item->kind) {
    case SWI_BEGUN_TWICE:
        snprintf(text, size, "%s was begun twice%s", name, missing);
        return;
    case SWI_NOT_BEGUN:
        snprintf(text, size, "%s was ended without a begin", name);
        return;
    case SWI_CANCEL_NOT_BEGUN:
        snprintf(text, size, "%s was cancelled without a begin", name);
        return;
    case SWI_TOO_DEEP:
        snprintf(text, size, "%s is nested too deep", name);
        return;
    case SWI_OPEN_AT_CLOSE:
        snprintf(text, size, "%s was open at sw_close()%s", name, missing);
        return;
    case SWI_AROUND:
        snprintf(text, size, "%s was open when %s began%s", name, other, missing);
        return;
    case SWI_DISCARDED:
        snprintf(text, size, "ending %s discarded %s, which was still open%s", other, name,
                 missing);
        return;
    case SWI_IN_HANDLER:
        snprintf(text, size, "%s was called in a signal handler that interrupted another call",
                 name);
        return;
    case SWI_COUNTED_BACK:
        snprintf(text, size, "sw_count() of %s was called with a negative number",
                 swi_user_counter_name(item->action));
    }
}

static bool list_add(struct sw_report *report, const char *text, int64_t times)
{
    size_t count = report->misuse_count;
    if (!swi_vec_room(&report->misuse, count, sizeof *report->misuse))
        return false;
    struct sw_misuse *list = (struct sw_misuse *)report->misuse;
    list[count] = (struct sw_misuse){.text = strdup(text), .times = times};
    report->misuse_count += list[count].text != NULL;
    return list[count].text != NULL;
}

bool swi_misuses_list(struct swi_misuses *misuses, struct sw_report *report)
{
    char text[SWI_MISUSE_TEXT];
    bool fine = true;
    pthread_mutex_lock(&misuses->lock);
    for (size_t i = 0; i < misuses->count; i++) {
        if (!misuses->item[i].times)
            continue;
        swi_misuse_text(text, sizeof text, &misuses->item[i]);
        fine = list_add(report, text, misuses->item[i].times) && fine;
    }
    if (misuses->more)
        fine = list_add(report, "other kinds", misuses->more) && fine;
    pthread_mutex_unlock(&misuses->lock);
    return fine;
}

bool swi_misuses_copy(struct sw_report *report, const struct sw_report *other)
{
    bool fine = true;
    report->misuse = NULL;
    report->misuse_count = 0;
    for (size_t i = 0; i < other->misuse_count; i++)
        fine =
            list_add(report, sw_report_misuse(other, i)->text, sw_report_misuse(other, i)->times) &&
            fine;
    return fine;
}

void swi_misuses_free(const struct sw_report *report)
{
    for (size_t i = 0; i < report->misuse_count; i++)
        free((char *)report->misuse[i].text);
    free((struct sw_misuse *)report->misuse);
}

/* ---- what a replayed run cost, as its own reports say ---------------------------------------- */

void swi_replayed_costs_add(struct swi_replayed_costs *costs, const struct swi_replayed_cost *cost)
{
    size_t at = costs->count;
    while (at && costs->item[at - 1].fit > cost->fit)
        at--;
    if (at && costs->item[at - 1].fit == cost->fit) {
        costs->item[at - 1] = *cost;
    } else if (swi_vec_grow(&costs->item, costs->count, &costs->room, sizeof *cost)) {
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
    struct swi_replayed_cost unknown = {fit, NAN, 0, 0}, *found = NULL;
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
    bool inserted = measured->progress.fit_inserted;
    *threads_are = loop && !inserted ? SW_PHASE_BEFORE : SW_PHASE_FIT;
    if (loop)
        return loop;
    if (!SWI_GET(measured->progress.fit_number))
        return swi_thread_first(measured);
    *threads_are = SW_PHASE_AFTER;
    return measured->last_loop;
}

static void threads_sum(struct swi_measured *measured, struct swi_snapshot *snapshot)
{
    for (struct swi_thread *thread = swi_first_thread(measured); thread; thread = thread->list) {
        snapshot->misuses += thread->misuses;
        snapshot->discarded += thread->discarded;
        snapshot->discarded_ticks += thread->discarded_ticks;
    }
}

/* Returns how long the fit took. Without a fit, that is the time since the first region. */
static double fit_ticks(struct swi_measured *measured, const struct swi_snapshot *snapshot)
{
    struct swi_progress *progress = &measured->progress;
    if (snapshot->complete)
        return (double)progress->fit_ticks;
    if (!atomic_load(&progress->fit_open))
        return SWI_GET(progress->fit_number) ? 0 : (double)(snapshot->now - snapshot->first);
    progress->elapsed_tick = snapshot->now;
    return (double)(snapshot->now - progress->fit_start);
}

static void misuses_list(struct swi_misuses *misuses, struct swi_snapshot *snapshot)
{
    struct sw_report list = {0};
    snapshot->failed = !swi_misuses_list(misuses, &list);
    snapshot->misuse = list.misuse;
    snapshot->misuse_count = list.misuse_count;
}

/* The steps of the fit that ends, for its findings; of one that the end of the program cuts off,
 * too.
 */
static void findings_take(struct swi_measured *measured, struct swi_snapshot *snapshot)
{
    bool cut_off = atomic_load(&measured->dead) && atomic_load(&measured->progress.fit_open);
    if (!snapshot->complete && !cut_off)
        return;
    snapshot->newest = measured->newest;
    if (!snapshot->complete)
        return;
    pthread_mutex_lock(&measured->lock);
    snapshot->preempted_before = swi_preempted_take(measured, &snapshot->preempted_thread);
    pthread_mutex_unlock(&measured->lock);
}

void swi_snapshot_take(struct swi_reports *reports, struct swi_snapshot *snapshot, int64_t now,
                       bool complete)
{
    struct swi_measured *measured = reports->measured;
    const struct swi_progress *progress = &measured->progress;
    *snapshot = (struct swi_snapshot){
        .complete = complete, .preempted_before = {-1, -1}, .memory = &measured->memory};
    snapshot->loop = loop_thread(measured, &snapshot->threads_are);
    snapshot->now = measured->standing ? measured->pause_tick : now;
    snapshot->first = snapshot->loop ? snapshot->loop->first_tick : now;
    if (snapshot->loop)
        snapshot->elapsed = snapshot->loop->elapsed;
    threads_sum(measured, snapshot);
    snapshot->fit_ticks = fit_ticks(measured, snapshot);
    snapshot->ns_per_tick = swi_clock_rate(&measured->clock);
    snapshot->fit = SWI_GET(progress->fit_number);
    snapshot->inserted = !snapshot->fit || progress->fit_inserted;
    snapshot->epoch = progress->fit_epochs;
    snapshot->step = SWI_GET(progress->step);
    snapshot->dropped_ticks = progress->dropped_ticks;
    snapshot->began_ns =
        snapshot->fit ? progress->fit_began_ns : swi_clock_ns(&measured->clock, snapshot->first);
    misuses_list(&reports->misuses, snapshot);
    findings_take(measured, snapshot);
}

void swi_snapshot_fini(struct swi_snapshot *snapshot)
{
    struct sw_report list = {.misuse = snapshot->misuse, .misuse_count = snapshot->misuse_count};
    swi_misuses_free(&list);
    snapshot->misuse = NULL;
    snapshot->misuse_count = 0;
}
