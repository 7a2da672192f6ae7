/* SPDX-License-Identifier: MIT */
#include "net/http.h"
#include "config.h"
#include "net/http_headers.h"
#include "net/libcurl.h"
#include "net/secrets.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

struct swi_http {
    /* Both are made by the first request, on its thread. */
    CURLM *multi; /* keeps connections and, unlike an easy handle, can be left at any time */
    CURL *easy;
    char *base_url, *certificate;
    struct swi_secrets *secrets;
    struct curl_slist authorization; /* the first header line of a request */
    struct swi_connection connection;
    struct swi_text
        authorities; /* PEM; if it has data, it is used instead of the connection's ca_file */
    bool insecure, secret_url;
    double connect_s;
    bool (*ended)(void *arg);
    void *arg;
    atomic_bool cancelled;
};

/* ---- the handle ------------------------------------------------------------------------------ */

static bool copy(char **to, const char *text)
{
    *to = text && *text ? strdup(text) : NULL;
    return *to || !text || !*text;
}

static bool init(struct swi_http *http, const struct swi_http_options *options)
{
    if (options->connection)
        http->connection = *options->connection;
    http->insecure = options->insecure;
    http->secret_url = options->secret_url;
    http->connect_s = options->connect_s > 0 ? options->connect_s : 20;
    http->ended = options->ended;
    http->arg = options->arg;
    const struct swi_connection *connection = &http->connection;
    if (*connection->ca_folders)
        swi_authorities_read(&http->authorities, connection->ca_file, connection->ca_folders);
    return copy(&http->base_url, options->base_url) && !http->authorities.failed &&
           copy(&http->certificate, options->certificate) &&
           (http->secrets = swi_secrets_new(options->user ? options->user : "api", options->key,
                                            options->connection));
}

struct swi_http *swi_http_new(const struct swi_http_options *options, struct sw_error *err)
{
    if (swi_curl_load(err) < 0)
        return NULL;
    struct swi_http *http = calloc(1, sizeof *http);
    if (http && init(http, options))
        return http;
    swi_http_free(http);
    sw_error_set(err, SW_ENOMEM, "not enough memory for a connection");
    return NULL;
}

bool swi_http_token(struct swi_http *http, const char *token)
{
    return swi_secrets_token(http->secrets, token);
}

struct swi_secrets *swi_http_secrets(struct swi_http *http)
{
    return http->secrets;
}

static bool connect_begin(struct swi_http *http)
{
    http->multi = http->multi ? http->multi : swi_curl.multi_init();
    http->easy = http->easy ? http->easy : swi_curl.easy_init();
    return http->multi && http->easy;
}

void swi_http_disconnect(struct swi_http *http)
{
    swi_curl.easy_cleanup(http->easy);
    swi_curl.multi_cleanup(http->multi);
    http->easy = NULL;
    http->multi = NULL;
}

void swi_http_free(struct swi_http *http)
{
    if (!http)
        return;
    swi_http_disconnect(http);
    swi_secrets_free(http->secrets);
    free(http->base_url);
    free(http->certificate);
    swi_text_free(&http->authorities);
    free(http);
}

void swi_http_cancel(struct swi_http *http)
{
    atomic_store(&http->cancelled, true);
}

/* ---- one request ----------------------------------------------------------------------------- */

static void set_authorities(struct swi_http *http)
{
    struct curl_blob blob = {
        .data = http->authorities.data, .len = http->authorities.size, .flags = CURL_BLOB_NOCOPY};
    if (blob.len)
        swi_curl.easy_setopt(http->easy, CURLOPT_CAINFO_BLOB, &blob);
    else if (*http->connection.ca_file)
        swi_curl.easy_setopt(http->easy, CURLOPT_CAINFO, http->connection.ca_file);
}

/* Both are always set, even to "": otherwise libcurl would read the environment, which the program
 * may change. */
static void set_proxy(struct swi_http *http, const char *url)
{
    bool tls = strncasecmp(url, "https:", 6) == 0;
    swi_curl.easy_setopt(http->easy, CURLOPT_PROXY, http->connection.proxy[tls]);
    swi_curl.easy_setopt(http->easy, CURLOPT_NOPROXY, http->connection.no_proxy);
}

/* Data that the network has not accepted for this long is dropped, so that the kernel does not
 * deliver it after another process may have begun to write the run (link.h: silent_s). */
static int set_socket(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    const unsigned int milliseconds = 30000;
    (void)arg;
    (void)purpose;
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
    return CURL_SOCKOPT_OK;
}

