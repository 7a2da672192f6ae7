/* SPDX-License-Identifier: MIT */
/* own_thread.h - keeps signals of the program and cancellation from interrupting stepwatch's code.
 */
#ifndef CORE_PROCESS_OWN_THREAD_H
#define CORE_PROCESS_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>

/* Blocks all signals but those of its own faults, for a thread of stepwatch. old: set to the mask
 * before. */
void swi_signals_block(sigset_t *old);

/* Disables cancellation: a thread that is cancelled in the middle of a call would never release its
 * locks. Returns the state before. */
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
