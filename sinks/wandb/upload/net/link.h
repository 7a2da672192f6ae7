/* SPDX-License-Identifier: MIT */
/* link.h - requests that are sent until they are answered: waits, retries, and what is said about
 * it. */
#ifndef SINKS_WANDB_UPLOAD_NET_LINK_H
#define SINKS_WANDB_UPLOAD_NET_LINK_H

#include "sinks/wandb/upload/net/http.h"
#include "sinks/wandb/upload/net/teller.h"

#include <jansson.h>
#include <pthread.h>

struct swi_link {
    struct swi_http *http;
    const char *base_url;    /* for people */
    const char *key_from;    /* too: where the key was found; NULL or "": not said */
    const char *user, *mail; /* whom the run is shown as made by; NULL or "": not said */
    const char *folder;      /* too: of the run; NULL: not said */
    bool deleted;            /* the service does not have the run any more, and that was said */
    swi_say_fn *say;
    void *arg;
    bool (*ended)(void *arg); /* may be NULL; of the same arg */
    int64_t deadline_ns;      /* CLOCK_MONOTONIC; 0: none */
    double answer_s;          /* longest wait for an answer */
    double file_s;            /* and for a file to be put; 0: by its size */
    const char *identity;     /* file of a token that the key is got for; NULL: there is a key */
    int64_t token_ns;         /* until when what was got for it serves; 0: not yet */

    double silent_s;  /* nobody who writes a run is silent for longer: the service hears of it */
    int64_t taken_ns; /* CLOCK_BOOTTIME: when rows that were taken were sent, or `look` was asked */
    /* Asked before anything is sent that changes a run of which nothing was taken for longer than
     * silent_s. Negative: another process may have written the run. NULL: there is none yet. */
    int (*look)(void *arg, struct sw_error *err);
    void *look_arg;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool hurried;   /* the program ends: waits are short */
    bool cancelled; /* nothing more is sent */
    bool woken;

    int64_t next_ns; /* not before this, says the server's limit */
    bool troubled;   /* a failure was said, and no success since */
    uint64_t chance; /* state of the jitter */
};

/* options: its fields ended and arg are the link's to set. */
int swi_link_init(struct swi_link *link, const struct swi_http_options *options, swi_say_fn *say,
                  void *arg, bool (*ended)(void *arg), struct sw_error *err);
void swi_link_fini(struct swi_link *link);

/* Any thread. */
void swi_link_cancel(struct swi_link *link);
void swi_link_hurry(struct swi_link *link);
void swi_link_wake(struct swi_link *link); /* ends a wait */

/* Asks `look` where that is due; before the run itself and its rows this is done anyway. 0 or what
 * `look` returned. */
int swi_link_look(struct swi_link *link, struct sw_error *err);
/* From now on `look` is asked when nothing is taken for too long. */
void swi_link_watch(struct swi_link *link, int (*look)(void *arg, struct sw_error *err), void *arg);

/* Waits; false: it was cancelled, or the deadline passed. A wait that was ended by
 * swi_link_wake() is true. */
bool swi_link_wait(struct swi_link *link, double seconds);

/* Sends until it is answered by 2xx. Returns 0; SW_ETIME if it was cancelled; SW_EIO if it is no
 * use to try again: err says why and what to do. json: set to the answer, an object and the
 * caller's to json_decref(): what is none, is no answer. */
int swi_link_send(struct swi_link *link, enum swi_retry kind,
                  const struct swi_http_request *request, json_t **json, struct sw_error *err);

/* The same where any answer is good. body: gets it, the caller's to free; may be NULL. */
int swi_link_send_text(struct swi_link *link, enum swi_retry kind,
                       const struct swi_http_request *request, struct swi_text *body,
                       struct sw_error *err);

/* Puts stars over what is secret in a text that is to be shown. */
void swi_link_hide(const struct swi_link *link, char *text);
void swi_link_hide_error(const struct swi_link *link, struct sw_error *err);

#endif
