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
#include "sinks/prometheus/scrape/request.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- client.c -------------------------------------------------------------------------------- */

/* The text of the page: the sink replaces it while clients still get the one before. */
struct swi_shown_text {
    struct swi_shown_text *older;
    int readers;
    size_t size;
    char data[];
};

struct swi_shown_texts {
    pthread_mutex_t lock; /* held for moments only */
    struct swi_shown_text *newest;
};

void swi_shown_texts_init(struct swi_shown_texts *texts);
void swi_shown_texts_free(struct swi_shown_texts *texts);

/* Copies a text, which is the newest from now on. Also frees those that nobody reads any more, so
 * that the thread that reads them needs no memory of its own. */
void swi_shown_texts_put(struct swi_shown_texts *texts, const char *data, size_t size);

/* What is done next: read the request, write the answer, discard what else comes. */
enum swi_client_state { SWI_CLIENT_READ, SWI_CLIENT_WRITE, SWI_CLIENT_DISCARD };

struct swi_client {
    int socket; /* -1: none */
    enum swi_client_state state;
    int64_t until_ns; /* when it is closed, whatever it does */
    int64_t moved_ns; /* when it connected, or last got a part of its answer */
    char *text;       /* SWI_HEAD_BYTES + 1: the request's head, then that of the answer */
    size_t size;      /* of that */
    size_t sent;      /* of the answer, body included */
    const struct swi_shown_text *body; /* NULL: none */
};

/* What all clients need. */
struct swi_site {
    struct swi_address address;
    struct swi_shown_texts texts;
};

/* Takes over a connection. text: SWI_HEAD_BYTES + 1, borrowed. */
void swi_client_begin(struct swi_client *client, int socket, char *text);

/* Returns what to poll() for. */
short swi_client_events(const struct swi_client *client);

/* Goes on as far as possible, after poll() said so. */
void swi_client_go_on(struct swi_client *client, struct swi_site *site);

/* Returns from when on it must make room for a new client, if there is none left: it has not sent
 * its request, has its answer already, or does not read it. */
int64_t swi_client_yields_ns(const struct swi_client *client);

void swi_client_close(struct swi_client *client, struct swi_site *site);

#endif
