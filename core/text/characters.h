/* SPDX-License-Identifier: MIT */
/* characters.h - decodes UTF-8, and decides which characters of untrusted text may be shown as they
 * are. There is no other decoder and no other rule in the tree. */
#ifndef CORE_TEXT_CHARACTERS_H
#define CORE_TEXT_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes the UTF-8 character at text: sets code and returns its length (1..4). Returns 0 if it is
 * invalid, overlong, a surrogate or cut off, or if size is 0. */
size_t swi_utf8_next(const char *text, size_t size, uint32_t *code);

/* Returns whether size bytes are valid UTF-8. */
bool swi_utf8_is_valid(const char *text, size_t size);

/* Returns how many bytes of a text are kept: all, or as many whole characters as fit into most. */
size_t swi_utf8_fit(const char *text, size_t most);

/* Returns a copy in which every byte that is not UTF-8 is written as \xNN. The caller frees it.
 * Returns NULL if out of memory. */
char *swi_utf8_repair(const char *text, size_t size);

/* Returns whether a character would control a terminal, change the order of the text around it, be
 * invisible, or look like a blank: the categories Cc, Cf, Zl, Zp and Zs (except the blank itself)
 * of Unicode 16, the fillers of Hangul, and noncharacters. */
bool swi_character_is_unsafe(uint32_t code);

#endif
