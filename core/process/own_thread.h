/* SPDX-License-Identifier: MIT */
/* own_thread.h - what may not interrupt our own code: signals of the program, cancellation. */
#ifndef CORE_PROCESS_OWN_THREAD_H
#define CORE_PROCESS_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>

/* For a thread of ours: blocks all signals but those of its own faults. old: the mask before. */
void swi_signals_block(sigset_t *old);

/* A thread that is cancelled in the middle of one of our calls would hold a lock for ever. */
static inline int swi_cancel_hold(void)
{
    int state = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static inline void swi_cancel_release(int state)
{
    pthread_setcancelstate(state, NULL);
}

#endif
