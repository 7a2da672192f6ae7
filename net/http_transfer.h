/* SPDX-License-Identifier: MIT */
/* http_transfer.h - the bytes of one request and of its answer, as libcurl asks for them. */
#ifndef NET_HTTP_TRANSFER_H
#define NET_HTTP_TRANSFER_H

#include "net/http.h"

#include <curl/curl.h>

/* One request that is being sent. */
struct swi_transfer {
    const struct swi_http_request *request;
    struct swi_http_answer *answer;
    uint64_t sent;
    size_t header_bytes;
    bool headed; /* all headers have arrived */
    bool too_long;
};

/* Functions for CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION, CURLOPT_READFUNCTION and
 * CURLOPT_SEEKFUNCTION. The last argument is the transfer. */
size_t swi_transfer_take_body(char *bytes, size_t one, size_t count, void *arg);
size_t swi_transfer_take_header(char *line, size_t one, size_t count, void *arg);
size_t swi_transfer_give_body(char *buffer, size_t one, size_t count, void *arg);
int swi_transfer_seek_body(void *arg, curl_off_t offset, int origin);

#endif
