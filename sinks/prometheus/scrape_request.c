/* SPDX-License-Identifier: MIT */
/* scrape_request.c - reads what a client of the page asks for. */
#include "sinks/prometheus/scrape_page.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

/* Takes the next line, without its end. */
static char *line_take(char **rest)
{
    char *line = strsep(rest, "\n"), *end = line + strlen(line);
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

static bool is_version(const char *text)
{
    return strlen(text) == 8 && memcmp(text, "HTTP/", 5) == 0 && isdigit((unsigned char)text[5]) &&
           text[6] == '.' && isdigit((unsigned char)text[7]);
}

/* Requests for other names are refused, because otherwise a web page could read this one through a
 * name that points here (DNS rebinding). */
static bool is_own_host(const struct swi_address *address, char *host)
{
    char *colon = strrchr(host, ':');
    if (colon && strspn(colon + 1, "0123456789") == strlen(colon + 1))
        *colon = '\0';
    return !address->loopback || strcasecmp(host, address->host) == 0 ||
           strcasecmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0 ||
           strcmp(host, "[::1]") == 0;
}

/* Only HTTP/1.0, which no browser speaks, does without a Host. */
static int fields_status(char *rest, const struct swi_address *address, bool needs_host)
{
    int hosts = 0, status = 200;
    for (char *value = line_take(&rest); *value; value = line_take(&rest)) {
        const char *name = strsep(&value, ":");
        if (!value || !*name || strpbrk(name, " \t"))
            return 400;
        if (strcasecmp(name, "Host") != 0)
            continue;
        value += strspn(value, " \t");
        for (size_t size = strlen(value); size && strchr(" \t", value[size - 1]); size--)
            value[size - 1] = '\0';
        if (!is_own_host(address, value))
            status = 403;
        hosts++;
    }
    return hosts > 1 || (needs_host && !hosts) ? 400 : status;
}

int swi_request_read(char *text, size_t size, const struct swi_address *address, bool *head_only)
{
    /* Some clients end a request with an empty line too many. */
    char *rest = text + strspn(text, "\r\n");
    const char *end = head_end(rest);
    if (!is_text(text, end ? (size_t)(end - text) : size))
        return 400;
    if (!end)
        return size < SWI_HEAD_BYTES ? 0 : 431;
    char *line = line_take(&rest);
    const char *method = strsep(&line, " ");
    char *target = line ? strsep(&line, " ") : "";
    *head_only = strcmp(method, "HEAD") == 0;
    if (!*method || !*target || !line || !is_version(line))
        return 400;
    if (line[5] != '1')
        return 505;
    int status = fields_status(rest, address, strcmp(line, "HTTP/1.0") != 0);
    if (status != 200)
        return status;
    if (!*head_only && strcmp(method, "GET") != 0)
        return 405;
    target[strcspn(target, "?")] = '\0';
    return strcmp(target, "/metrics") == 0 ? 200 : 404;
}
