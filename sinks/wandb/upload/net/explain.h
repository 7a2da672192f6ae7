/* SPDX-License-Identifier: MIT */
/* explain.h - why a request failed and what to do about it, for whoever runs the program. */
#ifndef SINKS_WANDB_UPLOAD_NET_EXPLAIN_H
#define SINKS_WANDB_UPLOAD_NET_EXPLAIN_H

#include "sinks/wandb/upload/net/http.h"

/* A few words: "answered 500 Internal Server Error", or why none came. */
void swi_explain_short(char *text, size_t size, const struct swi_http_answer *answer);

/* A sentence into err with what to do. base_url and key_from say who was asked, and where the key
 * was found; key_from may be NULL. Returns its code, SW_EIO. */
int swi_explain(const char *base_url, const char *key_from, const struct swi_http_request *request,
                const struct swi_http_answer *answer, struct sw_error *err);

/* The server's own message in the body of an answer, escaped and cut; false if there is none. */
bool swi_explain_message(char *text, size_t size, const struct swi_text *body);

#endif
