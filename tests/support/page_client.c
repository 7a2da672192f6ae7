/* SPDX-License-Identifier: MIT */
#include "tests/support/page_client.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int page_port(struct host *host)
{
    static const char begin[] = "http://127.0.0.1:";
    const char *said = NULL;
    for (int i = 0; i < 500 && !said; i++) {
        said = strstr(host_messages(host), begin);
        if (!said)
            usleep(10000);
    }
    ck_assert_msg(said != NULL, "%s", host_messages(host));
    return atoi(said + sizeof begin - 1);
}

int page_try_connect(int client, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return connect(client, (struct sockaddr *)&address, sizeof address);
}

void page_connect(int client, int port)
{
    ck_assert_int_eq(page_try_connect(client, port), 0);
}

int page_client(int port)
{
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    page_connect(client, port);
    return client;
}

void page_say(int client, const char *text)
{
    ck_assert_int_eq(send(client, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

const char *page_heard(int client)
{
    static char text[1 << 24];
    size_t size = 0;
    ssize_t n;
    struct timeval for_ever = {0};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &for_ever, sizeof for_ever);
    while ((n = read(client, text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)n;
    text[size] = '\0';
    close(client);
    return text;
}

bool page_hears_within(int client, int ms)
{
    struct timeval limit = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    char byte;
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return recv(client, &byte, 1, MSG_PEEK) >= 0 || errno != EAGAIN;
}

const char *page_answer(int port, const char *request)
{
    int client = page_client(port);
    page_say(client, request);
    return page_heard(client);
}

struct host *page_open(int *port)
{
    host_name("digits");
    struct host *host = host_open("prometheus", "listen: \"127.0.0.1:0\"\n");
    host_metric(host, 0, "loss", 2.5);
    ck_assert_int_eq(sw_flush(host_profiler(host), INT64_C(5000000000)), 0);
    *port = page_port(host);
    return host;
}
