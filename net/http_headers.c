/* SPDX-License-Identifier: MIT */
#include "net/http_headers.h"
#include "net/libcurl.h"

#include <string.h>
#include <strings.h>

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
