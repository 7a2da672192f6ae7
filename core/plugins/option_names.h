/* SPDX-License-Identifier: MIT */
/* option_names.h - the names that a message offers: those of options, or what an option may be. */
#ifndef CORE_PLUGINS_OPTION_NAMES_H
#define CORE_PLUGINS_OPTION_NAMES_H

#include <stepwatch/sink.h>

#include <stdbool.h>

enum { SWI_OPTION_NAMES_MAX = 64, SWI_OPTION_NAMES_BYTES = 1024 };

/* Names, and the memory that they lie in. */
struct swi_option_names {
    size_t count;
    const char *item[SWI_OPTION_NAMES_MAX];
    char text[SWI_OPTION_NAMES_BYTES];
};

/* "a|b|c", taken apart. */
void swi_option_names_of_choices(struct swi_option_names *names, const char *choices);
/* Those of a table of options; borrowed from it. */
void swi_option_names_of_options(struct swi_option_names *names, const struct sw_option *options);

bool swi_option_names_have(const struct swi_option_names *names, const char *word);

/* "a, b, c"; what does not fit is left out. Returns text, as the next one does. */
const char *swi_option_names_join(const struct swi_option_names *names, char *text, size_t size);

/* "; did you mean X?" or "". */
const char *swi_option_names_hint(const struct swi_option_names *names, const char *word,
                                  char *text, size_t size);

#endif
