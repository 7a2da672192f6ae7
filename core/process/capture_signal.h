/* SPDX-License-Identifier: MIT */
/* capture_signal.h - a signal that requests a capture: SIGUSR1 or SIGUSR2, if it is configured. */
#ifndef CORE_PROCESS_CAPTURE_SIGNAL_H
#define CORE_PROCESS_CAPTURE_SIGNAL_H

#include <stdbool.h>

/* Counts the signal from now on. Returns false and changes nothing if the program handles or
 * ignores the signal. */
bool swi_capture_signal_take(int signal);
/* Ends the counting. The last user restores the default action, unless the program has installed a
 * handler since. */
void swi_capture_signal_give(int signal);

/* Returns how often the signal was received. */
unsigned swi_capture_signal_count(int signal);

/* Makes the lock free in the child of a fork. */
void swi_capture_signal_child(void);

#endif
