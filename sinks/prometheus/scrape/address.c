/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/scrape/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* Splits "HOST:PORT"; without a host it is 127.0.0.1. Returns false if it is not of this form. */
static bool split(const char *text, char host[64], char port[8])
{
    const char *colon = strrchr(text, ':');
    size_t size = colon ? (size_t)(colon - text) : 0;
    bool brackets = size > 2 && text[0] == '[' && colon[-1] == ']';
    if (!colon || size >= 64 || strlen(colon + 1) >= 6 || !colon[1] ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1) || atoi(colon + 1) > 65535)
        return false;
    snprintf(port, 8, "%s", colon + 1);
    snprintf(host, 64, "%.*s", (int)(brackets ? size - 2 : size), text + brackets);
    if (!size)
        snprintf(host, 64, "127.0.0.1");
    return brackets || !strchr(host, ':');
}

static struct addrinfo *found(const char *text)
{
    char host[64], port[8];
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                             .ai_socktype = SOCK_STREAM},
                    *list = NULL;
    if (split(text, host, port) && getaddrinfo(host, port, &hints, &list) != 0)
        list = NULL;
    return list;
}

bool swi_address_is_valid(const char *text)
{
    struct addrinfo *list = found(text);
    if (list)
        freeaddrinfo(list);
    return list != NULL;
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
    const struct in_addr *own = &((const struct sockaddr_in *)address)->sin_addr;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): getsockname() has filled it in */
    return ntohl(own->s_addr) >> 24 == 127;
}

static void describe(struct swi_address *address)
{
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof own;
    char host[48] = "", port[8] = "";
    getsockname(address->socket, (struct sockaddr *)&own, &size);
    getnameinfo((struct sockaddr *)&own, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    address->loopback = is_loopback((struct sockaddr *)&own);
    snprintf(address->host, sizeof address->host, own.ss_family == AF_INET6 ? "[%s]" : "%s", host);
    snprintf(address->text, sizeof address->text, "%s:%s", address->host, port);
}

int swi_address_listen(struct swi_address *address, const char *text, struct sw_error *err)
{
    struct addrinfo *list = found(text);
    int on = 1;
    address->socket =
        list ? socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    bool listens = address->socket >= 0 &&
                   setsockopt(address->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                   bind(address->socket, list->ai_addr, list->ai_addrlen) == 0 &&
                   listen(address->socket, 8) == 0;
    int failed = errno;
    if (list)
        freeaddrinfo(list);
    if (listens) {
        describe(address);
        return 0;
    }
    if (address->socket >= 0)
        close(address->socket);
    address->socket = -1;
    return sw_error_set(err, SW_EIO, "listen: %s: %s", text,
                        list ? strerror(failed) : "is not an address and a port");
}

bool swi_address_is_host(const struct swi_address *address, const char *host)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *colon = strrchr(host, ':');
    bool port = colon && strspn(colon + 1, "0123456789") == strlen(colon + 1);
    size_t size = port ? (size_t)(colon - host) : strlen(host);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (size == strlen(own[i]) && strncasecmp(host, own[i], size) == 0)
            return true;
    return size == strlen(address->host) && strncasecmp(host, address->host, size) == 0;
}
