/* SPDX-License-Identifier: MIT */
/* link.h - requests to the service until they are answered: with a key or a token in exchange for
 * that of a file, and never over the rows of another process. */
#ifndef SINKS_WANDB_UPLOAD_ASK_LINK_H
#define SINKS_WANDB_UPLOAD_ASK_LINK_H

#include "net/asker.h"

#include <jansson.h>

struct swi_link {
    struct swi_asker asker;
    const char *key_from;    /* for messages: where the key was found; NULL or "" if not given */
    const char *user, *mail; /* the user to whom the run is attributed; NULL or "" if not given */
    const char *folder;      /* for messages: the run's folder, or NULL */
    bool deleted;         /* the run does not exist at the service any more, which was reported */
    double answer_s;      /* longest wait for an answer */
    double file_s;        /* longest wait for the upload of a file; 0: depends on its size */
    const char *identity; /* file of a token that is exchanged for another; NULL: there is a key */
    int64_t token_ns;     /* until when that token is valid; 0: there is none yet */
    bool wants_json;      /* an answer that is not an object does not count */
    json_t *json;         /* the last answer, until it is taken */

    double silent_s;  /* no writer of a run is silent for longer than this */
    int64_t sent_ns;  /* CLOCK_BOOTTIME: when the last request was sent */
    int64_t taken_ns; /* the same: when accepted rows were sent, or `look` was called */
    /* Called before a request that changes a run, if nothing was accepted for longer than silent_s.
     * A negative result: another process may have written the run. NULL: not set yet. */
    int (*look)(void *arg, struct sw_error *err);
    void *look_arg;
};

/* options: its fields ended and arg are set by the link. ended: may be NULL; gets the same arg.
 * Call swi_asker_fini() afterwards. */
int swi_link_init(struct swi_link *link, const struct swi_http_options *options,
                  swi_message_fn *say, void *arg, bool (*ended)(void *arg), struct sw_error *err);

/* Calls `look` if it is due. Before the run itself and its rows, this is done automatically.
 * Returns 0 or the result of `look`. */
int swi_link_look(struct swi_link *link, struct sw_error *err);
/* Sets `look`, which is called from now on if nothing was accepted for too long. */
void swi_link_watch(struct swi_link *link, int (*look)(void *arg, struct sw_error *err), void *arg);

/* Sends a request until it is answered with 2xx. Returns 0, SW_ETIME if it was cancelled, and
 * SW_EIO if trying again is useless: err says why and what to do. json: set to the answer, for
 * which the caller calls json_decref(). An answer that is not an object does not count. */
int swi_link_send(struct swi_link *link, enum swi_retry kind,
                  const struct swi_http_request *request, json_t **json, struct sw_error *err);

/* Does the same for any body. body: receives it, freed by the caller; may be NULL. */
int swi_link_send_text(struct swi_link *link, enum swi_retry kind,
                       const struct swi_http_request *request, struct swi_text *body,
                       struct sw_error *err);

/* Replaces secrets in the text of an error by stars. */
void swi_link_hide_error(const struct swi_link *link, struct sw_error *err);

#endif
