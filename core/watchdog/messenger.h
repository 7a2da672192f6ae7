/* SPDX-License-Identifier: MIT */
/* messenger.h - sends alerts to a command and to a web address, one at a time, on its own thread.
 */
#ifndef CORE_WATCHDOG_MESSENGER_H
#define CORE_WATCHDOG_MESSENGER_H

#include "core/delivery/messages.h"

#include <stepwatch/sink.h>

struct swi_messenger;

/* Starts the thread. command and webhook are copied, and may be NULL. run and messages are
 * borrowed. Returns NULL if out of memory, or if no thread can be started. */
struct swi_messenger *swi_messenger_start(const char *command, const char *webhook,
                                          const struct sw_run *run, struct swi_messages *messages);

/* Queues an alert, and drops it if too many wait. Any thread may call it. It never waits. */
void swi_messenger_send(struct swi_messenger *messenger, const struct sw_alert *alert,
                        int64_t step);

/* Sends the alerts that wait, for limit_ns at most, and then ends a running command or request.
 * Accepts NULL. */
void swi_messenger_stop(struct swi_messenger *messenger, int64_t limit_ns);

/* Frees the messenger after that, unless its thread did not end. Accepts NULL. */
void swi_messenger_free(struct swi_messenger *messenger);

#endif