static void set_safety(struct swi_http *http, const struct swi_http_request *request)
{
    CURL *easy = http->easy;
    bool ours = request->path != NULL;
    /* Signal handlers belong to the program. */
    swi_curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    swi_curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    swi_curl.easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    /* Rows and key are sent only to the configured server, so redirections are not followed. */
    swi_curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, ours ? 0L : 1L);
    swi_curl.easy_setopt(easy, CURLOPT_MAXREDIRS, 5L);
    swi_curl.easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, http->insecure ? 0L : 1L);
    swi_curl.easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, http->insecure ? 0L : 2L);
    set_authorities(http);
    if (http->certificate)
        swi_curl.easy_setopt(easy, CURLOPT_SSLCERT, http->certificate);
    /* HTTP/2 keeps the header with the key as long as the connection lasts. */
    swi_curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    swi_curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(http->connect_s * 1000));
    swi_curl.easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, set_socket);
    /* The limit for a file is ten kilobytes a second, so that a very slow server cannot block for
     * ever. */
    double timeout_s =
        request->timeout_s > 0 ? request->timeout_s : 300 + (double)request->size * 1e-4;
    swi_curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(timeout_s * 1000));
    swi_curl.easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    swi_curl.easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, request->timeout_s > 0 ? 0L : 60L);
}

/* libcurl borrows the lines and does not copy them. */
static void set_headers(struct swi_http *http, const struct swi_http_request *request,
                        struct curl_slist *list)
{
    http->authorization = (struct curl_slist){.data = http->secrets->authorization, .next = list};
    bool ours = request->path && !request->form && *http->secrets->authorization;
    swi_curl.easy_setopt(http->easy, CURLOPT_HTTPHEADER, ours ? &http->authorization : list);
}

static void set_body(struct swi_http *http, struct swi_transfer *transfer)
{
    swi_curl.easy_setopt(http->easy, CURLOPT_READFUNCTION, swi_transfer_give_body);
    swi_curl.easy_setopt(http->easy, CURLOPT_READDATA, transfer);
}

