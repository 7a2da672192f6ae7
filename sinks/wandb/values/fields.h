/* SPDX-License-Identifier: MIT */
/* fields.h - named JSON values: a row of the history that is still being filled, or the summary. */
#ifndef SINKS_WANDB_VALUES_FIELDS_H
#define SINKS_WANDB_VALUES_FIELDS_H

#include "core/text/buffer.h"

#include <stdint.h>

struct swi_field {
    char *key; /* UTF-8: bytes that are not UTF-8 were written as \xNN */
    size_t key_size;
    struct swi_text json;
};

/* Begins as {0}. */
struct swi_fields {
    size_t count;
    size_t made; /* items behind count are those of the row before, to be used again */
    size_t capacity;
    size_t next; /* where the next name is looked for first: rows repeat their names in order */
    struct swi_field *item;
};

/* The value's text, emptied, to be written by the caller; NULL if out of memory. Names are kept
 * apart by their bytes; the last value of a name counts. */
struct swi_text *swi_fields_set(struct swi_fields *row, const char *key);

bool swi_fields_has(const struct swi_fields *row, const char *key);
/* The value of a name, borrowed; NULL if there is none. */
const struct swi_text *swi_fields_get(const struct swi_fields *row, const char *key);

void swi_fields_number(struct swi_fields *row, const char *key, double value);
void swi_fields_integer(struct swi_fields *row, const char *key, int64_t value);

/* Takes over every value of another row. */
void swi_fields_merge(struct swi_fields *row, const struct swi_fields *other);

void swi_fields_clear(struct swi_fields *row);
void swi_fields_free(struct swi_fields *row);

/* A number in JSON as this format has it: NaN, Infinity and -Infinity are written bare. */
void swi_json_number(struct swi_text *text, double value);

#endif
