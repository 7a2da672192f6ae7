/* SPDX-License-Identifier: MIT */
/* messenger.h - brings alerts to a command and to a web address, one at a time, on a thread of its
 * own. */
#ifndef CORE_WATCHDOG_MESSENGER_H
#define CORE_WATCHDOG_MESSENGER_H

#include "core/delivery/messages.h"

#include <stepwatch/sink.h>

struct swi_messenger;

/* command, webhook: copied; NULL: none. Borrows run and messages. NULL without memory or a thread.
 */
struct swi_messenger *swi_messenger_start(const char *command, const char *webhook,
                                          const struct sw_run *run, struct swi_messages *messages);

/* Has an alert brought. Never waits: if too many wait, it is dropped. Any thread. */
void swi_messenger_send(struct swi_messenger *messenger, const struct sw_alert *alert,
                        int64_t step);

/* Brings what waits, for at most so long; then ends what is under way. NULL is accepted. */
void swi_messenger_stop(struct swi_messenger *messenger, int64_t limit_ns);

/* After that. What its thread still uses is kept. NULL is accepted. */
void swi_messenger_free(struct swi_messenger *messenger);

#endif
