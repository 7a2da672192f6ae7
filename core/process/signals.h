/* SPDX-License-Identifier: MIT */
/* signals.h - handles SIGINT, SIGTERM, SIGHUP and crashes while a profiler is open: a thread of
 * stepwatch closes the profilers, and then the program ends as it would have without stepwatch. */
#ifndef CORE_PROCESS_SIGNALS_H
#define CORE_PROCESS_SIGNALS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct swi_signal_calls {
    /* Returns what the calling thread works for, or NULL if it is a thread of the program. Called
     * in the handler of a crash. */
    void *(*here)(void);
    /* Ends the profilers. Called on the thread that waits for signals. where: what here() returned
     * at a crash. */
    void (*end)(int signal, bool crashed, void *where);
};

/* Starts the thread that waits for signals, if it does not run yet, and handles those signals that
 * have their default action or a handler that may follow (core/process/handlers.h). calls must stay
 * valid. Call it, like swi_signals_stop(), with exit.c's lock held. */
void swi_signals_start(const struct swi_signal_calls *calls);

/* Restores the signals and ends the thread, when the last profiler is closed. Does nothing if a
 * signal has arrived meanwhile: then swi_signals_park() does not return. */
void swi_signals_stop(void);

/* Returns the signal that is about to end the program, or 0. */
int swi_signals_came(void);

/* Waits for the end of the program if a signal is about to end it, so that what the program would
 * do next cannot change its exit status. Returns on the thread that ends the program. */
void swi_signals_park(void);

/* Notes that the calling thread begins (1) or ceases (-1) to end a run. A signal that interrupts it
 * does not hold it. */
void swi_signals_ending(int change);

/* Waits until what was measured is written, for less than a second. Called in the handler of a
 * crash. */
void swi_signals_crash(int signal);

/* Returns whether this thread has crashed: it does not go on. */
bool swi_signals_has_crashed(pthread_t thread);
/* Returns whether the calling thread ends the program because that one has crashed. Then what that
 * one holds is the calling thread's. */
bool swi_signals_inherits(pthread_t thread);

/* Resets everything in the child of a fork. */
void swi_signals_child(void);

/* Returns which signals the calling thread blocks, a bit for each. May be called in a handler. */
uint64_t swi_signals_blocked(void);

/* ---- crashes (crash.c) ----------------------------------------------------------------------- */

/* Writes what was measured before a crash ends the program. If the crash is in a plugin's code,
 * prints the name of the plugin. */

/* Handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT from now on if they have their default action
 * or a handler that may follow (core/process/handlers.h). Ours prints a line to stderr if the crash
 * is in a sink, and then the signal has the effect that it had before. May be called more than
 * once. Each call needs a swi_fault_unwatch(). */
void swi_fault_watch(void);
void swi_fault_unwatch(void);

/* Whose code a thread runs, such as "sink" and its name; NULL: nobody's. */
struct swi_blamed {
    const char *kind, *name;
};

/* Notes whose code the calling thread runs from now on. Both texts must stay valid. Returns what
 * was noted before. */
struct swi_blamed swi_fault_blame(const char *kind, const char *name);

/* Resets everything in the child of a fork: the parent's profilers are not watched there. */
void swi_fault_child(void);

#endif
