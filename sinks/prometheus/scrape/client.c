/* SPDX-License-Identifier: MIT */
/* client.c - one connection of the page: a request, its answer, and the end. It never blocks. */

#include "sinks/prometheus/scrape/page_server.h"
#include "core/clock/now.h"
#include "sinks/prometheus/scrape/http_date.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- the text of the page: the sink replaces it while clients still get the one before ------- */

void swi_shown_texts_init(struct swi_shown_texts *texts)
{
    texts->newest = NULL;
    pthread_mutex_init(&texts->lock, NULL);
}

void swi_shown_texts_free(struct swi_shown_texts *texts)
{
    for (struct swi_shown_text *text = texts->newest, *older; text; text = older) {
        older = text->older;
        free(text);
    }
    pthread_mutex_destroy(&texts->lock);
}

static void unread_free(struct swi_shown_text **at)
{
    while (*at) {
        struct swi_shown_text *text = *at;
        if (text->readers) {
            at = &text->older;
            continue;
        }
        *at = text->older;
        free(text);
    }
}

void swi_shown_texts_put(struct swi_shown_texts *texts, const char *data, size_t size)
{
    struct swi_shown_text *fresh = malloc(sizeof *fresh + size);
    if (!fresh)
        return;
    *fresh = (struct swi_shown_text){.size = size};
    memcpy(fresh->data, data, size);
    pthread_mutex_lock(&texts->lock);
    fresh->older = texts->newest;
    texts->newest = fresh;
    unread_free(&fresh->older);
    pthread_mutex_unlock(&texts->lock);
}

/* Returns the newest text, or NULL. It stays until it is given back. */
static const struct swi_shown_text *shown_texts_take(struct swi_shown_texts *texts)
{
    pthread_mutex_lock(&texts->lock);
    struct swi_shown_text *text = texts->newest;
    if (text)
        text->readers++;
    pthread_mutex_unlock(&texts->lock);
    return text;
}

static void shown_texts_give_back(struct swi_shown_texts *texts, const struct swi_shown_text *text)
{
    pthread_mutex_lock(&texts->lock);
    ((struct swi_shown_text *)(uintptr_t)text)->readers--;
    pthread_mutex_unlock(&texts->lock);
}

/* ---- one connection of the page: a request, its answer, and the end -------------------------- */

#define SECOND_NS INT64_C(1000000000)
#define LONGEST_NS (5 * SECOND_NS)
#define REQUEST_NS (SECOND_NS / 10) /* clients send it with their first packet */

/* ---- answers --------------------------------------------------------------------------------- */

static const struct answer {
    int status;
    const char *reason, *fields, *body;
} refusals[] = {
    {SWI_BAD_REQUEST, "Bad Request", "",
     "This is not a valid request of HTTP/1; version 1.1 needs one Host.\n"},
    {SWI_FORBIDDEN, "Forbidden", "", "This is not the host of this page.\n"},
    {SWI_NOT_FOUND, "Not Found", "", "The metrics are at /metrics.\n"},
    {SWI_METHOD_NOT_ALLOWED, "Method Not Allowed", "Allow: GET, HEAD\r\n", "GET and HEAD only.\n"},
    {SWI_HEAD_TOO_LARGE, "Request Header Fields Too Large", "",
     "The head of a request may have 8 KiB.\n"},
    {SWI_VERSION_NOT_SUPPORTED, "HTTP Version Not Supported", "", "HTTP/1.0 and HTTP/1.1 only.\n"},
    {SWI_UNAVAILABLE, "Service Unavailable", "", "There are no metrics yet.\n"},
};

static const struct answer *refusal_of(int status)
{
    size_t i = 0;
    while (refusals[i].status != status)
        i++;
    return &refusals[i];
}

/* Writes the head of the answer over that of the request. */
static void head_make(struct swi_client *client, const struct answer *answer, const char *type,
                      size_t body_size)
{
    char date[40];
    swi_http_date(date, sizeof date, time(NULL));
    int size =
        snprintf(client->text, SWI_HEAD_BYTES,
                 "HTTP/1.1 %d %s\r\nDate: %s\r\nConnection: close\r\nContent-Type: text/plain; "
                 "%scharset=utf-8\r\nContent-Length: %zu\r\n%s\r\n",
                 answer->status, answer->reason, date, type, body_size, answer->fields);
    client->size = (size_t)size;
}

