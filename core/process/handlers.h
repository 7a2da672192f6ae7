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
char *swi_handlers_look(void);

/* Returns whether stepwatch may handle the signal first and then pass it on to this action: it is
 * that of another copy of stepwatch, or swi_handlers_look() has found that it prints something and
 * lets the signal end the program. Async-signal-safe. */
bool swi_handler_may_follow(int signal, const struct sigaction *action);

#endif
