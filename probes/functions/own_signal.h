/* SPDX-License-Identifier: MIT */
/* own_signal.h - the signal of the timers: one that the program does not use. */
#ifndef PROBES_FUNCTIONS_OWN_SIGNAL_H
#define PROBES_FUNCTIONS_OWN_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* Takes SIGPROF, or the first free real-time signal from SIGRTMAX - 2 down. False if none is free.
 */
bool fn_signal_take(void (*handler)(int, siginfo_t *, void *));

/* Its number; 0: none is taken. */
int fn_signal(void);

/* The calling thread does not block it. */
void fn_signal_let(void);

/* It is the program's again, as it was, and none is pending. All timers are ended. */
void fn_signal_give_back(void);

/* In the handler: one that somebody else sent has the effect that it would have had. */
void fn_signal_foreign(int number);

#endif
