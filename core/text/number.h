/* SPDX-License-Identifier: MIT */
/* number.h - writes rounded numbers as text, the same in every locale. Each function adds to the
 * text. */
#ifndef CORE_TEXT_NUMBER_H
#define CORE_TEXT_NUMBER_H

#include "core/text/buffer.h"

#include <stdint.h>

/* Writes a time in seconds with four significant digits and a prefix: 86.62ms, 35.63 s, 1.000ks; 0
 * is "-". The prefix is chosen before rounding, so 0.99996 s is 1000.ms. */
void swi_number_time(struct swi_text *text, double seconds);

/* Writes a share of 1 as percent, rounded to an integer, ties to even like printf(): 0.345 is 34%.
 */
void swi_number_percent(struct swi_text *text, double share);

/* Writes an integer in groups of three digits with commas, halves rounded to even: 1,136; NAN is
 * "-". */
void swi_number_rate(struct swi_text *text, double per_second);
/* The same, but with two digits after the point below 10. */
void swi_number_overall(struct swi_text *text, double per_second);
void swi_number_count(struct swi_text *text, int64_t count);

/* Bytes as torch writes them: 40 B, 1024.00 KB, -3.00 GB. Prefixes are powers of 1024. */
void swi_number_bytes(struct swi_text *text, int64_t bytes);

/* Writes energy in joules: below 10 with three digits that count, like 0.0123, else like
 * swi_number_rate(). */
void swi_number_joules(struct swi_text *text, double joules);

/* The same for any figure: three significant digits below 99.5, else an integer: 42,041, 1.2, 87.3.
 */
void swi_number_figure(struct swi_text *text, double value);

/* Writes a duration in nanoseconds with three digits and its unit: 12.3 ms, 130 µs; us if the
 * terminal has no µ. */
void swi_number_duration(struct swi_text *text, double ns, bool utf8);

/* Writes the time since the begin of a run or until its end: 12:34, 1:02:03. */
void swi_number_clock(struct swi_text *text, double seconds);

/* Writes a value of the user with four significant digits: 0.3127, 1e-09, nan, -inf. */
void swi_number_value(struct swi_text *text, double value);

/* Writes `digits` digits after the point. */
void swi_number_fixed(struct swi_text *text, double value, int digits);

#endif
