/* SPDX-License-Identifier: MIT */
/* explain.h - explains to the user why a request failed and what to do about it. */
#ifndef SINKS_WANDB_UPLOAD_NET_EXPLAIN_H
#define SINKS_WANDB_UPLOAD_NET_EXPLAIN_H

#include "sinks/wandb/upload/net/http.h"

/* Writes a few words: "answered 500 Internal Server Error", or why there is no answer. */
void swi_explain_short(char *text, size_t size, const struct swi_http_answer *answer);

/* Sets err to a sentence that says what to do. base_url and key_from: who was asked, and where the
 * key was found; key_from may be NULL. Returns SW_EIO. */
int swi_explain(const char *base_url, const char *key_from, const struct swi_http_request *request,
                const struct swi_http_answer *answer, struct sw_error *err);

/* Gets the server's own message from the body of an answer, escaped and cut. Returns false if there
 * is none. */
bool swi_explain_message(char *text, size_t size, const struct swi_text *body);

#endif
