/* SPDX-License-Identifier: MIT */
/* http.h - sends one request at a time to one server, and files to wherever that server says. The
 * key is sent only to the configured server, answers are limited in size, and another thread can
 * cancel everything. */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include "core/text/buffer.h"
#include "net/retry.h"
#include "net/surroundings.h"

#include <stepwatch/error.h>

#include <stdint.h>

/* The longest body of an answer. */
enum { SWI_HTTP_ANSWER = 1 << 20 };

/* They are copied. Texts may be NULL. */
struct swi_http_options {
    const char *base_url; /* http(s)://HOST[:PORT][/PATH], without a slash at its end */
    const char *user;     /* whose key it is; NULL: "api" */
    const char *key;
    const struct swi_connection *connection; /* NULL: no proxy, and the system's authorities */
    const char *certificate; /* PEM file of a certificate and a key of the client; NULL: none */
    bool insecure;           /* accepts any certificate */
    bool secret_url;         /* no message may have a part of base_url */
    double connect_s;        /* longest wait for a connection; 0: 20 s */
    /* Called a few times a second during a request. Returns whether to end it. May be NULL. */
    bool (*ended)(void *arg);
    void *arg;
};

struct swi_http;
struct swi_secrets;
struct json_t;

/* Returns NULL if out of memory or libcurl cannot be loaded. */
struct swi_http *swi_http_new(const struct swi_http_options *options, struct sw_error *err);
void swi_http_free(struct swi_http *http);

/* Closes all connections. Call it on the thread that has sent, whose table of descriptors may be
 * its own, before swi_http_free() on another one. */
void swi_http_disconnect(struct swi_http *http);

/* Ends the current request, within a tenth of a second, and refuses all later ones. Any thread may
 * call it. It cannot be undone. */
void swi_http_cancel(struct swi_http *http);

/* Sends this token instead of the key from now on; NULL: no longer. Must not be called during a
 * request. Returns false if it is too long. */
bool swi_http_token(struct swi_http *http, const char *token);

/* Returns the secrets of the connection. */
struct swi_secrets *swi_http_secrets(struct swi_http *http);

enum swi_method { SWI_POST, SWI_GET, SWI_PUT, SWI_DELETE };

struct swi_http_request {
    /* Set one of the two. */
    const char *path; /* below the base URL, with the key or the token */
    const char *url;  /* PUT there, without the key */

    enum swi_method method; /* of a path; SWI_PUT sends a file */
    /* A POST that must not be done twice: libcurl silently repeats others if a connection that it
     * has used before breaks. */
    bool once;

    bool form;                 /* a form instead of JSON, sent without key and token */
    bool wants_object;         /* an answer that is not a JSON object does not count */
    const char *const *header; /* "Name: value", checked; terminated by NULL; may be NULL */
    const char *body;          /* size bytes; if NULL, fd is used */
    int fd;                    /* size bytes from the begin of this file */
    uint64_t size;
    double timeout_s; /* for the whole request; 0: depends on its size, and at least one byte a
                         minute */
};

struct swi_http_answer {
    struct swi_outcome outcome;
    bool cancelled;
    bool whole; /* the body is complete; false: cut off, too long or missing */
    struct swi_text body;
    struct json_t *json;       /* the body, if an asker has read it; see asker.h */
    bool untrusted;            /* the certificate is not signed by a known authority */
    bool other_host;           /* the certificate is for another host */
    double remaining, reset_s; /* RateLimit-…; NAN if not given */
    char problem[512];         /* what went wrong, for messages; or "" */
};

/* Sends a request and waits for the answer. The answer is set in any case. Call
 * swi_http_answer_free() afterwards. */
void swi_http_send(struct swi_http *http, const struct swi_http_request *request,
                   struct swi_http_answer *answer);
void swi_http_answer_free(struct swi_http_answer *answer);

#endif
