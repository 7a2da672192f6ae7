/* SPDX-License-Identifier: MIT */
/* tracking.h - requests to an MLflow server, one at a time, until they are answered. */
#ifndef SINKS_MLFLOW_UPLOAD_TRACKING_H
#define SINKS_MLFLOW_UPLOAD_TRACKING_H

#include "net/asker.h"
#include "sinks/mlflow/upload/clean_key.h"
#include "sinks/mlflow/upload/tracking_server.h"

#include <jansson.h>
#include <stdbool.h>

struct swi_tracking {
    struct swi_asker asker;
    const struct swi_tracking_server *server;
    bool known;             /* it has answered as MLflow does */
    char workspace[300];    /* header line, or "" */
    const char *headers[3]; /* of each request */
};

/* server: borrowed. ended: may be NULL; gets the same arg as say. Call swi_asker_fini()
 * afterwards.
 */
int swi_tracking_init(struct swi_tracking *tracking, const struct swi_tracking_server *server,
                      swi_message_fn *say, bool (*ended)(void *arg), void *arg,
                      struct sw_error *err);

/* Sends a request that can be repeated until it is answered. name: below api/2.0/mlflow/. body:
 * JSON, or NULL for GET. json: receives the answer if it is JSON, else NULL; may be NULL. status:
 * receives that of a refusal; may be NULL. Returns 0; SW_EIO if it was refused: err says why and
 * what to do; SW_ETIME if it is over. */
int swi_tracking_ask(struct swi_tracking *tracking, const char *name, const struct swi_text *body,
                     json_t **json, int *status, struct sw_error *err);

/* Sends a request one time. path: below the base URL. body: as above. once: as in struct
 * swi_http_request. answer: as of swi_asker_once(). */
enum swi_asked swi_tracking_try(struct swi_tracking *tracking, const char *path,
                                const struct swi_text *body, bool once,
                                struct swi_http_answer *answer);

/* Asks for what `name` ends with: the value of its last parameter. */
int swi_tracking_get(struct swi_tracking *tracking, const char *name, const char *value,
                     json_t **json, int *status, struct sw_error *err);

/* Sends JSON, and frees it. */
int swi_tracking_send(struct swi_tracking *tracking, const char *name, struct swi_text *body,
                      json_t **json, int *status, struct sw_error *err);

/* Sends a file until it is answered. path: below the base URL. body: size bytes; NULL: those of fd.
 */
int swi_tracking_put(struct swi_tracking *tracking, const char *path, const char *body, int fd,
                     uint64_t size, int *status, struct sw_error *err);

/* Sets err to why a request was refused, and what to do. Returns SW_EIO. */
int swi_tracking_refused(struct swi_tracking *tracking, const struct swi_http_answer *answer,
                         struct sw_error *err);

enum { SWI_KEY_MAX = 250 };

/* The keys of one kind. Initialise it as {0}. */
struct swi_tracking_keys {
    json_t *key_of;  /* name: key */
    json_t *name_of; /* key: name */
};

/* Returns the key of a name, the same for the same name. Another name never has it. name: as in the
 * journal, where a byte that is not UTF-8 is the text \xNN. Borrowed. Returns NULL if out of
 * memory.
 */
const char *swi_tracking_key(struct swi_tracking_keys *keys, const char *name);

/* The same after the server has refused that key: letters of ASCII alone, and no colon, from now
 * on. */
const char *swi_tracking_key_plain(struct swi_tracking_keys *keys, const char *name);

/* Returns whether every server takes a key. */
bool swi_tracking_key_is_plain(const char *key);

void swi_tracking_keys_free(struct swi_tracking_keys *keys);

#endif
