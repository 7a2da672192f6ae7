/* SPDX-License-Identifier: MIT */
/* hardware_counters.h - events of the processor by a name that no table lists. */
#ifndef CORE_COUNTERS_HARDWARE_COUNTERS_H
#define CORE_COUNTERS_HARDWARE_COUNTERS_H

#include "core/counters/counter.h"

/* Returns the counter of an event: raw:0xCODE or pfm:NAME; NULL, and err says why, if there is no
 * such event. A counter that only this machine lacks is returned: its open() says why. Valid until
 * the process ends. */
const struct swi_counter *swi_hardware_counter(const char *name, struct sw_error *err);

#endif
