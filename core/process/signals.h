/* SPDX-License-Identifier: MIT */
/* signals.h - SIGINT, SIGTERM, SIGHUP and crashes while a profiler is open: a thread of ours ends
 * the profilers, and then the program ends as it would have without stepwatch. */
#ifndef CORE_PROCESS_SIGNALS_H
#define CORE_PROCESS_SIGNALS_H

#include <stdbool.h>

struct swi_signal_calls {
    /* What of ours the calling thread is at work for; NULL: it is the program's own. Called in the
     * handler of a crash. */
    void *(*here)(void);
    /* Ends the profilers, on the thread that waits. where: what here() returned at a crash. */
    void (*end)(int signal, bool crashed, void *where);
};

/* Starts the thread that waits for signals and handles those whose default action the program left.
 * Where it runs already, only the latter. calls: must stay. With exit.c's lock held, like
 * swi_signals_stop(). */
void swi_signals_start(const struct swi_signal_calls *calls);

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

/* In the child of a fork: no signal has come there. */
void swi_signals_child(void);

#endif
