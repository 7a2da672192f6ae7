/* SPDX-License-Identifier: MIT */
/* page_server.h - serves a text at /metrics, on a thread of its own.
 *
 * The thread sees only copies of the text: it never calls the sink, and no client, however slow,
 * delays it. It has a table of descriptors of its own (core/files/own_table.h), so the page stays
 * if the program closes all of its descriptors. Each connection gets one answer and lasts for five
 * seconds at most; eight are served at a time, and the others wait until the kernel refuses them.
 */
#ifndef SINKS_PROMETHEUS_SCRAPE_PAGE_SERVER_H
#define SINKS_PROMETHEUS_SCRAPE_PAGE_SERVER_H

#include "sinks/prometheus/scrape/address.h"

#include <stddef.h>

struct swi_page;

/* Serves a page without a text yet at an address, such as "127.0.0.1:0". Returns NULL if it cannot,
 * such as for a port that is taken. */
struct swi_page *swi_page_open(const char *listen, struct sw_error *err);

/* Returns where it is, with the port that it got. Its socket is the thread's. */
const struct swi_address *swi_page_address(const struct swi_page *page);

/* Replaces the text. */
void swi_page_set(struct swi_page *page, const char *text, size_t size);

/* Ends all connections at once. */
void swi_page_close(struct swi_page *page);

#endif
