/* SPDX-License-Identifier: MIT */
/* exact_number.h - writes numbers that are read back, the same in every locale. Each function adds
 * to the text. */
#ifndef CORE_TEXT_EXACT_NUMBER_H
#define CORE_TEXT_EXACT_NUMBER_H

#include "core/text/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Writes the fewest digits that read back as the same number: 0.0, 8.741403703704798e-05, 1e+16;
 * nan, inf, -inf. */
void swi_number_exact(struct swi_text *text, double value);

/* The same for JSON, which has "NaN", "Infinity" or "-Infinity" for values that are not finite. */
void swi_number_json(struct swi_text *text, double value);

/* Writes units / 10^digits as it is, for 1 to 15 digits and units from 0 on, with at least one
 * digit after the point: 1500 and 3 digits are 1.5. Quicker than the same as a double. */
void swi_number_decimal(struct swi_text *text, int64_t units, int digits);

/* Writes `digits` significant digits without zeros at the end, but at least one digit after the
 * point, like Python's format(value, ".5"): 10.0, 0.00012346, 9999.9, 1e+04, nan. */
void swi_number_short(struct swi_text *text, double value, int digits);

/* ---- times as ISO 8601 writes them ----------------------------------------------------------- */

enum { SWI_ISO_DATE = 64 };

/* Writes "2026-11-27T06:27:43", in UTC. micros: written behind it, as ".000250"; -1: none. zone:
 * "Z",
 * "+00:00" or "", at the end. Returns false, with "" as the text, if it is not a date. */
bool swi_iso_date(char text[SWI_ISO_DATE], int64_t seconds, int micros, const char *zone);

#endif
