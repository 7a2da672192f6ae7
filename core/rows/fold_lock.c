/* SPDX-License-Identifier: MIT */
#include "core/rows/fold_lock.h"
#include "core/process/own_thread.h"
#include "core/rows/measured.h"

#include <time.h>

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

/* Polls, because the clock of a timed wait may be one that the program has replaced. */
static bool lock_soon(struct swi_fold_lock *lock)
{
    enum { PATIENCE_MS = 500 };
    const struct timespec millisecond = {.tv_nsec = 1000000};
    for (int i = 0; i < PATIENCE_MS; i++) {
        if (pthread_mutex_trylock(&lock->mutex) == 0)
            return true;
        nanosleep(&millisecond, NULL);
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
        locked = lock_soon(lock);
    else
        pthread_mutex_lock(&lock->mutex);
    lock = taken(lock, cancel, locked);
    if (lock && lock->depth == 1)
        lock->fold(lock->arg);
    return lock;
}

struct swi_fold_lock *swi_fold_try(struct swi_measured *measured)
{
    struct swi_fold_lock *lock = &measured->fold;
    int cancel = swi_cancel_hold();
    return taken(lock, cancel, pthread_mutex_trylock(&lock->mutex) == 0);
}

void swi_fold_give(struct swi_fold_lock *lock)
{
    if (!lock)
        return;
    bool last = --lock->depth == 0;
    int cancel = lock->cancel;
    pthread_mutex_unlock(&lock->mutex);
    if (!last)
        return;
    lock->after(lock->arg);
    swi_cancel_release(cancel);
}
