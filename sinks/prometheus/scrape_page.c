/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/scrape_page.h"
#include "core/clock/now.h"
#include "core/files/own_table.h"
#include "core/process/plugin_threads.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#define SECOND_NS INT64_C(1000000000)

struct shown_text {
    size_t size;
    char data[];
};

struct swi_page {
    int socket;       /* listens, and does not block */
    char address[80]; /* "127.0.0.1:29464", with the port that it got */
    char host[64];    /* "127.0.0.1" or "[::1]" */
    bool loopback;    /* only programs on this machine can connect */
    pthread_t thread;
    const char *listen;   /* valid until the thread has begun */
    struct sw_error *err; /* so is that */
    sem_t begun;
    bool serves; /* it could begin */
    atomic_bool stopping;
    int stop;         /* signalfd: ends a wait */
    int64_t quiet_ns; /* how long a client may take to begin its request */
    pthread_mutex_t lock;
    struct shown_text *newest, *sent, *replaced; /* sent: to a client; replaced: meanwhile */
    char head[SWI_HEAD_BYTES + 1];               /* the request's, then that of the answer */
};

/* ---- where it listens ------------------------------------------------------------------------ */

/* Family and port of an address are in the same places with both families. */
union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Reads "PORT" or "PORT+N", where N is often a rank. Returns -1 if it is neither, or no port. */
static int port_read(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    const char *more = text[digits] == '+' ? text + digits + 1 : NULL;
    size_t rest = more ? strspn(more, "0123456789") : 0;
    bool good = digits && digits < 6 && (more ? rest && rest < 6 && !more[rest] : !text[digits]);
    int first = good ? atoi(text) : 0, port = first + (more && good ? atoi(more) : 0);
    /* Port 0 is any; there is none after it. */
    return good && port <= 65535 && (first || !more) ? port : -1;
}

/* Reads "HOST:PORT"; without a host it is 127.0.0.1. getaddrinfo() would do it, too, but brings 60
 * KB of code into the memory of the program. */
static bool address_read(union socket_address *to, const char *text, char host[64])
{
    const char *colon = strrchr(text, ':');
    int size = colon && colon - text < 64 ? (int)(colon - text) : -1;
    int port = size < 0 ? -1 : port_read(colon + 1);
    if (port < 0)
        return false;
    snprintf(host, 64, "%.*s", size ? size : 9, size ? text : "127.0.0.1");
    char bare[64];
    int end = 0,
        family = sscanf(host, "[%63[^]]]%n", bare, &end) && end == size ? AF_INET6 : AF_INET;
    *to = (union socket_address){.v6 = {.sin6_family = family, .sin6_port = htons(port)}};
    return inet_pton(family, family == AF_INET6 ? bare : host,
                     family == AF_INET6 ? (void *)&to->v6.sin6_addr : &to->v4.sin_addr) == 1;
}

bool swi_page_address_is_valid(const char *text)
{
    union socket_address unused;
    char host[64];
    return address_read(&unused, text, host);
}

