/* SPDX-License-Identifier: MIT */
/* pushing.h - a thread that sends the newest state of the run to a Pushgateway. A state that could
 * not be sent is not sent later, because a newer one has come by then. */
#ifndef SINKS_PROMETHEUS_PUSHING_H
#define SINKS_PROMETHEUS_PUSHING_H

#include "sinks/prometheus/exposition.h"

#include <stepwatch/sink.h>

/* NULL, which all functions accept: nothing is pushed. */
struct swi_push;

/* Adds "/NAME/VALUE" to the path of a group of metrics. A value that is empty or contains a slash
 * is written in base 64, because the gateway would take its parts for other labels. */
void swi_push_label(struct swi_text *path, const char *name, const char *value);

/* Returns whether a text is the address of a gateway, without user and password. */
bool swi_push_is_valid(const char *url);

/* Starts the thread. Failures are said, and NULL is returned. name: of the run. newest: what is
 * sent. deletes: the metrics are deleted at a clean end. */
struct swi_push *swi_push_start(struct sw_sink *sink, const char *name, struct swi_newest *newest,
                                const char *url, int64_t interval_ns, bool deletes);
/* Reports the messages of the thread. */
void swi_push_flush(struct swi_push *push);
/* Sends the last state before the deadline of the end, if it is known, and frees push. clean: the
 * program ended well. Returns false if the thread hangs and still uses `newest`. */
bool swi_push_end(struct swi_push *push, bool clean, int64_t deadline_ns);

#endif
