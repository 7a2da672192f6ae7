/* SPDX-License-Identifier: MIT */
/* http_headers.h - the header lines of a request, and parts of its path. */
#ifndef NET_HTTP_HEADERS_H
#define NET_HTTP_HEADERS_H

#include "net/http.h"

#include <curl/curl.h>
#include <time.h>

/* Returns all header lines of a request except the one with the key; free them with
 * curl_slist_free_all(). Returns NULL if out of memory. */
struct curl_slist *swi_http_headers(const struct swi_http_request *request);

/* Returns whether a header line may be sent: a name, a colon, a value without control characters,
 * and not a header that changes where the request ends or who receives it. */
bool swi_http_header_ok(const char *line);

/* Adds a part of a path with all characters but letters, digits and -._~ written as %XX. */
void swi_http_escape(struct swi_text *text, const char *part);

/* One request that is being sent. */
struct swi_transfer {
    const struct swi_http_request *request;
    struct swi_http_answer *answer;
    uint64_t sent;
    size_t header_bytes;
    char retry_after[64]; /* the header; empty: none */
    time_t date;          /* of the answer, by the clock of the server; negative or 0: unknown */
    bool headed;          /* all headers have arrived */
    bool too_long;
};

/* Functions for CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION, CURLOPT_READFUNCTION and
 * CURLOPT_SEEKFUNCTION. The last argument is the transfer. */
size_t swi_transfer_take_body(char *bytes, size_t one, size_t count, void *arg);

size_t swi_transfer_take_header(char *line, size_t one, size_t count, void *arg);

size_t swi_transfer_give_body(char *buffer, size_t one, size_t count, void *arg);

int swi_transfer_seek_body(void *arg, curl_off_t offset, int origin);

#endif
