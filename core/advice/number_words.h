/* SPDX-License-Identifier: MIT */
/* number_words.h - numbers in the sentences of findings, independent of the locale. */
#ifndef CORE_ADVICE_NUMBER_WORDS_H
#define CORE_ADVICE_NUMBER_WORDS_H

#include <stdint.h>

/* A word for direct use in the expression that makes it: swi_word_percent(share).text. */
struct swi_word {
    char text[40];
};

struct swi_word swi_word_percent(double share); /* "66 %", "8.1 %" */
struct swi_word swi_word_change(double share);  /* "+31.2 %", "-0.4 %" */
struct swi_word swi_word_tenths(double value);  /* "1.0" */
struct swi_word swi_word_time(double ns);       /* "12.3 ms": three digits */
struct swi_word swi_word_bytes(double bytes);   /* "2.28 GiB", "512 MiB" */
struct swi_word swi_word_rate(double rate);     /* "59,320"; "4.81" below 99.5 */
struct swi_word swi_word_count(int64_t count);  /* "1,379" */
struct swi_word swi_word_ordinal(int64_t k);    /* "8th" */

#endif
