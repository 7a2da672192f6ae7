/* SPDX-License-Identifier: MIT */
/* messenger.h - sends alerts to a command and to a web address, one at a time, on its own thread.
 */
#ifndef CORE_WATCHDOG_MESSENGER_H
#define CORE_WATCHDOG_MESSENGER_H

#include "core/delivery/messages.h"
#include "net/surroundings.h"

#include <stepwatch/error.h>
#include <stepwatch/sink.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* ---- an alert on its way to a command or a web address --------------------------------------- */

struct swi_alert_delivery {
    struct swi_alert_delivery *next;
    const struct sw_run *run;
    int64_t step;
    char *kind, *title, *text;
};

/* ---- the web address of the watchdog --------------------------------------------------------- */

struct swi_webhook {
    char *url;
    struct swi_connection connection;
};

/* Posts the alert as JSON, in two attempts of at most 10 s each, or until *hurry is set. No message
 * has the address, which is a secret. Returns 0, or SW_EIO and err says why it failed. */
int swi_webhook_post(const struct swi_webhook *webhook, const struct swi_alert_delivery *delivery,
                     const atomic_bool *hurry, struct sw_error *err);

#endif
