/* SPDX-License-Identifier: MIT */
/* own_thread.h - threads of stepwatch, and keeping signals and cancellation of the program from
 * interrupting its code. */
#ifndef CORE_PROCESS_OWN_THREAD_H
#define CORE_PROCESS_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>

/* Starts a thread of stepwatch, which gets no signal but those of its own faults, cannot be
 * cancelled, and computes in the default floating-point environment. Returns 0 or an errno. */
int swi_own_thread_start(pthread_t *thread, void *(*main)(void *arg), void *arg);

/* Returns how long all of them have run on CPUs in this process, ever. */
int64_t swi_own_threads_ns(void);

/* Returns why that failed, and what to do. */
const char *swi_own_thread_error(int rc);

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

/* Blocks the signals that the program handles, except faults and those that ask a program to end.
 * Returns the mask before. */
sigset_t swi_handled_signals_hold(void);

static inline void swi_signals_give_back(const sigset_t *mask)
{
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* From here to the end of the block, a call on a thread of the program that opens or reads files is
 * not interrupted. On file systems in user space (FUSE), each signal with a handler makes such a
 * call fail with EINTR, whatever SA_RESTART says. Signals without a handler still end a program
 * that waits for a file system that hangs. */
#define SWI_UNINTERRUPTED                                                                          \
    __attribute__((cleanup(swi_signals_give_back), unused)) const sigset_t swi_signals_ =          \
        swi_handled_signals_hold()

/* ---- the end of a program whose own threads have ended --------------------------------------- */

/* Ends a program whose own threads have all ended, although threads of stepwatch still run.
 *
 * If main() ended with pthread_exit(), the C library calls exit(0) on the last thread that
 * returns. The threads of stepwatch would prevent that. */

/* Calls exit(0) on a new thread once no thread of the program is left. Threads of stepwatch call it
 * a few times a second. It costs one system call while the main thread lives. */
void swi_last_thread_check(void);

/* Starts a thread that calls swi_last_thread_check(). For a sink that was given up, when the last
 * profiler may be closed. */
void swi_last_thread_watch(void);

void swi_last_thread_child(void);

#endif
