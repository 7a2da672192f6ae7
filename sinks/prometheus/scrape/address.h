/* SPDX-License-Identifier: MIT */
/* address.h - the option `listen`: "127.0.0.1:29464", "[::1]:29464", ":0". */
#ifndef SINKS_PROMETHEUS_SCRAPE_ADDRESS_H
#define SINKS_PROMETHEUS_SCRAPE_ADDRESS_H

#include <stepwatch/error.h>

#include <stdbool.h>

struct swi_address {
    int socket;    /* listening, non-blocking, closed by the caller, on the same thread */
    char text[80]; /* "127.0.0.1:29464", with the port that it got */
    char host[64]; /* "127.0.0.1" or "[::1]" */
    bool loopback; /* only programs on this machine can connect */
};

/* Returns whether a text is an address and a port. Does not look up names. */
bool swi_address_is_valid(const char *text);

/* Listens at an address. Returns 0, or SW_EIO, such as for a port that is taken. */
int swi_address_listen(struct swi_address *address, const char *text, struct sw_error *err);

/* Returns whether the header Host of a request names this address or this machine. Requests with
 * other names are refused, because otherwise a web page could read this one (DNS rebinding). */
bool swi_address_is_host(const struct swi_address *address, const char *host);

#endif
