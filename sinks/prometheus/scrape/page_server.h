/* SPDX-License-Identifier: MIT */
/* page_server.h - the interface between the sink and prometheus-page.so, which serves a text at
 * /metrics by a thread of libmicrohttpd. It is loaded only for a run with a page, because
 * libmicrohttpd brings GnuTLS and eight other libraries, about 3 MB.
 *
 * The thread sees only copies of the text: it never calls the sink, and no client, however slow,
 * delays it. */
#ifndef SINKS_PROMETHEUS_SCRAPE_PAGE_SERVER_H
#define SINKS_PROMETHEUS_SCRAPE_PAGE_SERVER_H

#include "sinks/prometheus/scrape/address.h"

#include <stddef.h>

struct swi_page;

/* The only symbol of prometheus-page.so, swi_prometheus_page. */
struct swi_page_server {
    char version[32]; /* of the release; the sink accepts only its own */
    /* Serves an empty page at an address, whose socket it takes over. NULL if it cannot. */
    struct swi_page *(*open)(const struct swi_address *address);
    /* Replaces the text. Also ends connections that have lasted for more than five seconds: call it
     * about once a second. */
    void (*set)(struct swi_page *page, const char *text, size_t size);
    /* Ends all connections at once. */
    void (*close)(struct swi_page *page);
};

#endif
