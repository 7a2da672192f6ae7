/* SPDX-License-Identifier: MIT */
/* signal_name.h - the names of the signals that end a run. */
#ifndef CORE_PROCESS_SIGNAL_NAME_H
#define CORE_PROCESS_SIGNAL_NAME_H

/* Returns the name, such as "SIGTERM"; NULL for a signal that stepwatch does not handle.
 * Async-signal-safe. */
const char *swi_signal_name(int signal);

#endif
