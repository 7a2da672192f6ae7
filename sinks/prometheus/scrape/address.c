/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/scrape/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* Splits "HOST:PORT"; without a host it is 127.0.0.1. Returns false if it is not of this form. */
static bool split(const char *text, char host[64], int *port)
{
    const char *colon = strrchr(text, ':');
    size_t size = colon ? (size_t)(colon - text) : 0;
    bool brackets = size > 2 && text[0] == '[' && colon[-1] == ']';
    if (!colon || size >= 64 || (*port = port_read(colon + 1)) < 0)
        return false;
    snprintf(host, 64, "%.*s", (int)(brackets ? size - 2 : size), text + brackets);
    if (!size)
        snprintf(host, 64, "127.0.0.1");
    return brackets || !strchr(host, ':');
}

/* An address to listen on. */
struct numeric_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    };
    socklen_t size;
    char host[64]; /* without brackets */
};

/* Reads the address of a link, such as fe80::1%eth0, or another one of IPv6. */
static bool v6_read(struct sockaddr_in6 *v6, const char *host)
{
    char address[64];
    size_t size = strcspn(host, "%");
    snprintf(address, sizeof address, "%.*s", (int)size, host);
    v6->sin6_family = AF_INET6;
    v6->sin6_scope_id = host[size] ? if_nametoindex(host + size + 1) : 0;
    return inet_pton(AF_INET6, address, &v6->sin6_addr) == 1 && (!host[size] || v6->sin6_scope_id);
}

/* getaddrinfo() would do it, too, but brings 60 KB of code into the memory of the program. */
static bool numeric_address_read(struct numeric_address *place, const char *text)
{
    int port;
    *place = (struct numeric_address){.size = 0};
    if (!split(text, place->host, &port))
        return false;
    in_port_t number = htons((uint16_t)port);
    if (inet_pton(AF_INET, place->host, &place->v4.sin_addr) == 1) {
        place->v4.sin_family = AF_INET;
        place->v4.sin_port = number;
        place->size = sizeof place->v4;
        return true;
    }
    place->v6.sin6_port = number;
    place->size = sizeof place->v6;
    return v6_read(&place->v6, place->host);
}

bool swi_address_is_valid(const char *text)
{
    struct numeric_address place;
    return numeric_address_read(&place, text);
}

/* ::ffff:127.0.0.1 is that of IPv4. */
static bool is_loopback(const struct numeric_address *place)
{
    const struct in6_addr *v6 = &place->v6.sin6_addr;
    if (place->any.sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
    return ntohl(place->v4.sin_addr.s_addr) >> 24 == 127;
}

/* With the port that it got. */
static void describe(struct swi_address *address, struct numeric_address *place)
{
    bool is_v6 = place->any.sa_family == AF_INET6;
    getsockname(address->socket, &place->any, &place->size);
    address->loopback = is_loopback(place);
    snprintf(address->host, sizeof address->host, is_v6 ? "[%.61s]" : "%s", place->host);
    snprintf(address->text, sizeof address->text, "%s:%d", address->host,
             ntohs(is_v6 ? place->v6.sin6_port : place->v4.sin_port));
}

static int socket_make(const struct numeric_address *place)
{
    int made = socket(place->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (made < 0)
        return -1;
    if (setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(made, &place->any, place->size) == 0 && listen(made, SOMAXCONN) == 0)
        return made;
    int failed = errno;
    close(made);
    errno = failed;
    return -1;
}

static const char *advice_on(int failed)
{
    if (failed == EADDRINUSE)
        return "; choose another port, or port 0 for any";
    if (failed == EADDRNOTAVAIL)
        return "; it is not an address of this machine";
    return "";
}

int swi_address_listen(struct swi_address *address, const char *text, struct sw_error *err)
{
    struct numeric_address place;
    bool valid = numeric_address_read(&place, text);
    address->socket = valid ? socket_make(&place) : -1;
    int failed = errno;
    if (address->socket < 0)
        return sw_error_set(err, SW_EIO, "listen: %s: %s%s", text,
                            valid ? strerror(failed) : "is not an address and a port",
                            valid ? advice_on(failed) : "");
    describe(address, &place);
    return 0;
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
