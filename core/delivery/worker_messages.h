/* SPDX-License-Identifier: MIT */
/* worker_messages.h - what the program is told of a sink: its messages, its first error, what it
 * lost. */
#ifndef CORE_DELIVERY_WORKER_MESSAGES_H
#define CORE_DELIVERY_WORKER_MESSAGES_H

#include "core/delivery/worker.h"
#include "core/media/budget.h"

/* Reports an error and frees err. Only the first error of a sink is reported. consequence: what it
 * means for the run, or "". */
void swi_worker_failure(struct swi_worker *worker, struct sw_error *err, const char *what,
                        const char *consequence);

/* Sends the message "sink NAME: text", unless the sink sends too many. */
void swi_worker_say(struct swi_worker *worker, enum sw_level level, const char *text);

/* Keeps a sink that hangs from holding the budget of values: drops what waits for sinks that have
 * taken no value for some seconds, if the budget is full. Called by the dispatcher at each look.
 * budget: NULL if there are no values. */
void swi_hung_sink_look(struct swi_worker *const *worker, size_t count, struct swi_budget *budget);

/* Describes in one sentence what the sink failed in or lost. Returns false if there is nothing. */
bool swi_worker_summary(struct swi_worker *worker, char *text, size_t size);

#endif
