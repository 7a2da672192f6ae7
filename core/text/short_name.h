/* SPDX-License-Identifier: MIT */
/* short_name.h - names that are too long are shortened so that no two become the same. */
#ifndef CORE_TEXT_SHORT_NAME_H
#define CORE_TEXT_SHORT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a name of an action, a metric or a counter. */
enum { SWI_NAME_MAX = 255 };

/* Returns the name itself if it has at most so many bytes. Otherwise as many whole characters as
 * fit before a dash and a checksum of the name, in the room, which has most + 1 bytes. */
const char *swi_name_shorten(const char *name, size_t most, char *room);

/* Returns whether a name was shortened in this process. One load. */
bool swi_name_was_shortened(void);

/* The begin of the first such name, and its bytes. */
const char *swi_name_shortened_first(size_t *bytes);

#endif
