/* SPDX-License-Identifier: MIT */
/* alert_delivery.h - an alert on its way to a command or a web address. */
#ifndef CORE_WATCHDOG_ALERT_DELIVERY_H
#define CORE_WATCHDOG_ALERT_DELIVERY_H

#include <stepwatch/sink.h>

#include <stdint.h>

struct swi_alert_delivery {
    struct swi_alert_delivery *next;
    const struct sw_run *run;
    int64_t step;
    char *kind, *title, *text;
};

#endif
