/* SPDX-License-Identifier: MIT */
/* signals.h - SIGINT, SIGTERM, SIGHUP and crashes while a profiler is open: a thread of ours ends
 * the profilers, and then the program ends as it would have without stepwatch. */
#ifndef CORE_PROCESS_SIGNALS_H
#define CORE_PROCESS_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Starts the thread that waits for signals and handles those whose default action the program left.
 * Where it runs already, only the latter. With exit.c's lock held, like swi_signals_stop(). */
void swi_signals_start(void);

/* The last profiler is closed: gives the signals back and ends the thread. Where a signal has come
 * meanwhile it does nothing: then swi_signals_park() does not return. */
void swi_signals_stop(void);

/* The signal that is about to end the program; 0: none. */
int swi_signals_came(void);

/* Where a signal is about to end the program: waits for that. What a program would do next must not
 * give it another exit status. Returns on the thread that does it. */
void swi_signals_park(void);

/* In the handler of a crash: waits until what was measured is written, less than a second. */
void swi_signals_crash(int signal);

/* "SIGTERM"; NULL for one that is none of ours. */
const char *swi_signal_name(int signal);

/* For a thread of ours: blocks all signals but those of its own faults. */
void swi_signals_block(sigset_t *old);

void swi_signals_child(void);

/* What is ended by pthread_cancel() in the middle of a call of ours would hold a lock for ever. */
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
