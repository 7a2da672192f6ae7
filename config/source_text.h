/* SPDX-License-Identifier: MIT */
/* source_text.h - reads and checks the bytes of a configuration before libyaml gets them. */
#ifndef CONFIG_SOURCE_TEXT_H
#define CONFIG_SOURCE_TEXT_H

#include "core/text/config_mistakes.h"

#include <stdbool.h>

/* Reads a file, up to one byte more than the limit. named: the path was given by the user;
 * otherwise it must be a file that no other user may have put there. The caller frees text. Returns
 * 0, SW_EIO or SW_ENOMEM. */
int swi_source_read(const char *path, bool named, char **text, size_t *size, struct sw_error *err);

/* Returns whether text is within the size limit and is UTF-8 without control characters. If not,
 * adds a mistake. */
bool swi_source_check(const char *text, size_t size, const char *name,
                      struct swi_mistakes *mistakes);

#endif
