/* SPDX-License-Identifier: MIT */
/* scrape_page.h - serves the newest text at /metrics, on a thread of its own: one client after the
 * other.
 *
 * The thread sees only copies of the text: it never calls the sink, and no client, however slow,
 * delays it. It has a table of descriptors of its own (core/files/own_table.h), so the page stays
 * if the program closes all of its descriptors. */
#ifndef SINKS_PROMETHEUS_SCRAPE_PAGE_H
#define SINKS_PROMETHEUS_SCRAPE_PAGE_H

#include "sinks/prometheus/exposition.h"

#include <netinet/in.h>

enum { SWI_HEAD_BYTES = 8192 /* of a request, at most */ };

struct swi_page {
    struct swi_newest *newest; /* set it; the rest is zero at first */
    char address[80];          /* "127.0.0.1:29464", with the port that it got; "": no page */
    bool loopback;             /* only programs on this machine can connect */

    char host[64]; /* "127.0.0.1" or "[::1]" */
    union swi_socket_address {
        struct sockaddr any; /* family and port are in the same places of both */
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } at;
    pthread_t thread;
    pthread_barrier_t begun;
    int failed;       /* errno: why it could not begin */
    int socket, stop; /* one listens, and does not block; the other, a signalfd, ends every wait */
    struct swi_text answer;
    char head[SWI_HEAD_BYTES + 1]; /* of the request */
};

/* Sets the place of a page: "127.0.0.1:29464", "[::1]:29464+N", where N is often a rank, or ":0",
 * which is at 127.0.0.1. Returns false for anything else, such as a name. */
bool swi_page_place(struct swi_page *page, const char *text);

/* Begins to serve. The page stays where it is. Fails for a port that is taken, for example. */
int swi_page_open(struct swi_page *page, const char *listen, struct sw_error *err);
/* Ends all connections at once. */
void swi_page_close(struct swi_page *page);

/* Returns the status of the answer to the first bytes of a connection, or 0 if the head goes on.
 * text[size] must be 0; a whole head is changed. What follows it is ignored, such as a body or
 * another request: each connection gets one answer. host: the only one, besides this machine's,
 * that may be asked for; NULL: any. head_only: set for HEAD, which gets no body. */
int swi_request_read(char *text, size_t size, const char *host, bool *head_only);

#endif
