/* SPDX-License-Identifier: MIT */
#include "core/rows/measured.h"
#include "core/process/own_thread.h"
#include "core/process/resources.h"
#include "core/process/signals.h"
#include "core/rows/current_profiler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Thread_local struct swi_current swi_current;

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
    static _Atomic uint64_t serial = 8;
    return atomic_fetch_add(&serial, 8);
}

void swi_fold_lock_init(struct swi_fold_lock *lock, const struct swi_fold_lock *calls)
{
    pthread_mutexattr_t recursive;
    *lock = *calls;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock->mutex, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

void swi_fold_others(struct swi_measured *measured, const struct swi_thread *thread, int64_t upto,
                     uint64_t fits)
{
    measured->fold.others(measured->fold.arg, thread, upto, fits);
}

void swi_fold_lock_fini(struct swi_fold_lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

/* The thread that crashed waits for the end, so it touches nothing any more. */
static void inherit(struct swi_measured *measured)
{
    measured->fold.inherited = true;
    measured->fold.depth = 0;
    for (struct swi_thread *thread = swi_first_thread(measured); thread; thread = thread->list)
        thread->folding = false;
}

static bool lock_now(struct swi_measured *measured)
{
    struct swi_fold_lock *lock = &measured->fold;
    if (pthread_mutex_trylock(&lock->mutex) == 0)
        return true;
    if (!swi_signals_inherits(atomic_load(&lock->holder)))
        return false;
    if (!lock->inherited)
        inherit(measured);
    return true;
}

/* Polls, because the clock of a timed wait may be one that the program has replaced. */
static bool lock_soon(struct swi_measured *measured)
{
    enum { PATIENCE_MS = 500 };
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (lock_now(measured))
            return true;
        if (swi_signals_has_crashed(atomic_load(&measured->fold.holder)))
            swi_signals_park(); /* another thread takes over */
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

static struct swi_fold_lock *taken(struct swi_fold_lock *lock, int cancel, bool locked)
{
    if (!locked) {
        swi_cancel_release(cancel);
        return NULL;
    }
    if (lock->depth++ == 0)
        lock->cancel = cancel;
    if (!lock->inherited)
        atomic_store_explicit(&lock->holder, pthread_self(), memory_order_relaxed);
    return lock;
}

struct swi_fold_lock *swi_fold_take(struct swi_measured *measured)
{
    struct swi_fold_lock *lock = &measured->fold;
    bool locked = true;
    if (swi_is_inherited(measured))
        return NULL;
    int cancel = swi_cancel_hold();
    if (atomic_load(&measured->dead))
        locked = lock_soon(measured);
    else
        pthread_mutex_lock(&lock->mutex);
    lock = taken(lock, cancel, locked);
    if (lock && lock->depth == 1)
        lock->fold(lock->arg);
    return lock;
}

bool swi_fold_is_own(struct swi_measured *measured)
{
    return atomic_load(&measured->fold.holder) == pthread_self();
}

struct swi_fold_lock *swi_fold_try(struct swi_measured *measured)
{
    struct swi_fold_lock *lock = &measured->fold;
    int cancel = swi_cancel_hold();
    return taken(lock, cancel, lock_now(measured));
}

void swi_fold_give(struct swi_fold_lock *lock)
{
    if (!lock)
        return;
    bool last = --lock->depth == 0;
    int cancel = lock->cancel;
    if (last && !lock->inherited)
        atomic_store_explicit(&lock->holder, 0, memory_order_relaxed);
    if (!lock->inherited)
        pthread_mutex_unlock(&lock->mutex);
    if (!last)
        return;
    lock->after(lock->arg);
    swi_cancel_release(cancel);
}

void swi_memory_use_init(struct swi_memory_use *use)
{
    *use = (struct swi_memory_use){0};
    pthread_mutex_init(&use->lock, NULL);
}

void swi_memory_use_fini(struct swi_memory_use *use)
{
    for (size_t i = 0; i < use->count; i++)
        swi_curve_free(&use->series[i].bytes);
    use->count = 0;
    pthread_mutex_destroy(&use->lock);
}

/* Returns NULL if it is full. */
static struct swi_memory_series *series_of(struct swi_memory_use *use, const char *name)
{
    for (size_t i = 0; i < use->count; i++)
        if (strcmp(use->series[i].name, name) == 0)
            return &use->series[i];
    struct swi_memory_series *series = &use->series[use->count];
    if (use->count == SWI_MEMORY_SERIES || strlen(name) >= sizeof series->name)
        return NULL;
    *series = (struct swi_memory_series){.name = ""};
    snprintf(series->name, sizeof series->name, "%s", name);
    use->count++;
    return series;
}

void swi_memory_use_add(struct swi_memory_use *use, int fit, const char *name, double t_ns,
                        double bytes)
{
    if (!isfinite(bytes))
        return;
    pthread_mutex_lock(&use->lock);
    for (size_t i = 0; use->fit != fit && i < use->count; i++)
        swi_curve_free(&use->series[i].bytes);
    use->fit = fit;
    struct swi_memory_series *series = series_of(use, name);
    if (series)
        swi_curve_add(&series->bytes, SWI_MEMORY_POINTS, t_ns, bytes);
    pthread_mutex_unlock(&use->lock);
}

void swi_rare_overhead_begin(struct swi_rare_overhead *work, const struct swi_measured *measured)
{
    swi_floats_keep(&work->floats);
    const struct swi_known *known = swi_known_of(measured);
    work->measured = measured;
    work->thread = known->serial == atomic_load(&measured->serial) ? known->thread : NULL;
    work->memory.here = NULL;
    if (work->thread && (work->thread->reading || work->thread->probe))
        swi_memory_save(&work->memory);
    if (work->thread)
        swi_cost_rare_work_begin(&work->thread->cost, swi_cost_now(&measured->clock));
}

void swi_rare_overhead_end(struct swi_rare_overhead *work)
{
    const struct swi_measured *measured = work->measured;
    int64_t ticks =
        work->thread ? swi_cost_rare_work_end(&work->thread->cost, swi_cost_now(&measured->clock))
                     : 0;
    if (ticks)
        measured->fold.rare(measured->fold.arg, work->thread, ticks);
    swi_memory_restore(&work->memory);
    swi_floats_give_back(&work->floats);
}
