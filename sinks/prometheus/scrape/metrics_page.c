/* SPDX-License-Identifier: MIT */
/* metrics_page.c - prometheus-page.so: the page, by libmicrohttpd. */
#include "sinks/prometheus/scrape/page_server.h"
#include "config.h"
#include "core/clock/now.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 8, HEAD_BYTES = 8192 };
#define LONGEST_NS INT64_C(5000000000)

struct swi_page {
    struct swi_address address;
    struct MHD_Daemon *server;
    pthread_mutex_t lock; /* for what follows */
    struct MHD_Response *metrics;
    struct {
        int socket; /* -1: none */
        int64_t began_ns;
    } connection[CONNECTIONS];
};

static const char form[] = "text/plain; version=0.0.4; charset=utf-8";

/* ---- answers -----------------------------------------------------------------------------------
 */

static struct MHD_Response *response_of(const char *text, size_t size, const char *type)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (response) {
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    return response;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *text)
{
    struct MHD_Response *response = response_of(text, strlen(text), "text/plain; charset=utf-8");
    if (!response)
        return MHD_NO;
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    enum MHD_Result done = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return done;
}

static enum MHD_Result metrics_give(struct swi_page *page, struct MHD_Connection *connection)
{
    pthread_mutex_lock(&page->lock);
    enum MHD_Result done =
        page->metrics ? MHD_queue_response(connection, MHD_HTTP_OK, page->metrics) : MHD_NO;
    pthread_mutex_unlock(&page->lock);
    return done;
}

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *body,
                              size_t *body_size, void **request)
{
    struct swi_page *page = arg;
    const char *host =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    (void)version, (void)body, (void)body_size, (void)request;
    if (page->address.loopback && host && !swi_address_is_host(&page->address, host))
        return refuse(connection, MHD_HTTP_FORBIDDEN, "This is not the host of this page.\n");
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and HEAD only.\n");
    if (strcmp(url, "/metrics") != 0)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "The metrics are at /metrics.\n");
    return metrics_give(page, connection);
}

/* ---- connections -------------------------------------------------------------------------------
 */

static int socket_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* Exchanges one socket of the list for another one. */
static void connection_note(struct swi_page *page, int from, int to)
{
    pthread_mutex_lock(&page->lock);
    for (int i = 0; i < CONNECTIONS; i++)
        if (page->connection[i].socket == from) {
            page->connection[i].socket = to;
            page->connection[i].began_ns = swi_now_ns();
            break;
        }
    pthread_mutex_unlock(&page->lock);
}

static void connection_change(void *arg, struct MHD_Connection *connection, void **own,
                              enum MHD_ConnectionNotificationCode code)
{
    int socket = socket_of(connection);
    (void)own;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        connection_note(arg, -1, socket);
    else
        connection_note(arg, socket, -1);
}

/* ---- open, set, close --------------------------------------------------------------------------
 */

static struct swi_page *page_open(const struct swi_address *address)
{
    struct swi_page *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->address = *address;
    pthread_mutex_init(&page->lock, NULL);
    for (int i = 0; i < CONNECTIONS; i++)
        page->connection[i].socket = -1;
    /* MHD_USE_ITC: while as many clients as allowed are connected, the thread does not look at the
     * socket that listens, so that closing it would not wake it at the end. */
    page->server = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_ITC, 0, NULL, NULL, answer, page,
        MHD_OPTION_LISTEN_SOCKET, address->socket, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, 5u,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_BYTES, MHD_OPTION_NOTIFY_CONNECTION,
        connection_change, page, MHD_OPTION_END);
    if (page->server)
        return page;
    pthread_mutex_destroy(&page->lock);
    free(page);
    return NULL;
}

static void page_set(struct swi_page *page, const char *text, size_t size)
{
    int64_t now = swi_now_ns();
    struct MHD_Response *fresh = response_of(text, size, form);
    pthread_mutex_lock(&page->lock);
    struct MHD_Response *old = fresh ? page->metrics : NULL;
    page->metrics = fresh ? fresh : page->metrics;
    for (int i = 0; i < CONNECTIONS; i++)
        if (page->connection[i].socket >= 0 && now - page->connection[i].began_ns > LONGEST_NS)
            shutdown(page->connection[i].socket, SHUT_RDWR);
    pthread_mutex_unlock(&page->lock);
    if (old)
        MHD_destroy_response(old);
}

static void page_close(struct swi_page *page)
{
    MHD_stop_daemon(page->server);
    if (page->metrics)
        MHD_destroy_response(page->metrics);
    pthread_mutex_destroy(&page->lock);
    free(page);
}

extern const struct swi_page_server swi_prometheus_page;

__attribute__((visibility("default"))) const struct swi_page_server swi_prometheus_page = {
    .version = PACKAGE_VERSION,
    .open = page_open,
    .set = page_set,
    .close = page_close,
};
