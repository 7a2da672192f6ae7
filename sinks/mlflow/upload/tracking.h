/* SPDX-License-Identifier: MIT */
/* tracking.h - requests to an MLflow server, one at a time, until they are answered. */
#ifndef SINKS_MLFLOW_UPLOAD_TRACKING_H
#define SINKS_MLFLOW_UPLOAD_TRACKING_H

#include "net/http.h"
#include "net/pace.h"
#include "net/message_fn.h"
#include "sinks/mlflow/upload/tracking_server.h"

#include <jansson.h>

struct swi_tracking {
    const struct swi_tracking_server *server;
    struct swi_http *http;
    struct swi_pace pace;
    swi_message_fn *say;
    void *arg;
    bool troubled;          /* a failure was reported, and there was no success since */
    int64_t said_ns;        /* when a failure was reported last; 0: never */
    bool known;             /* it has answered as MLflow does */
    char workspace[300];    /* header line, or "" */
    const char *headers[3]; /* of each request */
};

/* server: borrowed. ended: may be NULL; gets the same arg as say. */
int swi_tracking_init(struct swi_tracking *tracking, const struct swi_tracking_server *server,
                      swi_message_fn *say, bool (*ended)(void *arg), void *arg,
                      struct sw_error *err);
void swi_tracking_fini(struct swi_tracking *tracking);
void swi_tracking_cancel(struct swi_tracking *tracking); /* any thread */

/* What became of a request. */
enum swi_asked {
    SWI_ANSWERED, /* with 2xx */
    SWI_REFUSED,  /* with a status that it would get again, or the first answer is not MLflow's */
    SWI_LOST,     /* it is not known whether the server has done it, or the server is busy */
    SWI_OVER      /* cancelled, or past the deadline */
};

/* Sends a request once. path: below the base URL. answer: set in any case; the caller calls
 * swi_http_answer_free(). */
enum swi_asked swi_tracking_once(struct swi_tracking *tracking,
                                 const struct swi_http_request *request,
                                 struct swi_http_answer *answer);

/* Waits before the next try, and reports the trouble once. tries: 1 after the first one. Returns
 * false if it is over. */
bool swi_tracking_wait(struct swi_tracking *tracking, const struct swi_http_answer *answer,
                       int tries);

/* Sends a request that can be repeated until it is answered. name: below api/2.0/mlflow/. body:
 * JSON, or NULL for GET. json: receives the answer if it is JSON, else NULL; may be NULL. status:
 * receives that of a refusal; may be NULL. Returns 0; SW_EIO if it was refused: err says why and
 * what to do; SW_ETIME if it is over. */
int swi_tracking_ask(struct swi_tracking *tracking, const char *name, const struct swi_text *body,
                     json_t **json, int *status, struct sw_error *err);

/* Sends a file until it is answered. path: below the base URL. */
int swi_tracking_put(struct swi_tracking *tracking, const char *path, int fd, uint64_t size,
                     int *status, struct sw_error *err);
int swi_tracking_put_text(struct swi_tracking *tracking, const char *path,
                          const struct swi_text *text, int *status, struct sw_error *err);

/* Sets err to why a request was refused, and what to do. Returns SW_EIO. */
int swi_tracking_refused(struct swi_tracking *tracking, const struct swi_http_answer *answer,
                         struct sw_error *err);

/* Sets err to that the time was too short. Returns SW_ETIME. */
int swi_tracking_over(const struct swi_tracking *tracking, struct sw_error *err);

#endif
