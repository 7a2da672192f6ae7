/* SPDX-License-Identifier: MIT */
/* taken_signal.h - a signal that stepwatch handles, and the handler that it had before. */
#ifndef CORE_PROCESS_TAKEN_SIGNAL_H
#define CORE_PROCESS_TAKEN_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

struct swi_taken_signal {
    int signal;
    bool set;
    struct sigaction before; /* the default action, or one that swi_handler_may_follow() */
};

/* Handles the signal, unless the program has a handler of its own for it. */
void swi_taken_signal_set(struct swi_taken_signal *taken, const struct sigaction *ours);

/* Restores the action before, unless somebody has replaced ours. Async-signal-safe. */
void swi_taken_signal_restore(struct swi_taken_signal *taken, const struct sigaction *ours);

/* Makes the action before the current one, whoever has replaced ours. Async-signal-safe. */
void swi_taken_signal_pass_on(const struct swi_taken_signal *taken);

#endif