static void refuse(struct swi_client *client, struct swi_request request)
{
    const struct answer *answer = refusal_of(request.status);
    head_make(client, answer, "", strlen(answer->body));
    if (request.head_only)
        return;
    memcpy(client->text + client->size, answer->body, strlen(answer->body));
    client->size += strlen(answer->body);
}

static void answer_make(struct swi_client *client, struct swi_site *site,
                        struct swi_request request)
{
    static const struct answer metrics = {SWI_OK, "OK", "", ""};
    client->body = request.status == SWI_OK ? shown_texts_take(&site->texts) : NULL;
    if (request.status == SWI_OK && !client->body)
        request.status = SWI_UNAVAILABLE;
    if (!client->body) {
        refuse(client, request);
        return;
    }
    head_make(client, &metrics, "version=0.0.4; ", client->body->size);
    if (!request.head_only)
        return;
    shown_texts_give_back(&site->texts, client->body);
    client->body = NULL;
}

/* ---- what a client does ---------------------------------------------------------------------- */

static bool is_over(ssize_t n)
{
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static void request_read(struct swi_client *client, struct swi_site *site)
{
    ssize_t n = recv(client->socket, client->text + client->size, SWI_HEAD_BYTES - client->size, 0);
    if (is_over(n))
        swi_client_close(client, site);
    if (n <= 0)
        return;
    client->size += (size_t)n;
    client->text[client->size] = '\0';
    struct swi_request request = swi_request_read(client->text, client->size, &site->address);
    if (request.status == SWI_NOT_WHOLE)
        return;
    answer_make(client, site, request);
    client->state = SWI_CLIENT_WRITE;
    client->moved_ns = swi_now_ns();
}

/* Sends what is left of the answer's head, else of its body. */
static ssize_t some_send(const struct swi_client *client)
{
    const struct swi_shown_text *body = client->body;
    if (client->sent < client->size)
        return send(client->socket, client->text + client->sent, client->size - client->sent,
                    MSG_NOSIGNAL | (body ? MSG_MORE : 0));
    size_t sent = client->sent - client->size;
    return body ? send(client->socket, body->data + sent, body->size - sent, MSG_NOSIGNAL) : 0;
}

/* The answer is sent, but to close a socket with bytes that have come and were not read, such as a
 * body, takes the answer from the client. So it gets a second to close its end. */
static void leave(struct swi_client *client)
{
    int64_t soon = swi_now_ns() + SECOND_NS;
    shutdown(client->socket, SHUT_WR);
    client->state = SWI_CLIENT_DISCARD;
    if (soon < client->until_ns)
        client->until_ns = soon;
}

static void answer_write(struct swi_client *client, struct swi_site *site)
{
    size_t all = client->size + (client->body ? client->body->size : 0);
    ssize_t n = some_send(client);
    if (n > 0) {
        client->sent += (size_t)n;
        client->moved_ns = swi_now_ns();
    }
    if (is_over(n))
        swi_client_close(client, site);
    else if (client->sent == all)
        leave(client);
}

static void rest_discard(struct swi_client *client, struct swi_site *site)
{
    enum { AT_ONCE = 1 << 20 };
    if (is_over(recv(client->socket, NULL, AT_ONCE, MSG_TRUNC)))
        swi_client_close(client, site);
}

/* ---- connections ----------------------------------------------------------------------------- */

void swi_client_begin(struct swi_client *client, int socket, char *text)
{
    int64_t now = swi_now_ns();
    *client = (struct swi_client){
        .socket = socket, .until_ns = now + LONGEST_NS, .moved_ns = now, .text = text};
}

int64_t swi_client_yields_ns(const struct swi_client *client)
{
    return client->moved_ns + (client->state == SWI_CLIENT_WRITE ? SECOND_NS : REQUEST_NS);
}

short swi_client_events(const struct swi_client *client)
{
    return client->state == SWI_CLIENT_WRITE ? POLLOUT : POLLIN;
}

void swi_client_go_on(struct swi_client *client, struct swi_site *site)
{
    if (client->state == SWI_CLIENT_READ)
        request_read(client, site);
    else if (client->state == SWI_CLIENT_WRITE)
        answer_write(client, site);
    else
        rest_discard(client, site);
}

void swi_client_close(struct swi_client *client, struct swi_site *site)
{
    /* A child of the program may have the socket, too: to close it here would not end it. */
    shutdown(client->socket, SHUT_RDWR);
    close(client->socket);
    client->socket = -1;
    if (client->body)
        shown_texts_give_back(&site->texts, client->body);
    client->body = NULL;
}
