/* SPDX-License-Identifier: MIT */
/* characters.h - UTF-8, and which characters of a text that others made may be shown as they are:
 * the one decoder and the one rule of the tree. */
#ifndef CORE_TEXT_CHARACTERS_H
#define CORE_TEXT_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The UTF-8 character that begins at text: sets code and returns its bytes (1..4), or returns 0 if
 * there is none: invalid, overlong, a surrogate, cut off, or size 0. */
size_t swi_utf8_next(const char *text, size_t size, uint32_t *code);

/* Whether size bytes are such characters and nothing else. */
bool swi_utf8_is_valid(const char *text, size_t size);

/* A copy in which every byte that is no part of such a character is the text \xNN; the caller's to
 * free(). NULL if out of memory. */
char *swi_utf8_repair(const char *text, size_t size);

/* Whether a character would steer a terminal, change the order of what is around it, not be seen or
 * pass for a blank: the categories Cc, Cf, Zl, Zp and Zs (except the blank itself) of Unicode 16,
 * the fillers of Hangul, and what is no character. */
bool swi_character_is_unsafe(uint32_t code);

#endif