/* libcurl cannot repeat a body that it reads without a function that goes back to its begin. */
static void set_post(struct swi_http *http, const struct swi_http_request *request,
                     struct swi_transfer *transfer)
{
    swi_curl.easy_setopt(http->easy, CURLOPT_POST, 1L);
    swi_curl.easy_setopt(http->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
    if (request->once)
        set_body(http, transfer);
    else
        swi_curl.easy_setopt(http->easy, CURLOPT_POSTFIELDS, request->body);
}

static void set_put(struct swi_http *http, const struct swi_http_request *request,
                    struct swi_transfer *transfer)
{
    swi_curl.easy_setopt(http->easy, CURLOPT_UPLOAD, 1L);
    swi_curl.easy_setopt(http->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->size);
    set_body(http, transfer);
    swi_curl.easy_setopt(http->easy, CURLOPT_SEEKFUNCTION, swi_transfer_seek_body);
    swi_curl.easy_setopt(http->easy, CURLOPT_SEEKDATA, transfer);
}

static void set_method(struct swi_http *http, const struct swi_http_request *request,
                       struct swi_transfer *transfer)
{
    if (!request->path || request->method == SWI_PUT)
        set_put(http, request, transfer);
    else if (request->method == SWI_POST)
        set_post(http, request, transfer);
    else
        swi_curl.easy_setopt(http->easy, CURLOPT_HTTPGET, 1L);
    if (request->path && request->method == SWI_DELETE)
        swi_curl.easy_setopt(http->easy, CURLOPT_CUSTOMREQUEST, "DELETE");
}

static void set_callbacks(struct swi_http *http, struct swi_transfer *transfer)
{
    swi_curl.easy_setopt(http->easy, CURLOPT_ERRORBUFFER,
                         http->secret_url ? NULL : transfer->answer->problem);
    swi_curl.easy_setopt(http->easy, CURLOPT_WRITEFUNCTION, swi_transfer_take_body);
    swi_curl.easy_setopt(http->easy, CURLOPT_WRITEDATA, transfer);
    swi_curl.easy_setopt(http->easy, CURLOPT_HEADERFUNCTION, swi_transfer_take_header);
    swi_curl.easy_setopt(http->easy, CURLOPT_HEADERDATA, transfer);
    swi_curl.easy_setopt(http->easy, CURLOPT_USERAGENT, "stepwatch/" PACKAGE_VERSION);
}

static bool is_ended(struct swi_http *http)
{
    if (http->ended && http->ended(http->arg))
        atomic_store(&http->cancelled, true);
    return atomic_load(&http->cancelled);
}

static CURLcode perform(struct swi_http *http)
{
    int running = 1, left;
    CURLMsg *message;
    while (running && !is_ended(http)) {
        if (swi_curl.multi_perform(http->multi, &running) != CURLM_OK)
            return CURLE_FAILED_INIT;
        if (running)
            swi_curl.multi_poll(http->multi, NULL, 0, 100, NULL);
    }
    while ((message = swi_curl.multi_info_read(http->multi, &left)))
        if (message->msg == CURLMSG_DONE)
            return message->data.result;
    return CURLE_ABORTED_BY_CALLBACK;
}

/* Writes of TLS may raise SIGPIPE, which libcurl does not prevent under CURLOPT_NOSIGNAL. */
static CURLcode perform_quiet(struct swi_http *http)
{
    sigset_t pipe, before, pending;
    struct timespec now = {0};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    CURLcode code = perform(http);
    while (!was_pending && sigtimedwait(&pipe, NULL, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static bool is_untrusted(CURLcode code)
{
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
           code == CURLE_SSL_ISSUER_ERROR;
}

/* The code is the same for both, but all TLS libraries of libcurl use these words. */
static bool is_other_host(CURLcode code, const char *problem)
{
    return code == CURLE_PEER_FAILED_VERIFICATION && strstr(problem, "target host name");
}

/* The status of an answer counts, even if its body is cut off: the server has handled the request.
 * An answer that is cut off before its body does not count, and the request is sent again. */
static void outcome_set(struct swi_http *http, CURLcode code, const struct swi_transfer *transfer)
{
    struct swi_http_answer *answer = transfer->answer;
    long status = 0;
    swi_curl.easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
    /* It was the status of the server that redirected the upload. */
    if (!transfer->headed || (code != CURLE_OK && status < 400 && status >= 300))
        status = 0;
    answer->cancelled = atomic_load(&http->cancelled) && code != CURLE_OK;
    answer->whole = code == CURLE_OK;
    answer->outcome.status = status >= 200 ? (int)status : 0;
    answer->other_host = is_other_host(code, answer->problem);
    answer->untrusted = is_untrusted(code) && !answer->other_host;
    answer->outcome.hopeless =
        !answer->outcome.status &&
        (is_untrusted(code) || code == CURLE_URL_MALFORMAT || code == CURLE_TOO_MANY_REDIRECTS);
    /* If it is a date, it is one of the server's clock. That of this machine may be wrong. */
    time_t now = transfer->date > 0 ? transfer->date : time(NULL);
    if (*transfer->retry_after)
        answer->outcome.retry_after_s = swi_retry_after_s(transfer->retry_after, (double)now);
    if (code == CURLE_OK)
        answer->problem[0] = '\0';
    else if (transfer->too_long)
        snprintf(answer->problem, sizeof answer->problem, "the answer has more than %d bytes",
                 SWI_HTTP_ANSWER);
    else if (!answer->problem[0])
        snprintf(answer->problem, sizeof answer->problem, "%s", swi_curl.easy_strerror(code));
}

static void send_to(struct swi_http *http, const char *url, struct swi_transfer *transfer)
{
    swi_curl.easy_reset(http->easy);
    struct curl_slist *list = swi_http_headers(transfer->request);
    if (!list) {
        snprintf(transfer->answer->problem, sizeof transfer->answer->problem, "out of memory");
        return;
    }
    set_safety(http, transfer->request);
    set_proxy(http, url);
    set_callbacks(http, transfer);
    swi_curl.easy_setopt(http->easy, CURLOPT_URL, url);
    set_headers(http, transfer->request, list);
    set_method(http, transfer->request, transfer);
    CURLcode code = CURLE_FAILED_INIT;
    if (swi_curl.multi_add_handle(http->multi, http->easy) == CURLM_OK) {
        code = perform_quiet(http);
        outcome_set(http, code, transfer);
        /* A server may repeat the key in its answer, which could be shown in a message. */
        if (transfer->answer->body.data)
            swi_secrets_cover(http->secrets, transfer->answer->body.data,
                              transfer->answer->body.size);
        swi_curl.multi_remove_handle(http->multi, http->easy);
    }
    swi_curl.easy_setopt(http->easy, CURLOPT_ERRORBUFFER, NULL);
    swi_curl.slist_free_all(list);
}

/* Older clients treat a path as an address at the server itself. */
static bool address(const struct swi_http *http, const char *text, struct swi_text *url)
{
    CURLU *parts = swi_curl.url();
    char *whole = NULL, *scheme = NULL;
    bool good = parts && swi_curl.url_set(parts, CURLUPART_URL, http->base_url, 0) == CURLUE_OK &&
                swi_curl.url_set(parts, CURLUPART_URL, text, 0) == CURLUE_OK &&
                swi_curl.url_get(parts, CURLUPART_URL, &whole, 0) == CURLUE_OK &&
                swi_curl.url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    if (good)
        swi_text_put(url, whole);
    swi_curl.free(whole);
    swi_curl.free(scheme);
    swi_curl.url_cleanup(parts);
    return good && !url->failed;
}

void swi_http_send(struct swi_http *http, const struct swi_http_request *request,
                   struct swi_http_answer *answer)
{
    struct swi_transfer transfer = {.request = request, .answer = answer};
    struct swi_text url = {0};
    *answer =
        (struct swi_http_answer){.outcome.retry_after_s = -1, .remaining = NAN, .reset_s = NAN};
    answer->cancelled = is_ended(http);
    if (answer->cancelled)
        return;
    if (request->path) {
        swi_text_put(&url, http->base_url);
        swi_text_put(&url, request->path);
    }
    if (!connect_begin(http))
        snprintf(answer->problem, sizeof answer->problem, "out of memory");
    else if (request->path ? !url.failed : address(http, request->url, &url))
        send_to(http, url.data, &transfer);
    else
        answer->outcome.hopeless =
            snprintf(answer->problem, sizeof answer->problem,
                     "the address of the upload is neither http nor https") > 0;
    swi_text_free(&url);
}

void swi_http_answer_free(struct swi_http_answer *answer)
{
    swi_text_free(&answer->body);
}
