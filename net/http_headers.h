/* SPDX-License-Identifier: MIT */
/* http_headers.h - the header lines of a request, and parts of its path. */
#ifndef NET_HTTP_HEADERS_H
#define NET_HTTP_HEADERS_H

#include "net/http.h"

#include <curl/curl.h>

/* Returns all header lines of a request except the one with the key; free them with
 * curl_slist_free_all(). Returns NULL if out of memory. */
struct curl_slist *swi_http_headers(const struct swi_http_request *request);

/* Returns whether a header line may be sent: a name, a colon, a value without control characters,
 * and not a header that changes where the request ends or who receives it. */
bool swi_http_header_ok(const char *line);

/* Adds a part of a path with all characters but letters, digits and -._~ written as %XX. */
void swi_http_escape(struct swi_text *text, const char *part);

#endif
