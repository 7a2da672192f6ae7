/* SPDX-License-Identifier: MIT */
/* option_names.h - valid names, and lists of names for messages: names of options, or the choices
 * of an option. */
#ifndef CORE_PLUGINS_OPTION_NAMES_H
#define CORE_PLUGINS_OPTION_NAMES_H

#include <stepwatch/sink.h>

#include <stdbool.h>

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

/* Splits "a|b|c". */
void swi_option_names_of_choices(struct swi_option_names *names, const char *choices);
/* Collects the names of a table of options. They are borrowed from it. */
void swi_option_names_of_options(struct swi_option_names *names, const struct sw_option *options);

bool swi_option_names_have(const struct swi_option_names *names, const char *word);

/* Writes "a, b, c"; names that do not fit are left out. Returns text, like the next function. */
const char *swi_option_names_join(const struct swi_option_names *names, char *text, size_t size);

/* Writes "; did you mean X?" or "". */
const char *swi_option_names_hint(const struct swi_option_names *names, const char *word,
                                  char *text, size_t size);

#endif
