/* SPDX-License-Identifier: MIT */
/* explain.h - explains to the user why a request failed and what to do about it. */
#ifndef SINKS_WANDB_UPLOAD_NET_EXPLAIN_H
#define SINKS_WANDB_UPLOAD_NET_EXPLAIN_H

#include "net/http.h"

/* Sets err to a sentence that says what to do. base_url and key_from: who was asked, and where the
 * key was found; key_from may be NULL. Returns SW_EIO. */
int swi_explain(const char *base_url, const char *key_from, const struct swi_http_request *request,
                const struct swi_http_answer *answer, struct sw_error *err);

#endif
