/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/scrape_page.h"
#include "core/clock/now.h"
#include "core/files/own_table.h"
#include "core/process/plugin_threads.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#define SECOND_NS INT64_C(1000000000)
#define FOR_EVER INT64_MAX

/* ---- where it listens ------------------------------------------------------------------------ */

/* ::ffff:127.0.0.1 is that of IPv4. */
static bool is_loopback(const union swi_socket_address *at)
{
    const struct in6_addr *v6 = &at->v6.sin6_addr;
    if (at->any.sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
    return ntohl(at->v4.sin_addr.s_addr) >> 24 == 127;
}

/* getaddrinfo() would do it, too, but brings 60 KB of code into the memory of the program. */
bool swi_page_place(struct swi_page *page, const char *text)
{
    const char *colon = strrchr(text, ':');
    char first[6], more[6] = "", bare[64];
    int end = 0;
    if (!colon || colon - text > 63 ||
        sscanf(colon, ":%5[0-9]%n+%5[0-9]%n", first, &end, more, &end) < 1 || colon[end])
        return false;
    int size = (int)(colon - text), port = atoi(first) + atoi(more);
    snprintf(page->host, sizeof page->host, "%.*s", size ? size : 9, size ? text : "127.0.0.1");
    bool v6 = sscanf(page->host, "[%63[^]]]%n", bare, &end) == 1 && end == size;
    int family = v6 ? AF_INET6 : AF_INET;
    page->at.v6 = (struct sockaddr_in6){.sin6_family = (sa_family_t)family,
                                        .sin6_port = htons((uint16_t)port)};
    bool known = inet_pton(family, v6 ? bare : page->host,
                           v6 ? (void *)&page->at.v6.sin6_addr : &page->at.v4.sin_addr) == 1;
    page->loopback = known && is_loopback(&page->at);
    /* Port 0 is any; there is none after it. */
    return known && port <= 65535 && (atoi(first) || !*more);
}

/* Returns false, with errno, for a port that is taken, for example. The end of the page is a signal
 * to its thread, since a descriptor would be in the table of the program, which may close it. */
static bool page_listen(struct swi_page *page)
{
    sigset_t end;
    socklen_t size = sizeof page->at;
    int on = 1, delay_s = 1, ahead = 1 << 16;
    sigemptyset(&end);
    sigaddset(&end, SIGUSR1);
    page->stop = signalfd(-1, &end, SFD_CLOEXEC | SFD_NONBLOCK);
    page->socket = socket(page->at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (page->stop < 0 || page->socket < 0 ||
        setsockopt(page->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(page->socket, &page->at.any, size) != 0 || listen(page->socket, SOMAXCONN) != 0)
        return false;
    getsockname(page->socket, &page->at.any, &size);
    /* The kernel hands over a client with the begin of its request, or after a second. */
    setsockopt(page->socket, IPPROTO_TCP, TCP_DEFER_ACCEPT, &delay_s, sizeof delay_s);
    /* It takes little ahead of a client, or one that reads slowly looks as if it had stopped. */
    setsockopt(page->socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &ahead, sizeof ahead);
    return true;
}

/* ---- what a client asks for ------------------------------------------------------------------ */

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
    if (!*method || !*target || !line || fnmatch("HTTP/1.[0-9]", line, 0) != 0)
        return 400;
    int status = fields_status(rest, host, strcmp(line, "HTTP/1.0") != 0);
    if (status != 200)
        return status;
    if (!*head_only && strcmp(method, "GET") != 0)
        return 405;
    target[strcspn(target, "?")] = '\0';
    return strcmp(target, "/metrics") == 0 ? 200 : 404;
}

/* ---- one client ------------------------------------------------------------------------------ */

/* Returns whether a socket is ready before a time, and before the page ends. */
static bool wait_for(const struct swi_page *page, int socket, short events, int64_t until_ns)
{
    struct pollfd polled[] = {{.fd = page->stop, .events = POLLIN},
                              {.fd = socket, .events = events}};
    int64_t left_ns = until_ns - swi_now_ns();
    if (left_ns <= 0)
        return false;
    int ready = poll(polled, 2, until_ns == FOR_EVER ? -1 : (int)(left_ns / 1000000) + 1);
    if (ready < 0)
        usleep(10000); /* no memory, or a limit of few files: the caller finds out */
    return ready && !polled[0].revents;
}

static bool is_over(ssize_t n)
{
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* Returns the status of the answer, or 0 for none. The kernel has waited for clients that say
 * nothing. */
static int request_read(struct swi_page *page, int client, bool *head_only)
{
    int64_t begun_ns = swi_now_ns(), until_ns = begun_ns + SECOND_NS / 50;
    size_t size = 0;
    int status = 0;
    while (!status && wait_for(page, client, POLLIN, until_ns)) {
        ssize_t n = recv(client, page->head + size, SWI_HEAD_BYTES - size, 0);
        if (is_over(n))
            return 0;
        size += n > 0 ? (size_t)n : 0;
        page->head[size] = '\0';
        status = swi_request_read(page->head, size, page->loopback ? page->host : NULL, head_only);
        until_ns = begun_ns + SECOND_NS;
    }
    return status;
}

static const struct answer {
    int status;
    const char *reason, *fields, *body;
} answers[] = {
    {200, "OK", "", ""},
    {400, "Bad Request", "", "Not a valid request of HTTP/1; version 1.1 needs one Host.\n"},
    {403, "Forbidden", "", "This is not the host of this page.\n"},
    {404, "Not Found", "", "The metrics are at /metrics.\n"},
    {405, "Method Not Allowed", "Allow: GET, HEAD\r\n", "GET and HEAD only.\n"},
    {431, "Request Header Fields Too Large", "", "The head of a request may have 8 KiB.\n"},
};

static void answer_make(struct swi_page *page, int status, bool head_only)
{
    bool good = status == 200;
    const struct answer *answer = answers;
    while (answer->status != status)
        answer++;
    page->answer.size = 0;
    pthread_mutex_lock(&page->newest->lock);
    const char *body = good ? page->newest->text.data : answer->body;
    swi_text_format(&page->answer,
                    "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: text/plain; "
                    "%scharset=utf-8\r\nContent-Length: %zu\r\n%s\r\n%s",
                    status, answer->reason, good ? "version=0.0.4; " : "", strlen(body),
                    answer->fields, head_only ? "" : body);
    pthread_mutex_unlock(&page->newest->lock);
}

/* A client may stop reading for a second, and take five for all. */
static void answer_send(struct swi_page *page, int client)
{
    int64_t now_ns = swi_now_ns(), last_ns = now_ns + 5 * SECOND_NS;
    for (size_t sent = 0; sent < page->answer.size && now_ns < last_ns; now_ns = swi_now_ns()) {
        if (!wait_for(page, client, POLLOUT, now_ns + SECOND_NS))
            return;
        ssize_t n = send(client, page->answer.data + sent, page->answer.size - sent, MSG_NOSIGNAL);
        if (is_over(n))
            return;
        sent += n > 0 ? (size_t)n : 0;
    }
}

static void client_serve(struct swi_page *page, int client)
{
    bool head_only = false;
    int status = request_read(page, client, &head_only);
    if (status) {
        answer_make(page, status, head_only);
        answer_send(page, client);
        /* To close a socket with bytes that have come and were not read would take the answer from
         * the client. Where a body may come, it has a second to close its end. */
        int64_t until_ns = swi_now_ns() + (status == 200 ? 0 : SECOND_NS);
        shutdown(client, SHUT_WR);
        while (wait_for(page, client, POLLIN, until_ns) &&
               !is_over(recv(client, page->head, SWI_HEAD_BYTES, 0)))
            ;
    }
    /* A child of the program may have the socket, too: to close it here would not end it. */
    shutdown(client, SHUT_RDWR);
    close(client);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Opens here what it uses: its table of descriptors is its own. */
static void *page_serve(void *arg)
{
    struct swi_page *page = arg;
    pthread_setname_np(pthread_self(), "sw-page");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    swi_own_table();
    page->failed = page_listen(page) ? 0 : errno;
    pthread_barrier_wait(&page->begun);
    while (!page->failed && wait_for(page, page->socket, POLLIN, FOR_EVER)) {
        int client = accept4(page->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client >= 0)
            client_serve(page, client);
        else
            usleep(10000); /* such as for too many open files */
    }
    close(page->socket);
    close(page->stop);
    return NULL;
}

static void *serve(void *page)
{
    return swi_unchecked(page_serve, page);
}

int swi_page_open(struct swi_page *page, const char *listen, struct sw_error *err)
{
    if (!swi_page_place(page, listen))
        return sw_error_set(err, SW_EIO, "listen: %s: is not an address and a port", listen);
    pthread_barrier_init(&page->begun, NULL, 2);
    if (swi_blocked_thread(&page->thread, serve, page) != 0)
        return sw_error_set(err, SW_EIO, "listen: %s: cannot start a thread", listen);
    pthread_barrier_wait(&page->begun);
    if (!page->failed) {
        snprintf(page->address, sizeof page->address, "%s:%d", page->host,
                 ntohs(page->at.v4.sin_port));
        return 0;
    }
    swi_page_close(page);
    return sw_error_set(err, SW_EIO, "listen: %s: %s%s", listen, strerror(page->failed),
                        page->failed == EADDRINUSE      ? "; choose another port, or port 0 for any"
                        : page->failed == EADDRNOTAVAIL ? "; it is not an address of this machine"
                                                        : "");
}

void swi_page_close(struct swi_page *page)
{
    pthread_kill(page->thread, SIGUSR1);
    pthread_join(page->thread, NULL);
    pthread_barrier_destroy(&page->begun);
    swi_text_free(&page->answer);
}
