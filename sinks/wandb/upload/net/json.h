/* SPDX-License-Identifier: MIT */
/* json.h - JSON from elsewhere, with bounds on how deep it is. */
#ifndef SINKS_WANDB_UPLOAD_NET_JSON_H
#define SINKS_WANDB_UPLOAD_NET_JSON_H

#include <jansson.h>
#include <stddef.h>

/* Deeper text is refused: to read it takes stack. */
enum { SWI_JSON_DEPTH = 64 };

/* A value, the caller's to json_decref(); NULL where the text is none. With tokens, the bare NaN,
 * Infinity and -Infinity of this service's rows are taken too, as strings. */
json_t *swi_json_read(const char *text, size_t size);
json_t *swi_json_read_tokens(const char *text, size_t size);

/* The value behind names, which end with NULL; NULL if one of them is missing. Borrowed. */
const json_t *swi_json_at(const json_t *json, ...);
/* The text of a value, borrowed; "" if it is not text. */
const char *swi_json_text(const json_t *json);

#endif
