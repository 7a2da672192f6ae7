/* SPDX-License-Identifier: MIT */
#include "tests/wandb/canned.h"

#include <arpa/inet.h>
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char canned_mute[] = "mute";
const char canned_endless[] = "endless";

enum { ROOM = 1 << 20 };

struct canned {
    const char *const *answer;
    int listener;
    int stop[2];
    char url[64];
    pthread_t thread;
    pthread_mutex_t lock;
    char *log;
    size_t size;
    char *shown;
    int connections, count;
};

/* False: the test is over. */
static bool wait_for(struct canned *c, int fd, short events)
{
    struct pollfd fds[] = {{.fd = fd, .events = events}, {.fd = c->stop[0], .events = POLLIN}};
    return poll(fds, 2, -1) > 0 && !(fds[1].revents & POLLIN);
}

/* Reads one request into buffer; returns its bytes, or 0 if there is none. */
static size_t receive(struct canned *c, int fd, char *buffer)
{
    size_t size = 0;
    for (;;) {
        ssize_t n = wait_for(c, fd, POLLIN) ? read(fd, buffer + size, ROOM - 1 - size) : 0;
        if (n <= 0)
            return 0;
        size += (size_t)n;
        buffer[size] = '\0';
        const char *end = strstr(buffer, "\r\n\r\n");
        const char *length = strcasestr(buffer, "\r\nContent-Length:");
        size_t body = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
        if (end && size >= (size_t)(end + 4 - buffer) + body)
            return size;
    }
}

static bool give(struct canned *c, int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t n = wait_for(c, fd, POLLOUT) ? send(fd, text, size, MSG_NOSIGNAL) : -1;
        if (n <= 0)
            return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

static void give_endless(struct canned *c, int fd)
{
    static const char zeros[65536];
    const char *head = "HTTP/1.1 200 OK\r\n\r\n";
    if (give(c, fd, head, strlen(head)))
        while (give(c, fd, zeros, sizeof zeros))
            ;
}

/* The next answer; the last one stays. */
static const char *keep(struct canned *c, const char *request, size_t size)
{
    pthread_mutex_lock(&c->lock);
    if (c->size + size < ROOM)
        memcpy(c->log + c->size, request, size), c->size += size;
    const char *answer = c->answer[0];
    if (c->answer[1])
        c->answer++;
    c->count++;
    pthread_mutex_unlock(&c->lock);
    return answer;
}

static void serve(struct canned *c, int fd, char *buffer)
{
    size_t size;
    while ((size = receive(c, fd, buffer)) > 0) {
        const char *answer = keep(c, buffer, size);
        if (answer == canned_mute)
            wait_for(c, fd, 0);
        else if (answer == canned_endless)
            give_endless(c, fd);
        else if (give(c, fd, answer, strlen(answer)) && !strstr(answer, "Connection: close"))
            continue;
        return;
    }
}

static void *run(void *arg)
{
    struct canned *c = arg;
    char *buffer = malloc(ROOM);
    while (wait_for(c, c->listener, POLLIN)) {
        int fd = accept(c->listener, NULL, NULL);
        pthread_mutex_lock(&c->lock);
        c->connections++;
        pthread_mutex_unlock(&c->lock);
        serve(c, fd, buffer);
        close(fd);
    }
    free(buffer);
    return NULL;
}

struct canned *canned_open(const char *const *answers)
{
    struct canned *c = calloc(1, sizeof *c);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    c->answer = answers;
    c->log = calloc(1, ROOM);
    c->shown = calloc(1, ROOM);
    c->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(c->listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(c->listener, 16), 0);
    getsockname(c->listener, (struct sockaddr *)&address, &size);
    snprintf(c->url, sizeof c->url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    ck_assert_int_eq(pipe(c->stop), 0);
    pthread_mutex_init(&c->lock, NULL);
    ck_assert_int_eq(pthread_create(&c->thread, NULL, run, c), 0);
    return c;
}

const char *canned_url(const struct canned *canned)
{
    return canned->url;
}

const char *canned_requests(struct canned *canned)
{
    pthread_mutex_lock(&canned->lock);
    memcpy(canned->shown, canned->log, canned->size);
    pthread_mutex_unlock(&canned->lock);
    return canned->shown;
}

static int number(struct canned *canned, const int *what)
{
    pthread_mutex_lock(&canned->lock);
    int value = *what;
    pthread_mutex_unlock(&canned->lock);
    return value;
}

int canned_connections(struct canned *canned)
{
    return number(canned, &canned->connections);
}

int canned_count(struct canned *canned)
{
    return number(canned, &canned->count);
}

void canned_close(struct canned *canned)
{
    ck_assert_int_eq(write(canned->stop[1], "", 1), 1);
    pthread_join(canned->thread, NULL);
    pthread_mutex_destroy(&canned->lock);
    close(canned->listener);
    close(canned->stop[0]);
    close(canned->stop[1]);
    free(canned->log);
    free(canned->shown);
    free(canned);
}
