/* SPDX-License-Identifier: MIT */
#include "core/rows/measured.h"

#include "core/process/preemptions.h"
#include "core/rows/current_profiler.h"

/* ---- how often the loop's thread was preempted before its fit -------------------------------- */

void swi_preempted_open(struct swi_measured *measured)
{
    int thread = swi_current.id;
    measured->preempted = (struct swi_preempted){thread, thread, swi_preemptions_of(thread)};
}

/* Call it with the lock held. */
static int thread_of(const struct swi_measured *measured)
{
    const struct swi_thread *loop = atomic_load(&measured->loop);
    if (!loop)
        loop = measured->last_loop;
    return loop ? loop->owner_id : measured->preempted.opened_by;
}

void swi_preempted_look(struct swi_measured *measured)
{
    pthread_mutex_lock(&measured->lock);
    int thread = thread_of(measured);
    bool stays = atomic_load(&measured->loop) && measured->preempted.thread == thread;
    pthread_mutex_unlock(&measured->lock);
    if (stays || !thread)
        return;
    struct swi_preemptions count = swi_preemptions_of(thread);
    pthread_mutex_lock(&measured->lock);
    measured->preempted.thread = thread;
    measured->preempted.count = count;
    pthread_mutex_unlock(&measured->lock);
}

struct swi_preemptions swi_preempted_take(struct swi_measured *measured, int *thread)
{
    *thread = thread_of(measured);
    bool known = *thread && measured->preempted.thread == *thread;
    measured->preempted.thread = 0;
    return known ? measured->preempted.count : (struct swi_preemptions){-1, -1};
}

/* ---- what a profiler measures: its clock, its threads, its pauses and the loop's progress ---- */

struct swi_thread *swi_thread_first(struct swi_measured *measured)
{
    struct swi_thread *first = NULL;
    for (struct swi_thread *thread = swi_first_thread(measured); thread; thread = thread->list)
        if (thread->number != SWI_SPANS_THREAD && thread->rows &&
            (!first || thread->number < first->number))
            first = thread;
    return first;
}

int64_t swi_loop_tick(struct swi_measured *measured, int64_t tick)
{
    struct swi_thread *loop = atomic_load(&measured->loop);
    if (!loop || !swi_gap_is_pending(measured, loop))
        return tick;
    unsigned gaps = atomic_load(&measured->clock.gaps);
    int64_t now = swi_clock_tick(&measured->clock);
    for (unsigned n = loop->gaps; n != gaps; n++) {
        struct swi_gap gap;
        if (swi_clock_gap(&measured->clock, n, &gap))
            tick = swi_gap_taken_out(&gap, tick, now);
    }
    return tick;
}

int64_t swi_fit_elapsed(struct swi_measured *measured)
{
    struct swi_progress *progress = &measured->progress;
    int64_t now = swi_clock_tick(&measured->clock);
    if (swi_clock_due(&measured->clock, now))
        swi_clock_look(&measured->clock);
    pthread_mutex_lock(&measured->lock);
    now = measured->standing ? swi_loop_tick(measured, measured->pause_tick)
                             : swi_clock_tick(&measured->clock);
    int64_t elapsed = now - swi_loop_tick(measured, SWI_GET(progress->fit_start));
    SWI_SET(progress->elapsed_tick, now);
    pthread_mutex_unlock(&measured->lock);
    return elapsed;
}

static atomic_int users[SWI_KNOWN_PLACES];

void swi_place_take(struct swi_measured *measured)
{
    int least = 0;
    for (int i = 1; i < SWI_KNOWN_PLACES; i++)
        if (atomic_load(&users[i]) < atomic_load(&users[least]))
            least = i;
    atomic_fetch_add(&users[least], 1);
    measured->place = least;
    measured->known_at = swi_known_distance(least);
}

void swi_place_give(const struct swi_measured *measured)
{
    atomic_fetch_sub(&users[measured->place], 1);
}

uint64_t swi_profiler_serial_next(void)
{
    static _Atomic uint64_t serial = 1;
    return atomic_fetch_add(&serial, 1);
}
