/* SPDX-License-Identifier: MIT */
/* fields.h - named JSON values: a row of the history that is being filled, or the summary. */
#ifndef SINKS_WANDB_VALUES_FIELDS_H
#define SINKS_WANDB_VALUES_FIELDS_H

#include "core/text/buffer.h"
#include "core/text/map.h"

#include <stdint.h>
#include <string.h>

/* The longest row that the service accepts, in bytes of JSON. */
enum { SWI_ROW_MAX = 10383360 };

struct swi_field {
    char *key; /* UTF-8: other bytes were written as \xNN. The map's. */
    size_t key_size;
    size_t number; /* of the key in the map */
    struct swi_text json;
};

/* Initialise it as {0}. */
struct swi_fields {
    size_t count;
    size_t made; /* items after count have only memory for a value */
    size_t room;
    struct swi_field *item;
    struct swi_map names; /* of this row and of earlier ones */
    size_t *place;        /* by number: where it is in the row, from 1; 0: it is not there */
};

/* Returns the empty text of a value for the caller to write; NULL if out of memory. Names are
 * compared byte by byte. The last value of a name counts. */
struct swi_text *swi_fields_set(struct swi_fields *row, const char *key);

/* Returns where a name is in the row, from 1; 0: it is not there. */
size_t swi_fields_place(const struct swi_fields *row, const char *key);

static inline bool swi_fields_has(const struct swi_fields *row, const char *key)
{
    return swi_fields_place(row, key) != 0;
}

/* Returns the value of a name, borrowed, or NULL. */
const struct swi_text *swi_fields_get(const struct swi_fields *row, const char *key);

void swi_fields_number(struct swi_fields *row, const char *key, double value);
void swi_fields_integer(struct swi_fields *row, const char *key, int64_t value);

/* A time in units of 10^-digits seconds, from 0 on. */
void swi_fields_decimal(struct swi_fields *row, const char *key, int64_t units, int digits);

/* Takes a value out. Returns whether there was one. */
bool swi_fields_remove(struct swi_fields *row, const char *key);

/* Copies every value of another row. */
void swi_fields_merge(struct swi_fields *row, const struct swi_fields *other);

/* Returns whether both rows have the same names in the same order. */
bool swi_fields_are_alike(const struct swi_fields *row, const struct swi_fields *other);

void swi_fields_clear(struct swi_fields *row);
void swi_fields_free(struct swi_fields *row);

/* Adds a number in the JSON of this format: NaN, Infinity and -Infinity are written bare. */
void swi_json_number(struct swi_text *text, double value);

/* ---- numbers of YAML ------------------------------------------------------------------------- */

/* Adds a value that is in JSON. JSON is YAML, except for NaN and infinities, and for exponents,
 * which need a point before them: 1e-05 is a text in YAML. */
static inline void swi_yaml_number(struct swi_text *text, const char *json)
{
    static const char *const other[][2] = {
        {"NaN", ".nan"}, {"Infinity", ".inf"}, {"-Infinity", "-.inf"}};
    size_t digits = strspn(json, "-0123456789");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strcmp(json, other[i][0]) == 0)
            json = other[i][1];
    if (digits && json[digits] == 'e')
        swi_text_format(text, "%.*s.0%s", (int)digits, json, json + digits);
    else
        swi_text_put(text, json);
}

#endif
