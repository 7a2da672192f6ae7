/* SPDX-License-Identifier: MIT */
/* answer_words.h - a few words about the answer of a server, for messages. */
#ifndef NET_ANSWER_WORDS_H
#define NET_ANSWER_WORDS_H

#include "net/http.h"

/* Writes a few words: "answered 500 Internal Server Error", or why there is no answer. */
void swi_explain_short(char *text, size_t size, const struct swi_http_answer *answer);

/* Gets the server's own message from the body of an answer, escaped and cut. Returns false if there
 * is none. */
bool swi_explain_message(char *text, size_t size, const struct swi_text *body);

#endif