/* ::ffff:127.0.0.1 is that of IPv4. */
static bool is_loopback(const union socket_address *address)
{
    const struct in6_addr *v6 = &address->v6.sin6_addr;
    if (address->any.sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
    return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
}

static bool listen_fail(struct swi_page *page, const char *what, const char *advice)
{
    sw_error_set(page->err, SW_EIO, "listen: %s: %s%s", page->listen, what, advice);
    return false;
}

/* Returns false for a port that is taken, for example. */
static bool page_listen(struct swi_page *page)
{
    union socket_address at;
    socklen_t size = sizeof at;
    if (!address_read(&at, page->listen, page->host))
        return listen_fail(page, "is not an address and a port", "");
    int made = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (made < 0 || setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(made, &at.any, size) != 0 || listen(made, SOMAXCONN) != 0) {
        int failed = errno;
        if (made >= 0)
            close(made);
        return listen_fail(page, strerror(failed),
                           failed == EADDRINUSE      ? "; choose another port, or port 0 for any"
                           : failed == EADDRNOTAVAIL ? "; it is not an address of this machine"
                                                     : "");
    }
    getsockname(made, &at.any, &size);
    page->socket = made;
    page->loopback = is_loopback(&at);
    snprintf(page->address, sizeof page->address, "%s:%d", page->host, ntohs(at.v4.sin_port));
    return true;
}

/* ---- one client ------------------------------------------------------------------------------ */

/* Returns whether a socket is ready before a time, and before the page ends. */
static bool wait_for(struct swi_page *page, int socket, short events, int64_t until_ns)
{
    struct pollfd polled[] = {{.fd = page->stop, .events = POLLIN},
                              {.fd = socket, .events = events}};
    int64_t now_ns;
    while (!atomic_load(&page->stopping) && (now_ns = swi_now_ns()) < until_ns) {
        if (poll(polled, 2, (int)((until_ns - now_ns) / 1000000) + 1) < 0)
            usleep(10000); /* no memory, or a limit of few files: nothing is marked as ready */
        else if (polled[1].revents)
            return true;
    }
    return false;
}

static bool is_over(ssize_t n)
{
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* Returns the status of the answer, or 0 for none. */
static int request_read(struct swi_page *page, int client, bool *head_only)
{
    int64_t begun_ns = swi_now_ns(), until_ns = begun_ns + page->quiet_ns;
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

/* A client may stop reading for a second, and take five for all. */
static bool send_all(struct swi_page *page, int client, const char *data, size_t size)
{
    int64_t last_ns = swi_now_ns() + 5 * SECOND_NS;
    while (size) {
        ssize_t n = send(client, data, size, MSG_NOSIGNAL);
        int64_t now_ns = swi_now_ns();
        if (is_over(n) || now_ns > last_ns ||
            (n < 0 && !wait_for(page, client, POLLOUT, now_ns + SECOND_NS)))
            return false;
        data += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static const struct answer {
    int status;
    const char *reason, *fields, *body;
} answers[] = {
    {200, "OK", "", ""},
    {400, "Bad Request", "",
     "This is not a valid request of HTTP/1; version 1.1 needs one Host.\n"},
    {403, "Forbidden", "", "This is not the host of this page.\n"},
    {404, "Not Found", "", "The metrics are at /metrics.\n"},
    {405, "Method Not Allowed", "Allow: GET, HEAD\r\n", "GET and HEAD only.\n"},
    {431, "Request Header Fields Too Large", "", "The head of a request may have 8 KiB.\n"},
    {505, "HTTP Version Not Supported", "", "HTTP/1.0 and HTTP/1.1 only.\n"},
    {503, "Service Unavailable", "", "There are no metrics yet.\n"},
};

/* Returns the newest text, or NULL. It is not freed until the next call. */
static struct shown_text *text_hold(struct swi_page *page, bool newest)
{
    pthread_mutex_lock(&page->lock);
    struct shown_text *text = page->sent = newest ? page->newest : NULL;
    pthread_mutex_unlock(&page->lock);
    return text;
}

static void answer_send(struct swi_page *page, int client, int status, bool head_only)
{
    enum { AT_ONCE = 1 << 20 };
    const struct shown_text *text = text_hold(page, status == 200);
    const struct answer *answer = answers;
    while (answer->status != (status == 200 && !text ? 503 : status))
        answer++;
    int size = snprintf(page->head, sizeof page->head,
                        "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: text/plain; "
                        "%scharset=utf-8\r\nContent-Length: %zu\r\n%s\r\n%s",
                        answer->status, answer->reason, text ? "version=0.0.4; " : "",
                        text ? text->size : strlen(answer->body), answer->fields,
                        head_only ? "" : answer->body);
    if (send_all(page, client, page->head, (size_t)size) && text && !head_only)
        send_all(page, client, text->data, text->size);
    text_hold(page, false);
    /* To close a socket with bytes that have come and were not read would take the answer from the
     * client. Where a body may come, it has a second to close its end. */
    int64_t until_ns = swi_now_ns() + (status == 200 ? 0 : SECOND_NS);
    shutdown(client, SHUT_WR);
    while (wait_for(page, client, POLLIN, until_ns) &&
           !is_over(recv(client, NULL, AT_ONCE, MSG_TRUNC)))
        ;
}

static void client_serve(struct swi_page *page, int client)
{
    bool head_only = false;
    int status = request_read(page, client, &head_only);
    if (status)
        answer_send(page, client, status, head_only);
    /* A child of the program may have the socket, too: to close it here would not end it. */
    shutdown(client, SHUT_RDWR);
    close(client);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Opens here what the thread uses: its table of descriptors is its own. The end of the page is a
 * signal to it, since a descriptor would be in the table of the program, which may close it. */
static bool begin(struct swi_page *page)
{
    int serve_delay_s = 1;
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGUSR1);
    pthread_setname_np(pthread_self(), "sw-page");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    swi_own_table();
    bool serves = page_listen(page);
    if (serves) {
        /* The kernel hands over a client with the begin of its request, or after a second. */
        bool deferred = setsockopt(page->socket, IPPROTO_TCP, TCP_DEFER_ACCEPT, &serve_delay_s,
                                   sizeof serve_delay_s) == 0;
        page->quiet_ns = deferred ? SECOND_NS / 50 : SECOND_NS;
        page->stop = signalfd(-1, &end, SFD_CLOEXEC | SFD_NONBLOCK);
    }
    page->serves = serves;
    sem_post(&page->begun); /* without a page that serves, it is freed now */
    return serves;
}

static void *page_serve(void *arg)
{
    struct swi_page *page = arg;
    if (!begin(page))
        return NULL;
    while (!atomic_load(&page->stopping)) {
        /* Without a signalfd, it looks once a second whether to stop. */
        if (!wait_for(page, page->socket, POLLIN, swi_now_ns() + SECOND_NS))
            continue;
        int client = accept4(page->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client >= 0)
            client_serve(page, client);
        else if (errno != EAGAIN && errno != ECONNABORTED)
            wait_for(page, -1, 0, swi_now_ns() + SECOND_NS); /* such as for too many open files */
    }
    close(page->socket);
    if (page->stop >= 0)
        close(page->stop);
    return NULL;
}

static void *serve(void *page)
{
    return swi_unchecked(page_serve, page);
}

/* ---- open, set, close ------------------------------------------------------------------------ */

static void page_free(struct swi_page *page)
{
    sem_destroy(&page->begun);
    pthread_mutex_destroy(&page->lock);
    free(page->newest);
    free(page->replaced);
    free(page);
}

struct swi_page *swi_page_open(const char *listen, struct sw_error *err)
{
    struct swi_page *page = calloc(1, sizeof *page);
    if (!page) {
        sw_error_set(err, SW_ENOMEM, "listen: %s: out of memory", listen);
        return NULL;
    }
    page->listen = listen;
    page->err = err;
    sem_init(&page->begun, 0, 0);
    pthread_mutex_init(&page->lock, NULL);
    if (swi_blocked_thread(&page->thread, serve, page) != 0) {
        sw_error_set(err, SW_EIO, "listen: %s: cannot start a thread", listen);
    } else {
        while (sem_wait(&page->begun) != 0)
            ;
        if (page->serves)
            return page;
        pthread_join(page->thread, NULL);
    }
    page_free(page);
    return NULL;
}

const char *swi_page_address(const struct swi_page *page, bool *loopback)
{
    *loopback = page->loopback;
    return page->address;
}

/* Frees texts here, so that the thread needs no memory of its own. */
void swi_page_set(struct swi_page *page, const char *text, size_t size)
{
    struct shown_text *fresh = malloc(sizeof *fresh + size);
    if (!fresh)
        return;
    fresh->size = size;
    memcpy(fresh->data, text, size);
    pthread_mutex_lock(&page->lock);
    if (page->replaced != page->sent) {
        free(page->replaced);
        page->replaced = NULL;
    }
    if (page->newest == page->sent)
        page->replaced = page->newest;
    else
        free(page->newest);
    page->newest = fresh;
    pthread_mutex_unlock(&page->lock);
}

void swi_page_close(struct swi_page *page)
{
    atomic_store(&page->stopping, true);
    pthread_kill(page->thread, SIGUSR1);
    pthread_join(page->thread, NULL);
    page_free(page);
}
