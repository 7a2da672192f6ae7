/* SPDX-License-Identifier: MIT */
/* worker_messages.h - what the program is told of a sink: its messages, and its first error. */
#ifndef CORE_DELIVERY_WORKER_MESSAGES_H
#define CORE_DELIVERY_WORKER_MESSAGES_H

#include "core/delivery/worker.h"

/* Reports an error and frees err. Only the first error of a sink is reported. consequence: what it
 * means for the run, or "". */
void swi_worker_failure(struct swi_worker *worker, struct sw_error *err, const char *what,
                        const char *consequence);

/* Sends the message "sink NAME: text", unless the sink sends too many. */
void swi_worker_say(struct swi_worker *worker, enum sw_level level, const char *text);

#endif
