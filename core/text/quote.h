/* SPDX-License-Identifier: MIT */
/* quote.h - writes text as a value of a configuration. */
#ifndef CORE_TEXT_QUOTE_H
#define CORE_TEXT_QUOTE_H

#include <stdio.h>

/* Prints text so that reading it as a value of the configuration returns it: plain if that is safe,
 * else in double quotes, with a dollar as $$ and invalid UTF-8 as U+FFFD. The user and password of
 * a URL are printed as ***. */
void swi_quote_print(const char *text, FILE *out);

/* Prints it always in double quotes, and with nothing hidden. */
void swi_quote_string(const char *text, FILE *out);

#endif
