/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/scrape/page_server.h"
#include "core/clock/now.h"
#include "sinks/prometheus/scrape/client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 8 };
/* What is polled: the end, new clients, and clients. */
enum { STOP, NEW, FIRST, POLLED = FIRST + CLIENTS };
#define MS INT64_C(1000000)

struct swi_page {
    struct swi_site site;
    pthread_t thread;
    int stop;        /* eventfd: the thread shall end */
    int64_t deaf_ns; /* no client is accepted before that time */
    struct swi_client client[CLIENTS];
    /* Apart from the rest, so that their memory is used only by so many clients at a time. */
    char text[CLIENTS][SWI_HEAD_BYTES + 1];
};

/* ---- the thread ------------------------------------------------------------------------------ */

static struct swi_client *free_client(struct swi_page *page)
{
    for (int i = 0; i < CLIENTS; i++)
        if (page->client[i].socket < 0)
            return &page->client[i];
    return NULL;
}

/* After an error it does not listen for a second: if the process has too many files open, the
 * client waits, and if the program has closed the socket, this thread is not busy with it. */
static void client_accept(struct swi_page *page)
{
    struct swi_client *client = free_client(page);
    if (!client)
        return;
    int socket = accept4(page->site.address.socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0)
        swi_client_begin(client, socket, page->text[client - page->client]);
    else if (errno != EAGAIN && errno != ECONNABORTED)
        page->deaf_ns = swi_now_ns() + 1000 * MS;
}

/* poll() ignores negative descriptors. Returns when to look at the latest, INT64_MAX for never. */
static int64_t polls_make(struct swi_page *page, struct pollfd polled[POLLED], int64_t now)
{
    bool deaf = now < page->deaf_ns, accepts = !deaf && free_client(page);
    int64_t until = deaf ? page->deaf_ns : INT64_MAX;
    polled[STOP] = (struct pollfd){.fd = page->stop, .events = POLLIN};
    polled[NEW] = (struct pollfd){.fd = accepts ? page->site.address.socket : -1, .events = POLLIN};
    for (int i = 0; i < CLIENTS; i++) {
        struct swi_client *client = &page->client[i];
        polled[FIRST + i] = (struct pollfd){client->socket, swi_client_events(client), 0};
        if (client->socket >= 0 && client->until_ns < until)
            until = client->until_ns;
    }
    return until;
}

static int wait_ms(int64_t until, int64_t now)
{
    return until == INT64_MAX ? -1 : until <= now ? 0 : (int)((until - now) / MS + 1);
}

static void clients_serve(struct swi_page *page, const struct pollfd polled[POLLED])
{
    int64_t now = swi_now_ns();
    for (int i = 0; i < CLIENTS; i++) {
        struct swi_client *client = &page->client[i];
        if (polled[FIRST + i].revents)
            swi_client_go_on(client, &page->site);
        if (client->socket >= 0 && now >= client->until_ns)
            swi_client_close(client, &page->site);
    }
}

static void clients_close(struct swi_page *page)
{
    for (int i = 0; i < CLIENTS; i++)
        if (page->client[i].socket >= 0)
            swi_client_close(&page->client[i], &page->site);
}

/* Also if the program has closed the eventfd, which would be ready at once for ever. */
static bool shall_end(const struct swi_page *page)
{
    eventfd_t stop;
    return eventfd_read(page->stop, &stop) == 0 || errno != EAGAIN;
}

static void *serve(void *arg)
{
    struct swi_page *page = arg;
    struct pollfd polled[POLLED];
    pthread_setname_np(pthread_self(), "sw-page");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    do {
        int64_t now = swi_now_ns();
        int64_t until = polls_make(page, polled, now);
        if (poll(polled, POLLED, wait_ms(until, now)) < 0)
            usleep(10000); /* no memory, or a limit of few files: nothing is marked as ready */
        clients_serve(page, polled);
        if (polled[NEW].revents)
            client_accept(page);
    } while (!shall_end(page));
    clients_close(page);
    return NULL;
}

/* Blocks all signals, which are meant for the program's own threads. */
static int thread_start(struct swi_page *page)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&page->thread, NULL, serve, page);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* ---- open, set, close ------------------------------------------------------------------------ */

static void page_free(struct swi_page *page)
{
    if (page->stop >= 0)
        close(page->stop);
    swi_shown_texts_free(&page->site.texts);
    free(page);
}

struct swi_page *swi_page_open(const struct swi_address *address)
{
    struct swi_page *page = malloc(sizeof *page);
    if (!page)
        return NULL;
    page->site.address = *address;
    page->deaf_ns = 0;
    page->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    swi_shown_texts_init(&page->site.texts);
    for (int i = 0; i < CLIENTS; i++)
        page->client[i] = (struct swi_client){.socket = -1};
    if (page->stop >= 0 && thread_start(page) == 0)
        return page;
    page_free(page);
    return NULL;
}

void swi_page_set(struct swi_page *page, const char *text, size_t size)
{
    swi_shown_texts_put(&page->site.texts, text, size);
}

void swi_page_close(struct swi_page *page)
{
    if (eventfd_write(page->stop, 1) != 0)
        pthread_cancel(page->thread); /* the program has closed the eventfd */
    pthread_join(page->thread, NULL);
    /* Else clients could still connect, and the port be taken, while the program has a child. */
    shutdown(page->site.address.socket, SHUT_RDWR);
    close(page->site.address.socket);
    page_free(page);
}
