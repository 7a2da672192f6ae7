/* SPDX-License-Identifier: MIT */
/* scrape_address.c - the option `listen`. */
#include "sinks/prometheus/scrape_page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The port of an address is in the same place with both families. */
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
    if (*host != '[') {
        to->v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        return inet_pton(AF_INET, host, &to->v4.sin_addr) == 1;
    }
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", size > 2 ? size - 2 : 0, host + 1);
    to->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    return host[size - 1] == ']' && inet_pton(AF_INET6, bare, &to->v6.sin6_addr) == 1;
}

bool swi_address_is_valid(const char *text)
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

static int listen_fail(const char *text, const char *what, const char *advice, struct sw_error *err)
{
    return sw_error_set(err, SW_EIO, "listen: %s: %s%s", text, what, advice);
}

int swi_address_listen(struct swi_address *address, const char *text, struct sw_error *err)
{
    union socket_address at;
    socklen_t size = sizeof at;
    if (!address_read(&at, text, address->host))
        return listen_fail(text, "is not an address and a port", "", err);
    int made = socket(at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (made < 0 || setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(made, &at.any, size) != 0 || listen(made, SOMAXCONN) != 0) {
        int failed = errno;
        if (made >= 0)
            close(made);
        return listen_fail(text, strerror(failed),
                           failed == EADDRINUSE      ? "; choose another port, or port 0 for any"
                           : failed == EADDRNOTAVAIL ? "; it is not an address of this machine"
                                                     : "",
                           err);
    }
    getsockname(made, &at.any, &size);
    address->socket = made;
    address->loopback = is_loopback(&at);
    snprintf(address->text, sizeof address->text, "%s:%d", address->host, ntohs(at.v4.sin_port));
    return 0;
}
