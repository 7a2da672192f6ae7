/* SPDX-License-Identifier: MIT */
/* signal_name.h - the names of the signals that end a run. */
#ifndef CORE_PROCESS_SIGNAL_NAME_H
#define CORE_PROCESS_SIGNAL_NAME_H

/* "SIGTERM"; NULL for a signal that we do not handle. Async-signal-safe. */
const char *swi_signal_name(int signal);

#endif
