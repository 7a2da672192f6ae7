/* SPDX-License-Identifier: MIT */
/* http.h - one request at a time to one server, and files to wherever that server says. The key
 * goes to the configured server only, answers are cut, and another thread can end all of it. */
#ifndef SINKS_WANDB_UPLOAD_NET_HTTP_H
#define SINKS_WANDB_UPLOAD_NET_HTTP_H

#include "core/text/buffer.h"
#include "sinks/wandb/account/service.h"
#include "sinks/wandb/upload/net/retry.h"

#include <stepwatch/error.h>

#include <stdint.h>

/* What is kept of an answer. */
enum { SWI_HTTP_ANSWER = 1 << 20 };

/* Copied. Texts may be NULL. */
struct swi_http_options {
    const char *base_url; /* http(s)://HOST[:PORT][/PATH], no slash at its end */
    const char *key;
    const struct swi_wandb_way *way; /* NULL: no proxy, and the system's authorities */
    const char *ca_file; /* the only authorities; NULL or "": those of the way, or the system's */
    bool insecure;       /* takes any certificate */
    /* Asked a few times a second while a request is on its way: whether to end it. May be NULL. */
    bool (*ended)(void *arg);
    void *arg;
};

struct swi_http;
struct swi_secrets;

/* NULL if out of memory or libcurl. */
struct swi_http *swi_http_new(const struct swi_http_options *options, struct sw_error *err);
void swi_http_free(struct swi_http *http);

/* Ends the request in flight and refuses any later one. Any thread; not undone. */
void swi_http_cancel(struct swi_http *http);

/* From now on this token goes where the key would; NULL: none any more. Not while a request is on
 * its way. False if it is too long. */
bool swi_http_token(struct swi_http *http, const char *token);

/* What the connection knows and nobody else is to see. */
struct swi_secrets *swi_http_secrets(struct swi_http *http);

struct swi_http_request {
    /* One of the two. */
    const char *path; /* POST below the base URL, with the key or the token */
    const char *url;  /* PUT there, without the key */

    bool form;                 /* a form, which is not JSON, and goes without both */
    const char *const *header; /* "Name: value", checked; ends with NULL; may be NULL */
    const char *body;          /* size bytes; or NULL: */
    int fd;                    /* size bytes from the begin of this file */
    uint64_t size;
    double timeout_s; /* of all of it; 0: by its size, and no minute without a byte */
};

struct swi_http_answer {
    struct swi_outcome outcome;
    bool cancelled;
    bool whole; /* the body is complete; false: cut off, too long or missing */
    struct swi_text body;
    bool untrusted;            /* nobody that is known has signed the certificate */
    bool other_host;           /* it was made for another host */
    double remaining, reset_s; /* RateLimit-…; NAN: not said */
    char problem[512];         /* what went wrong on the way, for people; or "" */
};

/* Sends and waits. The answer is set in any case, and swi_http_answer_free() is due. */
void swi_http_send(struct swi_http *http, const struct swi_http_request *request,
                   struct swi_http_answer *answer);
void swi_http_answer_free(struct swi_http_answer *answer);

/* Whether a header line may be sent: a name, a colon, a value without control characters, and none
 * that would change where the request ends or to whom it goes. */
bool swi_http_header_ok(const char *line);

/* A part of a path, with all but letters, digits and -._~ as %XX. */
void swi_http_escape(struct swi_text *text, const char *part);

#endif
