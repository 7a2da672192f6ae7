/* SPDX-License-Identifier: MIT */
/* quote.h - a text as it is written in a configuration. */
#ifndef CORE_TEXT_QUOTE_H
#define CORE_TEXT_QUOTE_H

#include <stdio.h>

/* Prints text so that reading it as a value of the configuration gives it back: plain where that is
 * safe, else in double quotes, a dollar as $$; bytes that are not UTF-8 as U+FFFD. The user and
 * password of a URL are printed as ***. */
void swi_quote_print(const char *text, FILE *out);

/* The same in double quotes in any case, and with nothing hidden. */
void swi_quote_string(const char *text, FILE *out);

#endif
