/* SPDX-License-Identifier: MIT */
/* webhook.h - the web address of the watchdog. */
#ifndef CORE_WATCHDOG_WEBHOOK_H
#define CORE_WATCHDOG_WEBHOOK_H

#include "core/watchdog/alert_delivery.h"

#include "net/connection.h"

#include <stepwatch/error.h>

#include <stdatomic.h>
#include <stdbool.h>

struct swi_webhook {
    char *url;
    struct swi_connection connection;
};

/* Posts the alert as JSON, in two attempts of at most 10 s each, or until *hurry is set. No message
 * has the address, which is a secret. Returns 0, or SW_EIO and err says why it failed. */
int swi_webhook_post(const struct swi_webhook *webhook, const struct swi_alert_delivery *delivery,
                     const atomic_bool *hurry, struct sw_error *err);

#endif
