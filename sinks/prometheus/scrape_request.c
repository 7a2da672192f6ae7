/* SPDX-License-Identifier: MIT */
/* scrape_request.c - reads what a client of the page asks for. */
#include "sinks/prometheus/scrape_page.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

/* Takes the next line, without its end. */
static char *line_take(char **rest)
{
    char *line = strsep(rest, "\n"), *end = line + strlen(line);
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

/* Requests for other names are refused, because otherwise a web page could read this one through a
 * name that points here (DNS rebinding). */
static bool is_own_host(char *asked, const char *host)
{
    char *colon = strrchr(asked, ':');
    if (colon && strspn(colon + 1, "0123456789") == strlen(colon + 1))
        *colon = '\0';
    return strcasecmp(asked, host) == 0 || strcasecmp(asked, "localhost") == 0 ||
           strcmp(asked, "127.0.0.1") == 0 || strcmp(asked, "[::1]") == 0;
}

/* Only HTTP/1.0, which no browser speaks, does without a Host. */
static int fields_status(char *rest, const char *host, bool needs_host)
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
        if (host && !is_own_host(value, host))
            status = 403;
        hosts++;
    }
    return hosts > 1 || (needs_host && !hosts) ? 400 : status;
}

int swi_request_read(char *text, size_t size, const char *host, bool *head_only)
{
    /* Some clients end a request with an empty line too many. */
    char *rest = text + strspn(text, "\r\n");
    /* Clients that speak TLS need not wait for an answer until their time is over. */
    if (*rest && iscntrl((unsigned char)*rest))
        return 400;
    if (!strstr(rest, "\n\n") && !strstr(rest, "\n\r\n"))
        return size < SWI_HEAD_BYTES ? 0 : 431;
    char *line = line_take(&rest);
    const char *method = strsep(&line, " ");
    char *target = line ? strsep(&line, " ") : "";
    *head_only = strcmp(method, "HEAD") == 0;
    if (!*method || !*target || !line || fnmatch("HTTP/[0-9].[0-9]", line, 0) != 0)
        return 400;
    if (line[5] != '1')
        return 505;
    int status = fields_status(rest, host, strcmp(line, "HTTP/1.0") != 0);
    if (status != 200)
        return status;
    if (!*head_only && strcmp(method, "GET") != 0)
        return 405;
    target[strcspn(target, "?")] = '\0';
    return strcmp(target, "/metrics") == 0 ? 200 : 404;
}
