/* SPDX-License-Identifier: MIT */
#include "net/http_headers.h"
#include "net/libcurl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Does not depend on the locale. */
static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static const char *const framing[] = {"host",    "content-length",     "transfer-encoding",
                                      "expect",  "connection",         "authorization",
                                      "upgrade", "proxy-authorization"};

bool swi_http_header_ok(const char *line)
{
    size_t name = strcspn(line, ":");
    if (!name || !line[name] || name > 256 || strlen(line) > 8192)
        return false;
    for (size_t i = 0; i < name; i++)
        if (!is_letter_or_digit(line[i]) && !strchr("!#$%&'*+-.^_`|~", line[i]))
            return false;
    for (const char *at = line + name; *at; at++)
        if ((unsigned char)*at < 0x20 ? *at != '\t' : *at == 0x7f)
            return false;
    for (size_t i = 0; i < sizeof framing / sizeof *framing; i++)
        if (name == strlen(framing[i]) && strncasecmp(line, framing[i], name) == 0)
            return false;
    return true;
}

static struct curl_slist *append(struct curl_slist *list, const char *line, bool *failed)
{
    struct curl_slist *longer = swi_curl.slist_append(list, line);
    *failed |= !longer;
    return longer ? longer : list;
}

struct curl_slist *swi_http_headers(const struct swi_http_request *request)
{
    bool failed = false;
    /* A server that never sends "100 Continue" would cost a second for each request. */
    struct curl_slist *list = append(NULL, "Expect:", &failed);
    if (request->path && request->method == SWI_POST)
        list = append(list,
                      request->form ? "Content-Type: application/x-www-form-urlencoded"
                                    : "Content-Type: application/json",
                      &failed);
    for (const char *const *line = request->header; line && *line; line++)
        if (swi_http_header_ok(*line))
            list = append(list, *line, &failed);
    if (!failed)
        return list;
    swi_curl.slist_free_all(list);
    return NULL;
}

void swi_http_escape(struct swi_text *text, const char *part)
{
    for (; *part; part++)
        if (is_letter_or_digit(*part) || strchr("-._~", *part))
            swi_text_add(text, part, 1);
        else
            swi_text_format(text, "%%%02X", (unsigned char)*part);
}

/* ---- the bytes of a request and of its answer ------------------------------------------------ */

enum { HEADERS = 256 << 10 }; /* bytes of the headers of an answer */

size_t swi_transfer_take_body(char *bytes, size_t one, size_t count, void *arg)
{
    struct swi_transfer *transfer = arg;
    struct swi_text *body = &transfer->answer->body;
    size_t size = one * count;
    /* libcurl's own limit checks only Content-Length. */
    transfer->too_long = size > SWI_HTTP_ANSWER - body->size;
    if (transfer->too_long)
        return 0;
    swi_text_add(body, bytes, size);
    return body->failed ? 0 : size;
}

/* Copies the value of a header with this name to buffer. Returns false for another header. */
static bool header_is(const char *line, size_t size, const char *name, char buffer[64])
{
    size_t length = strlen(name);
    if (size <= length || strncasecmp(line, name, length) != 0 || line[length] != ':')
        return false;
    line += length + 1;
    size -= length + 1;
    while (size && isspace((unsigned char)*line))
        line++, size--;
    while (size && isspace((unsigned char)line[size - 1]))
        size--;
    if (size > 63)
        return false;
    memcpy(buffer, line, size);
    buffer[size] = '\0';
    return true;
}

size_t swi_transfer_take_header(char *line, size_t one, size_t count, void *arg)
{
    struct swi_transfer *transfer = arg;
    struct swi_http_answer *answer = transfer->answer;
    size_t size = one * count;
    char value[64];
    transfer->header_bytes += size;
    if (transfer->header_bytes > HEADERS)
        return 0;
    /* Set from the empty line after the headers on. Each answer of a redirection has one. */
    transfer->headed = size <= 2 || (transfer->headed && strncmp(line, "HTTP/", 5) != 0);
    header_is(line, size, "Retry-After", transfer->retry_after);
    if (header_is(line, size, "Date", value))
        transfer->date = swi_curl.getdate(value, NULL);
    if (header_is(line, size, "RateLimit-Remaining", value))
        answer->remaining = (double)strtol(value, NULL, 10);
    if (header_is(line, size, "RateLimit-Reset", value))
        answer->reset_s = (double)strtol(value, NULL, 10);
    return size;
}

size_t swi_transfer_give_body(char *buffer, size_t one, size_t count, void *arg)
{
    struct swi_transfer *transfer = arg;
    const struct swi_http_request *request = transfer->request;
    uint64_t left = request->size - transfer->sent;
    size_t size = one * count < left ? one * count : (size_t)left;
    if (request->body) {
        memcpy(buffer, request->body + transfer->sent, size);
    } else if (size) {
        ssize_t n = pread(request->fd, buffer, size, (off_t)transfer->sent);
        if (n <= 0)
            return CURL_READFUNC_ABORT;
        size = (size_t)n;
    }
    transfer->sent += size;
    return size;
}

/* Called if a store redirects an upload to another machine. */
int swi_transfer_seek_body(void *arg, curl_off_t offset, int origin)
{
    struct swi_transfer *transfer = arg;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > transfer->request->size)
        return CURL_SEEKFUNC_FAIL;
    transfer->sent = (uint64_t)offset;
    return CURL_SEEKFUNC_OK;
}
