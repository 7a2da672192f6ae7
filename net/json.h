/* SPDX-License-Identifier: MIT */
/* json.h - reads untrusted JSON, with a limit on its depth. */
#ifndef NET_JSON_H
#define NET_JSON_H

#include "net/secrets.h"

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Deeper text is refused, because reading it needs stack. */
enum { SWI_JSON_DEPTH = 64 };

/* Parse a value, for which the caller calls json_decref(). Return NULL if the text is not valid.
 * With tokens, the bare NaN, Infinity and -Infinity of this service's rows are accepted too, as
 * strings, and integers of more than 64 bits, as reals. */
json_t *swi_json_read(const char *text, size_t size);
json_t *swi_json_read_tokens(const char *text, size_t size);

/* Returns the value at a path of names, the last of which is NULL; NULL if one of them is missing.
 * Borrowed. */
const json_t *swi_json_path(const json_t *json, const char *const *name);
/* The same for names as arguments: swi_json_at(answer, "run", "id"). */
#define swi_json_at(json, ...) swi_json_path(json, (const char *const[]){__VA_ARGS__, NULL})

/* Returns the text of a value, borrowed; "" if it is not text. */
const char *swi_json_text(const json_t *json);

/* The same for a member of an object. */
const char *swi_json_text_at(const json_t *json, const char *name);

/* Returns a number that is a member of an object, or NAN. */
double swi_json_number_at(const json_t *json, const char *name);

/* Returns a count that is a member of an object; 0 if it is none, or too large to count from. */
int64_t swi_json_count_at(const json_t *json, const char *name);

/* Replaces whole secrets in the texts of an answer by stars. */
void swi_secrets_clean(const struct swi_secrets *secrets, json_t *answer);

/* ---- how much of a log has been uploaded ----------------------------------------------------- */

/* Reads LOG.upload, a JSON object, for which the caller calls json_decref(). Returns NULL if it is
 * missing or not JSON. */
json_t *swi_state_read(const char *log_path);

/* Replaces it at once, so that readers see the old or the new state, and takes over the state;
 * NULL: there was no memory for it. lasting: waits until the disk has it. Returns 0, SW_EIO or
 * SW_ENOMEM.
 */
int swi_state_write(const char *log_path, json_t *state, bool lasting, struct sw_error *err);

#endif
