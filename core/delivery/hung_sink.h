/* SPDX-License-Identifier: MIT */
/* hung_sink.h - a sink that hangs must not hold the budget of values. */
#ifndef CORE_DELIVERY_HUNG_SINK_H
#define CORE_DELIVERY_HUNG_SINK_H

#include "core/delivery/worker.h"
#include "core/media/budget.h"

/* Drops what waits for sinks that have taken no value for some seconds, if the budget is full.
 * Called by the dispatcher at each look. budget: NULL if there are no values. */
void swi_hung_sink_look(struct swi_worker *const *worker, size_t count, struct swi_budget *budget);

#endif
