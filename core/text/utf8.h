/* SPDX-License-Identifier: MIT */
/* utf8.h - characters in text that others made. */
#ifndef CORE_TEXT_UTF8_H
#define CORE_TEXT_UTF8_H

#include "core/text/characters.h"

/* Whether size bytes are such characters and nothing else. */
bool swi_utf8_is_valid(const char *text, size_t size);

#endif
