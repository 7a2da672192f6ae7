/* SPDX-License-Identifier: MIT */
/* json.h - reads untrusted JSON, with a limit on its depth. */
#ifndef NET_JSON_H
#define NET_JSON_H

#include "net/secrets.h"

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

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

/* Replaces whole secrets in the texts of an answer by stars. */
void swi_secrets_clean(const struct swi_secrets *secrets, json_t *answer);

/* ---- how much of a log has been uploaded ----------------------------------------------------- */

/* LOG.upload: how much of a log has been uploaded, as a JSON object. */

/* A number is an int64_t that is not negative, a real a double, a flag a bool. */
enum swi_state_type { SWI_STATE_NUMBER, SWI_STATE_REAL, SWI_STATE_TEXT, SWI_STATE_FLAG };

/* A member of the object, and the field of a struct that has its value. */
struct swi_state_field {
    const char *name;
    enum swi_state_type type;
    size_t offset, size; /* of the field */
    size_t known;        /* offset of a bool: whether there is the member; 0: there always is */
    bool needed;         /* without this number, a file is not valid */
};
/* Its offset and size. */
#define SWI_STATE_FIELD(of, field) .offset = offsetof(of, field), .size = sizeof((of *)0)->field

/* Fills a struct from the file: 0 and "" for what it lacks. fields: the last one has no name.
 * Returns false if the file is missing, or is not a valid JSON object with all that is needed. */
bool swi_state_load(const char *log_path, const struct swi_state_field *fields, void *state);

/* Replaces the file at once, so that readers see the old or the new state. lasting: waits until the
 * disk has it. Returns 0, SW_EIO or SW_ENOMEM. */
int swi_state_save(const char *log_path, const struct swi_state_field *fields, const void *state,
                   bool lasting, struct sw_error *err);

#endif
