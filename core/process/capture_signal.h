/* SPDX-License-Identifier: MIT */
/* capture_signal.h - a signal that asks for a capture: SIGUSR1 or SIGUSR2, where a configuration
 * says so. */
#ifndef CORE_PROCESS_CAPTURE_SIGNAL_H
#define CORE_PROCESS_CAPTURE_SIGNAL_H

#include <stdbool.h>

/* Counts the signal from now on. False where the program has a handler of its own, or ignores the
 * signal: then nothing is changed. */
bool swi_capture_signal_take(int signal);
/* The last one who took it gives the signal its default action back, unless the program has
 * installed a handler since. */
void swi_capture_signal_give(int signal);

/* How often it came. */
unsigned swi_capture_signal_count(int signal);

/* In a child of fork(). */
void swi_capture_signal_child(void);

#endif
