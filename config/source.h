/* SPDX-License-Identifier: MIT */
/* source.h - the bytes of a configuration, before libyaml sees them. */
#ifndef CONFIG_SOURCE_H
#define CONFIG_SOURCE_H

#include "core/text/mistakes.h"

#include <stdbool.h>

/* Reads a file, or one byte more than it may have. named: somebody named this path; where nobody
 * did, it has to be a file that no other user may have put there. text is the caller's to free().
 * Returns 0, SW_EIO or SW_ENOMEM. */
int swi_source_read(const char *path, bool named, char **text, size_t *size, struct sw_error *err);

/* Whether text is no longer than allowed and all UTF-8 without control characters; if not, says
 * where. */
bool swi_source_check(const char *text, size_t size, const char *name,
                      struct swi_mistakes *mistakes);

#endif
