/* SPDX-License-Identifier: MIT */
/* handlers.h - whose handlers the signals that end a program have when a profiler is opened: those
 * that stepwatch may go before, and those of which the user must know. */
#ifndef CORE_PROCESS_HANDLERS_H
#define CORE_PROCESS_HANDLERS_H

#include <signal.h>
#include <stdbool.h>

/* Marks an action as one of stepwatch. */
void swi_handler_mark(struct sigaction *action);

/* Looks whose handlers the program has. Returns a sentence that names the ends for which there will
 * be no report, and what to write in the program; the caller's to free. NULL: there are none.
 * Waits for the dynamic loader: call it without a lock that a constructor may need. */
char *swi_handlers_check(void);

/* ---- the names of the signals that end a run ------------------------------------------------- */

/* Returns the name, such as "SIGTERM"; NULL for a signal that stepwatch does not handle.
 * Async-signal-safe. */
const char *swi_signal_name(int signal);

/* ---- a signal that stepwatch handles, and the handler that it had before --------------------- */

struct swi_taken_signal {
    int signal;
    bool set;
    struct sigaction before; /* the default action, or one that may follow ours */
};

/* Handles the signals, except those for which the program has a handler of its own. */
void swi_taken_signals_set(struct swi_taken_signal *taken, int count, const struct sigaction *ours);

/* Restores the actions before, except where somebody has replaced ours. Async-signal-safe. */
void swi_taken_signals_restore(struct swi_taken_signal *taken, int count,
                               const struct sigaction *ours);

/* Makes the action before the current one, whoever has replaced ours. Async-signal-safe. */
void swi_taken_signal_pass_on(const struct swi_taken_signal *taken);

#endif
