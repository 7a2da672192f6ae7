/* SPDX-License-Identifier: MIT */
/* scrape_page.h - serves a text at /metrics, on a thread of its own: one client after the other.
 *
 * The thread sees only copies of the text: it never calls the sink, and no client, however slow,
 * delays it. It has a table of descriptors of its own (core/files/own_table.h), so the page stays
 * if the program closes all of its descriptors. */
#ifndef SINKS_PROMETHEUS_SCRAPE_PAGE_H
#define SINKS_PROMETHEUS_SCRAPE_PAGE_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a text is an address and a port: "127.0.0.1:29464", "[::1]:29464", ":0". Does not
 * look up names. */
bool swi_page_address_is_valid(const char *text);

/* Serves a page without a text yet. Returns NULL if it cannot, such as for a port that is taken. */
struct swi_page *swi_page_open(const char *listen, struct sw_error *err);

/* Returns where it is, with the port that it got. loopback: set to whether only programs on this
 * machine can connect. */
const char *swi_page_address(const struct swi_page *page, bool *loopback);

/* Replaces the text. */
void swi_page_set(struct swi_page *page, const char *text, size_t size);

/* Ends all connections at once. */
void swi_page_close(struct swi_page *page);

/* The most that the head of a request may have. */
enum { SWI_HEAD_BYTES = 8192 };

/* Returns the status of the answer to the first bytes of a connection, or 0 if the head goes on.
 * text[size] must be 0; a whole head is changed. What follows it is ignored, such as a body or
 * another request: each connection gets one answer. host: the only one, besides this machine's,
 * that may be asked for; NULL: any. head_only: set for HEAD, which gets no body. */
int swi_request_read(char *text, size_t size, const char *host, bool *head_only);

#endif
