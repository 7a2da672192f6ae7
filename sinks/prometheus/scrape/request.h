/* SPDX-License-Identifier: MIT */
/* request.h - reads what a client of the page asks for. */
#ifndef SINKS_PROMETHEUS_SCRAPE_REQUEST_H
#define SINKS_PROMETHEUS_SCRAPE_REQUEST_H

#include "sinks/prometheus/scrape/address.h"

#include <stddef.h>

/* The most that the head of a request may have. */
enum { SWI_HEAD_BYTES = 8192 };

/* Statuses of an answer. */
enum {
    SWI_NOT_WHOLE = 0, /* the head goes on */
    SWI_OK = 200,
    SWI_BAD_REQUEST = 400,
    SWI_FORBIDDEN = 403,
    SWI_NOT_FOUND = 404,
    SWI_METHOD_NOT_ALLOWED = 405,
    SWI_HEAD_TOO_LARGE = 431,
    SWI_UNAVAILABLE = 503,
    SWI_VERSION_NOT_SUPPORTED = 505
};

struct swi_request {
    int status;
    bool head_only; /* HEAD: the answer has no body */
};

/* Reads the first bytes of a connection: text[size] must be 0. What follows the head is ignored,
 * such as a body or another request, because each connection gets one answer. */
struct swi_request swi_request_read(const char *text, size_t size,
                                    const struct swi_address *address);

#endif
