/* SPDX-License-Identifier: MIT */
/* iso_date.h - times as ISO 8601 writes them. */
#ifndef CORE_TEXT_ISO_DATE_H
#define CORE_TEXT_ISO_DATE_H

#include <stdbool.h>
#include <stdint.h>

enum { SWI_ISO_DATE = 64 };

/* Writes "2026-11-27T06:27:43", in UTC. micros: written behind it, as ".000250"; -1: none. zone:
 * "Z",
 * "+00:00" or "", at the end. Returns false, with "" as the text, if it is not a date. */
bool swi_iso_date(char text[SWI_ISO_DATE], int64_t seconds, int micros, const char *zone);

#endif
