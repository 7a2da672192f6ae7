/* SPDX-License-Identifier: MIT */
/* utf8.h - characters in text that others made. */
#ifndef SINKS_COMMON_UTF8_H
#define SINKS_COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character that begins at text: sets code and returns its bytes (1..4), or returns 0 where
 * there is none: invalid, overlong, a surrogate, cut off, or size 0. */
size_t swi_utf8_read(const char *text, size_t size, uint32_t *code);

/* Whether size bytes are such characters and nothing else. */
bool swi_utf8_is_valid(const char *text, size_t size);

/* Whether a character would steer a terminal, or change the order of what stands around it. */
bool swi_utf8_is_unsafe(uint32_t code);

#endif
