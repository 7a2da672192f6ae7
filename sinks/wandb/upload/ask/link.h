/* SPDX-License-Identifier: MIT */
/* link.h - requests to the service until they are answered: with a key or a token in exchange for
 * that of a file, and never over the rows of another process. */
#ifndef SINKS_WANDB_UPLOAD_ASK_LINK_H
#define SINKS_WANDB_UPLOAD_ASK_LINK_H

#include "net/asker.h"
#include "sinks/wandb/account/credentials.h"
#include "sinks/wandb/account/service.h"

#include <jansson.h>

struct swi_link {
    struct swi_asker asker;
    const struct swi_wandb_service *service;
    const struct swi_wandb_key *key;
    const char *folder; /* for messages: the run's folder, or NULL */
    bool deleted;       /* the run does not exist at the service any more, which was reported */
    double answer_s;    /* longest wait for an answer */
    int64_t token_ns;   /* until when the token for that of the key's file is valid; 0: none yet */

    double silent_s;  /* no writer of a run is silent for longer than this */
    int64_t sent_ns;  /* CLOCK_BOOTTIME: when the last request was sent */
    int64_t taken_ns; /* the same: when accepted rows were sent, or `look` was called */
    /* Called before a request that changes a run, if nothing was accepted for longer than silent_s.
     * A negative result: another process may have written the run. NULL: not set yet. */
    int (*look)(void *arg, struct sw_error *err);
    void *look_arg;
};

/* service, key: borrowed. ended: may be NULL; gets the same arg. Call swi_asker_fini() afterwards.
 */
int swi_link_init(struct swi_link *link, const struct swi_wandb_service *service,
                  const struct swi_wandb_key *key, swi_message_fn *say, void *arg,
                  bool (*ended)(void *arg), struct sw_error *err);

/* Calls `look` if it is due. Before the run itself and its rows, this is done automatically.
 * Returns 0 or the result of `look`. */
int swi_link_look(struct swi_link *link, struct sw_error *err);
/* Sets `look`, which is called from now on if nothing was accepted for too long. */
void swi_link_watch(struct swi_link *link, int (*look)(void *arg, struct sw_error *err), void *arg);

/* Sends a request until it is answered with 2xx. Returns 0, SW_ETIME if it was cancelled, and
 * SW_EIO if trying again is useless: err says why and what to do. json: set to the answer, for
 * which the caller calls json_decref(), or to NULL if it is not JSON; may be NULL. */
int swi_link_send(struct swi_link *link, enum swi_retry kind,
                  const struct swi_http_request *request, json_t **json, struct sw_error *err);

/* Replaces secrets in the text of an error by stars. */
void swi_link_hide_error(const struct swi_link *link, struct sw_error *err);

#endif
