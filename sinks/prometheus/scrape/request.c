/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/scrape/request.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct head_part {
    const char *at;
    size_t size;
};

static bool is(struct head_part part, const char *text)
{
    return part.size == strlen(text) && memcmp(part.at, text, part.size) == 0;
}

/* ---- the head -------------------------------------------------------------------------------- */

/* Takes the next line, without its end. Every line of a head has an end. */
static struct head_part line_take(const char **rest)
{
    const char *end = strchr(*rest, '\n');
    struct head_part line = {*rest, (size_t)(end - *rest)};
    *rest = end + 1;
    if (line.size && end[-1] == '\r')
        line.size--;
    return line;
}

/* Returns the end of the head, which is behind its empty line, or NULL if that has not come. */
static const char *head_end(const char *text)
{
    while ((text = strchr(text, '\n'))) {
        text += 1 + (text[1] == '\r');
        if (*text == '\n')
            return text + 1;
    }
    return NULL;
}

/* Returns whether it may be the begin of a head. Clients that speak TLS send other bytes, and need
 * not wait for an answer until their time is over. */
static bool is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (iscntrl((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            return false;
    return true;
}

/* ---- its first line -------------------------------------------------------------------------- */

struct first_line {
    struct head_part method, target, version;
};

static struct head_part word_take(struct head_part *line)
{
    const char *end = memchr(line->at, ' ', line->size);
    struct head_part word = {line->at, end ? (size_t)(end - line->at) : line->size};
    size_t taken = word.size + (end != NULL);
    *line = (struct head_part){line->at + taken, line->size - taken};
    return word;
}

static int version_status(struct head_part version)
{
    const char *at = version.at;
    if (version.size != 8 || memcmp(at, "HTTP/", 5) != 0 || !isdigit((unsigned char)at[5]) ||
        at[6] != '.' || !isdigit((unsigned char)at[7]))
        return SWI_BAD_REQUEST;
    return at[5] == '1' ? SWI_OK : SWI_VERSION_NOT_SUPPORTED;
}

static int first_line_read(struct first_line *first, struct head_part line)
{
    first->method = word_take(&line);
    first->target = word_take(&line);
    first->version = line;
    if (!first->method.size || !first->target.size)
        return SWI_BAD_REQUEST;
    return version_status(first->version);
}

static bool is_metrics(struct head_part target)
{
    const char *query = memchr(target.at, '?', target.size);
    return is((struct head_part){target.at, query ? (size_t)(query - target.at) : target.size},
              "/metrics");
}

static int wish_status(const struct first_line *first)
{
    if (!is(first->method, "GET") && !is(first->method, "HEAD"))
        return SWI_METHOD_NOT_ALLOWED;
    return is_metrics(first->target) ? SWI_OK : SWI_NOT_FOUND;
}

/* ---- its header fields ----------------------------------------------------------------------- */

/* Splits a line into name and value. Returns false if it is not a field; a line that continues the
 * one before is none, either. */
static bool field_split(struct head_part line, struct head_part *name, struct head_part *value)
{
    const char *colon = memchr(line.at, ':', line.size);
    *name = (struct head_part){line.at, colon ? (size_t)(colon - line.at) : 0};
    *value = (struct head_part){line.at + name->size + 1, colon ? line.size - name->size - 1 : 0};
    while (value->size && strchr(" \t", value->at[value->size - 1]))
        value->size--;
    while (value->size && strchr(" \t", *value->at))
        value->at++, value->size--;
    return name->size && !memchr(name->at, ' ', name->size) && !memchr(name->at, '\t', name->size);
}

static bool is_own_host(const struct swi_address *address, struct head_part value)
{
    char host[80];
    if (value.size >= sizeof host)
        return false;
    memcpy(host, value.at, value.size);
    host[value.size] = '\0';
    return swi_address_is_host(address, host);
}

/* Only HTTP/1.0, which no browser speaks, does without a Host. */
static int fields_status(const char *rest, const struct swi_address *address, bool needs_host)
{
    struct head_part line, name, value;
    int hosts = 0, status = SWI_OK;
    while ((line = line_take(&rest)).size) {
        if (!field_split(line, &name, &value))
            return SWI_BAD_REQUEST;
        if (name.size != 4 || strncasecmp(name.at, "Host", 4) != 0)
            continue;
        if (++hosts > 1)
            return SWI_BAD_REQUEST;
        if (address->loopback && !is_own_host(address, value))
            status = SWI_FORBIDDEN;
    }
    return needs_host && !hosts ? SWI_BAD_REQUEST : status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct swi_request swi_request_read(const char *text, size_t size,
                                    const struct swi_address *address)
{
    struct first_line first;
    /* Some clients end a request with an empty line too many. */
    const char *rest = text + strspn(text, "\r\n"), *end = head_end(rest);
    if (!is_text(text, end ? (size_t)(end - text) : size))
        return (struct swi_request){.status = SWI_BAD_REQUEST};
    if (!end)
        return (struct swi_request){.status =
                                        size < SWI_HEAD_BYTES ? SWI_NOT_WHOLE : SWI_HEAD_TOO_LARGE};
    int status = first_line_read(&first, line_take(&rest));
    if (status == SWI_OK)
        status = fields_status(rest, address, !is(first.version, "HTTP/1.0"));
    if (status == SWI_OK)
        status = wish_status(&first);
    return (struct swi_request){.status = status, .head_only = is(first.method, "HEAD")};
}
