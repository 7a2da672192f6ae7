/* SPDX-License-Identifier: MIT */
/* hash.h - the hash of a name, for tables in memory. */
#ifndef CORE_TEXT_HASH_H
#define CORE_TEXT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/, of at most `most` bytes. length: set
 * to how many bytes these are. Inline, because sw_log() calls it for each value. */
static inline uint32_t swi_hash(const char *text, size_t most, size_t *length)
{
    uint32_t h = 2166136261u;
    size_t n = 0;
    for (; n < most && text[n]; n++)
        h = (h ^ (unsigned char)text[n]) * 16777619u;
    *length = n;
    return h;
}

#endif
