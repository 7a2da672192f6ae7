/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/scrape/page_server.h"
#include "core/clock/now.h"
#include "core/files/own_table.h"
#include "core/process/roomy_thread.h"
#include "core/process/thread_checker.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 8 };
/* What is polled: the end, new clients, and clients. */
enum { STOP, NEW, FIRST, POLLED = FIRST + CLIENTS };
#define MS INT64_C(1000000)

struct swi_page {
    struct swi_site site;
    pthread_t thread;
    const char *listen;   /* valid until the thread has begun */
    struct sw_error *err; /* so is that */
    sem_t begun;
    atomic_bool stopping;
    bool serves;     /* it could begin */
    int stop;        /* signalfd: ends the wait for clients */
    int64_t deaf_ns; /* no client is accepted before that time */
    struct swi_client client[CLIENTS];
    /* Apart from the rest, so that their memory is used only by so many clients at a time. */
    char text[CLIENTS][SWI_HEAD_BYTES + 1];
};

/* ---- the thread ------------------------------------------------------------------------------ */

/* Returns the place of the next client: a free one, else that of the client which must make room
 * first. Sets when it is free, so that silent clients do not keep others from the page. */
static struct swi_client *next_place(struct swi_page *page, int64_t *free_ns)
{
    struct swi_client *place = NULL;
    *free_ns = INT64_MAX;
    for (int i = 0; i < CLIENTS; i++) {
        struct swi_client *client = &page->client[i];
        int64_t yields_ns = client->socket < 0 ? 0 : swi_client_yields_ns(client);
        if (yields_ns >= *free_ns)
            continue;
        place = client;
        *free_ns = yields_ns;
    }
    return place;
}

/* After an error it does not listen for a second: if too many files are open, the client waits. */
static void client_accept(struct swi_page *page)
{
    int64_t free_ns;
    struct swi_client *client = next_place(page, &free_ns);
    if (free_ns > swi_now_ns())
        return;
    int socket = accept4(page->site.address.socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0 && client->socket >= 0)
        swi_client_close(client, &page->site);
    if (socket >= 0)
        swi_client_begin(client, socket, page->text[client - page->client]);
    else if (errno != EAGAIN && errno != ECONNABORTED)
        page->deaf_ns = swi_now_ns() + 1000 * MS;
}

/* poll() ignores negative descriptors. Returns when to look at the latest. */
static int64_t polls_make(struct swi_page *page, struct pollfd polled[POLLED], int64_t now)
{
    int64_t free_ns;
    next_place(page, &free_ns);
    int64_t from_ns = free_ns > page->deaf_ns ? free_ns : page->deaf_ns;
    bool accepts = now >= from_ns;
    int64_t until = accepts ? now + 1000 * MS : from_ns;
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
    return until <= now ? 0 : (int)((until - now) / MS + 1);
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

/* The end is a signal to this thread, which blocks all signals. A descriptor would be in the table
 * of the thread that ends the page, where the program may close it. Without a signalfd, the end
 * comes with the next second. */
static int stop_open(void)
{
    sigset_t signal;
    sigemptyset(&signal);
    sigaddset(&signal, SIGUSR1);
    return signalfd(-1, &signal, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Opens here what the thread uses: its table of descriptors is its own. */
static bool begin(struct swi_page *page)
{
    pthread_setname_np(pthread_self(), "sw-page");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    swi_own_table();
    page->serves = swi_address_listen(&page->site.address, page->listen, page->err) == 0;
    page->stop = page->serves ? stop_open() : -1;
    bool serves = page->serves;
    sem_post(&page->begun); /* without a page that serves, it is freed now */
    return serves;
}

static void clients_wait(struct swi_page *page)
{
    struct pollfd polled[POLLED];
    do {
        int64_t now = swi_now_ns();
        int64_t until = polls_make(page, polled, now);
        if (poll(polled, POLLED, wait_ms(until, now)) < 0)
            usleep(10000); /* no memory, or a limit of few files: nothing is marked as ready */
        clients_serve(page, polled);
        if (polled[NEW].revents)
            client_accept(page);
    } while (!atomic_load(&page->stopping));
}

static void *page_serve(void *arg)
{
    struct swi_page *page = arg;
    if (!begin(page))
        return NULL;
    clients_wait(page);
    clients_close(page);
    close(page->site.address.socket);
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
    swi_shown_texts_free(&page->site.texts);
    free(page);
}

static struct swi_page *page_new(const char *listen, struct sw_error *err)
{
    struct swi_page *page = malloc(sizeof *page);
    if (!page)
        return NULL;
    page->listen = listen;
    page->err = err;
    page->serves = false;
    page->stop = -1;
    page->deaf_ns = 0;
    atomic_init(&page->stopping, false);
    sem_init(&page->begun, 0, 0);
    swi_shown_texts_init(&page->site.texts);
    for (int i = 0; i < CLIENTS; i++)
        page->client[i] = (struct swi_client){.socket = -1};
    return page;
}

struct swi_page *swi_page_open(const char *listen, struct sw_error *err)
{
    struct swi_page *page = page_new(listen, err);
    bool started = page && swi_blocked_thread(&page->thread, serve, page) == 0;
    if (!started)
        sw_error_set(err, SW_EIO, "listen: %s: not enough memory or threads for a page", listen);
    while (started && sem_wait(&page->begun) != 0)
        ;
    if (started && page->serves)
        return page;
    if (started)
        pthread_join(page->thread, NULL);
    if (page)
        page_free(page);
    return NULL;
}

const struct swi_address *swi_page_address(const struct swi_page *page)
{
    return &page->site.address;
}

void swi_page_set(struct swi_page *page, const char *text, size_t size)
{
    swi_shown_texts_put(&page->site.texts, text, size);
}

void swi_page_close(struct swi_page *page)
{
    atomic_store(&page->stopping, true);
    pthread_kill(page->thread, SIGUSR1);
    pthread_join(page->thread, NULL);
    page_free(page);
}
