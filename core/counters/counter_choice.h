/* SPDX-License-Identifier: MIT */
/* counter_choice.h - the counters that a configuration chooses: `counters: [allocated, cpu:
 * steps]`. */
#ifndef CORE_COUNTERS_COUNTER_CHOICE_H
#define CORE_COUNTERS_COUNTER_CHOICE_H

#include <stdbool.h>

struct swi_counter;

/* How many may be chosen. */
enum { SWI_COUNTER_CHOICES = 8 };

struct swi_counter_choice {
    const struct swi_counter *counter; /* NULL ends a list */
    bool regions;                      /* read for each region, also if that is slow */
    bool steps_only;                   /* only read for fit, epoch, train, valid, draw and batch */
};

#endif
