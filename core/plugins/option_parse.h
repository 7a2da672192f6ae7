/* SPDX-License-Identifier: MIT */
/* option_parse.h - parses the text of an option by its type, range and choices, and makes it from
 * a value. Used for the options of sinks and the keys of the profiler. */
#ifndef CORE_PLUGINS_OPTION_PARSE_H
#define CORE_PLUGINS_OPTION_PARSE_H

#include <stepwatch/sink.h>

#include <stdbool.h>

/* ---- as text --------------------------------------------------------------------------------- */

/* Returns the value of an option as it would be written in the YAML file, or "***" for a secret.
 * The caller frees it. */
char *swi_option_value(const struct sw_option *option, const void *state);

/* ---- from text ------------------------------------------------------------------------------- */

/* A parsed value. Its first swi_option_size() bytes are copied to the field. */
union swi_value {
    bool boolean;
    int64_t integer;
    double number;
    const char *text;
};

/* Returns the size of a field of this type in bytes, or 0 if the type is unknown. */
size_t swi_option_size(enum sw_option_type type);

/* Returns the text in the field of an option whose type has one; NULL if it is not set. */
static inline const char *swi_option_text(const struct sw_option *option, const void *state)
{
    return *(const char *const *)((const char *)state + option->offset);
}

bool swi_option_has_range(const struct sw_option *option);

/* Parses one scalar, or one entry of a list. text must outlive the value. Returns 0, or SW_EINVAL
 * with an err that continues a sentence that begins with the text. */
int swi_option_parse(const struct sw_option *option, const char *text, union swi_value *value,
                     struct sw_error *err);

/* ---- whether a name is valid ----------------------------------------------------------------- */

/* Returns whether a text is a valid name of a sink or an option: [a-z][a-z0-9_]{0,31}. */
bool swi_name_valid(const char *name);

/* ---- names of options ------------------------------------------------------------------------ */

enum { SWI_OPTION_NAMES_MAX = 64, SWI_OPTION_NAMES_BYTES = 1024 };

/* Names, and the memory that holds them. */
struct swi_option_names {
    size_t count;
    const char *item[SWI_OPTION_NAMES_MAX];
    char text[SWI_OPTION_NAMES_BYTES];
};

/* Collects the names of a table of options. They are borrowed from it. */
void swi_option_names_of_options(struct swi_option_names *names, const struct sw_option *options);

/* Writes "a, b, c"; names that do not fit are left out. Returns text, like the next function. */
const char *swi_option_names_join(const struct swi_option_names *names, char *text, size_t size);

/* Writes "; did you mean X?" or "". */
const char *swi_option_names_hint(const struct swi_option_names *names, const char *word,
                                  char *text, size_t size);

#endif
