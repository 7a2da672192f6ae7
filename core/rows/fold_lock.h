/* SPDX-License-Identifier: MIT */
/* fold_lock.h - the lock under which the events of all threads are folded, and all that they lead
 * to is read and written: open regions, rows, the steps of the loop. A thread that only notes
 * events never takes it. */
#ifndef CORE_ROWS_FOLD_LOCK_H
#define CORE_ROWS_FOLD_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct swi_thread;

struct swi_fold_lock {
    pthread_mutex_t mutex; /* recursive: a fold may send messages, and these may ask for a report */
    int depth;             /* of the thread that holds it */
    int cancel;            /* whether it could be cancelled */
    /* What core/loop/fold.c does. Folds all that is published; all threads but one up to a tick,
     * and no further than where they noted that so many fits had ended (UINT64_MAX: up to the
     * tick); the oldest chunk of the calling thread. */
    void (*fold)(void *arg);
    void (*others)(void *arg, const struct swi_thread *thread, int64_t upto, uint64_t fits);
    void (*own_chunk)(void *arg, struct swi_thread *thread);
    void (*after)(void *arg); /* called when the lock was given: sends messages that are due */
    void *arg;
};

struct swi_measured;

/* calls: has the functions. */
void swi_fold_lock_init(struct swi_fold_lock *lock, const struct swi_fold_lock *calls);
void swi_fold_lock_fini(struct swi_fold_lock *lock);

/* Takes the lock and folds all that is published. At the end of a program, whose thread may have
 * crashed with it, waits for half a second at most. Returns NULL if there is no lock, there or in
 * the child of a fork. */
struct swi_fold_lock *swi_fold_take(struct swi_measured *measured);
/* Takes the lock without folding; NULL if another thread has it. */
struct swi_fold_lock *swi_fold_try(struct swi_measured *measured);
void swi_fold_give(struct swi_fold_lock *lock);

void swi_fold_others(struct swi_measured *measured, const struct swi_thread *thread, int64_t upto,
                     uint64_t fits);

static inline void swi_fold_leave(struct swi_fold_lock *const *lock)
{
    swi_fold_give(*lock);
}

/* To the end of the block, everything is folded. */
#define SWI_FOLDED(measured)                                                                       \
    __attribute__((cleanup(swi_fold_leave), unused)) struct swi_fold_lock *const swi_folded_ =     \
        swi_fold_take(measured)

#endif
