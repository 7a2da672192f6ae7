/* SPDX-License-Identifier: MIT */
/* page_server.h - serves a text at /metrics, on a thread of its own.
 *
 * The thread sees only copies of the text: it never calls the sink, and no client, however slow,
 * delays it. Each connection gets one answer and lasts for five seconds at most; eight are served
 * at a time, and the others wait until the kernel refuses them. */
#ifndef SINKS_PROMETHEUS_SCRAPE_PAGE_SERVER_H
#define SINKS_PROMETHEUS_SCRAPE_PAGE_SERVER_H

#include "sinks/prometheus/scrape/address.h"

#include <stddef.h>

struct swi_page;

/* Serves a page without a text yet at an address, whose socket it takes over. Returns NULL if it
 * cannot. */
struct swi_page *swi_page_open(const struct swi_address *address);

/* Replaces the text. */
void swi_page_set(struct swi_page *page, const char *text, size_t size);

/* Ends all connections at once. */
void swi_page_close(struct swi_page *page);

#endif
