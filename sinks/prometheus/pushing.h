/* SPDX-License-Identifier: MIT */
/* pushing.h - has the state of the run sent to a Pushgateway, by a thread. */
#ifndef SINKS_PROMETHEUS_PUSHING_H
#define SINKS_PROMETHEUS_PUSHING_H

#include "sinks/prometheus/push/push_thread.h"

#include <stepwatch/sink.h>

/* Initialise it as {0}: nothing is pushed. */
struct swi_pushing {
    struct sw_sink *sink;
    struct swi_push *push;
};

/* Returns whether a text is the address of a gateway, without user and password. */
bool swi_pushing_is_valid(const char *url);

/* Failures are said, and nothing is pushed then. name: of the run. deletes: the metrics are deleted
 * at a clean end.
 */
void swi_pushing_start(struct swi_pushing *pushing, struct sw_sink *sink, const char *name,
                       const char *url, int64_t interval_ns, bool deletes);
void swi_pushing_set(struct swi_pushing *pushing, const char *text, size_t size);
void swi_pushing_flush(struct swi_pushing *pushing);
/* end_ns: when the end of the run was known; 0: now. */
void swi_pushing_end(struct swi_pushing *pushing, bool clean, int64_t end_ns);

#endif
