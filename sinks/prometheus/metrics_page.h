/* SPDX-License-Identifier: MIT */
/* metrics_page.h - serves a text at /metrics, by a thread of libmicrohttpd.
 *
 * The thread sees only copies of the text: it never calls the sink, and no client, however slow,
 * delays it. */
#ifndef SINKS_PROMETHEUS_METRICS_PAGE_H
#define SINKS_PROMETHEUS_METRICS_PAGE_H

#include "sinks/prometheus/address.h"

#include <stddef.h>

struct swi_page;

/* Returns whether this build can serve a page. */
bool swi_page_is_built(void);

/* Serves an empty page at an address, whose socket it takes over. NULL if it cannot. */
struct swi_page *swi_page_open(const struct swi_address *address);

/* Replaces the text. Also ends connections that have lasted for more than five seconds: call it
 * about once a second. */
void swi_page_set(struct swi_page *page, const char *text, size_t size);

/* Ends all connections at once; NULL is fine. */
void swi_page_close(struct swi_page *page);

#endif
