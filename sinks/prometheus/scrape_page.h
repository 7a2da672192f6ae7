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

struct swi_address {
    int socket;    /* listening, non-blocking; closed by the thread that opened it */
    char text[80]; /* "127.0.0.1:29464", with the port that it got */
    char host[64]; /* "127.0.0.1" or "[::1]" */
    bool loopback; /* only programs on this machine can connect */
};

/* Returns whether a text is an address and a port: "127.0.0.1:29464", "[::1]:29464", ":0". Does not
 * look up names. */
bool swi_address_is_valid(const char *text);

/* Listens at an address. Returns 0, or SW_EIO, such as for a port that is taken. */
int swi_address_listen(struct swi_address *address, const char *text, struct sw_error *err);

/* Serves a page without a text yet. Returns NULL if it cannot. */
struct swi_page *swi_page_open(const char *listen, struct sw_error *err);
const struct swi_address *swi_page_address(const struct swi_page *page);

/* Replaces the text. */
void swi_page_set(struct swi_page *page, const char *text, size_t size);

/* Ends all connections at once. */
void swi_page_close(struct swi_page *page);

/* The most that the head of a request may have. */
enum { SWI_HEAD_BYTES = 8192 };

/* Returns the status of the answer to the first bytes of a connection, or 0 if the head goes on.
 * text[size] must be 0; a whole head is changed. What follows it is ignored, such as a body or
 * another request: each connection gets one answer. head_only: set for HEAD, which gets no body. */
int swi_request_read(char *text, size_t size, const struct swi_address *address, bool *head_only);

#endif
