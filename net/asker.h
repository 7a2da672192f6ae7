/* SPDX-License-Identifier: MIT */
/* asker.h - asks a server until it answers, with waits, further tries, and messages about them. */
#ifndef NET_ASKER_H
#define NET_ASKER_H

#include "net/http.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Level as enum sw_level: 0 note, 1 warning, 2 error. */
typedef void swi_message_fn(void *arg, int level, const char *text);

/* Sends a warning of these four parts. The name may contain anything: it is escaped and cut, and so
 * is the reason cut. */
void swi_warn_of(swi_message_fn *say, void *arg, const char *before, const char *name,
                 const char *after, const char *why);

/* ---- when to ask again ----------------------------------------------------------------------- */

struct swi_pace {
    int64_t deadline_ns;      /* CLOCK_MONOTONIC; 0: none */
    bool (*ended)(void *arg); /* called a few times a second; may be NULL */
    void *arg;

    pthread_mutex_t lock; /* protects the rest */
    pthread_cond_t changed;
    bool hurried;   /* the program ends: waits are short */
    bool cancelled; /* nothing more is sent */
    bool woken;
    uint64_t jitter; /* state of the random jitter */
};

void swi_pace_wake(struct swi_pace *pace); /* ends a wait */

void swi_pace_hurry(struct swi_pace *pace);
/* Waits. Returns false if it is over, and true also if swi_pace_wake() ended the wait. */
bool swi_pace_wait(struct swi_pace *pace, double seconds);

/* ---- questions ------------------------------------------------------------------------------- */

/* Set the fields up to `owner` before swi_asker_init(); they may be 0, except for the first three.
 */
struct swi_asker {
    const char *base_url; /* for messages */
    const char *kept_in;  /* for messages: where everything is until it is sent */
    swi_message_fn *say;
    void *arg;
    double quiet_s; /* the least time between two messages about trouble */

    /* Called before a try of a request to the server itself. Returns 1 to send it, 0 to try again
     * later, as `answer` says, or a negative code. */
    int (*before)(void *owner, enum swi_retry kind, int tries, struct swi_http_answer *answer,
                  struct sw_error *err);
    /* Looks at an answer, after its JSON. It may set its status to 0, and that it is hopeless. */
    void (*check)(void *owner, const struct swi_http_request *request,
                  struct swi_http_answer *answer);
    /* Sets err to why a request was refused, and what to do. Returns its code. */
    int (*refused)(void *owner, enum swi_retry kind, const struct swi_http_request *request,
                   const struct swi_http_answer *answer, struct sw_error *err);
    void *owner; /* for these three */

    struct swi_http *http;
    struct swi_pace pace;
    bool troubled;       /* a failure was reported, and there was no success since */
    int64_t reported_ns; /* when a failure was reported last; 0: never */
    int64_t next_ns;     /* not before this, because of the server's limit */
};

/* options: its fields base_url, ended and arg are set by the asker. ended: may be NULL; gets
 * asker->arg. */
int swi_asker_init(struct swi_asker *asker, const struct swi_http_options *options,
                   bool (*ended)(void *arg), struct sw_error *err);
void swi_asker_fini(struct swi_asker *asker);

/* Ends the current request and all later ones. Any thread may call it. */
void swi_asker_cancel(struct swi_asker *asker);

/* What became of a request. */
enum swi_asked {
    SWI_ANSWERED, /* with 2xx */
    SWI_REFUSED,  /* it would be refused again */
    SWI_LOST,     /* it is not known whether the server has done it, or the server is busy */
    SWI_OVER      /* cancelled, or past the deadline */
};

/* Sends a request once. answer: set in any case; the caller calls swi_asker_free(). Its json is the
 * body, without secrets, as of swi_json_read_tokens(); NULL if it is not JSON. It may be complete
 * even if the body is not. */
enum swi_asked swi_asker_once(struct swi_asker *asker, enum swi_retry kind,
                              const struct swi_http_request *request, int tries,
                              struct swi_http_answer *answer);

/* Waits before the next try, and reports the trouble once. tries: 1 after the first one. Returns
 * false if it is over. request: for its secrets; may be NULL. */
bool swi_asker_wait(struct swi_asker *asker, const struct swi_http_request *request,
                    const struct swi_http_answer *answer, int tries);

void swi_asker_free(struct swi_http_answer *answer);

/* Sends a request until it is answered. answer: as for swi_asker_once(). Returns 0, what `before`
 * or `refused` return, or SW_ETIME if it is over. */
int swi_asker_ask(struct swi_asker *asker, enum swi_retry kind,
                  const struct swi_http_request *request, struct swi_http_answer *answer,
                  struct sw_error *err);

/* Sets err to that the time was too short. Returns SW_ETIME. */
int swi_asker_over(const struct swi_asker *asker, struct sw_error *err);

/* Replaces the secrets of the connection and of the request's address by stars. request: may be
 * NULL. */
void swi_asker_hide(const struct swi_asker *asker, const struct swi_http_request *request,
                    char *text);

/* Writes a few words: "answered 500 Internal Server Error", or why no answer came. */
void swi_explain_short(char *text, size_t size, const struct swi_http_answer *answer);

/* Gets the server's own message from an answer, escaped and cut. Returns false if there is none. */
bool swi_explain_message(char *text, size_t size, const struct json_t *answer);

#endif
