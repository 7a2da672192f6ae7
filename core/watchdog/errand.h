/* SPDX-License-Identifier: MIT */
/* errand.h - an alert on its way to a command or a web address. */
#ifndef CORE_WATCHDOG_ERRAND_H
#define CORE_WATCHDOG_ERRAND_H

#include <stepwatch/sink.h>

#include <stdint.h>

struct swi_errand {
    struct swi_errand *next;
    const struct sw_run *run;
    int64_t step;
    char *kind, *title, *text;
};

#endif
