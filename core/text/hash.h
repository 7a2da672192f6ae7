/* SPDX-License-Identifier: MIT */
/* hash.h - the hash of a name: FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. */
#ifndef CORE_TEXT_HASH_H
#define CORE_TEXT_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the 32 bits of at most `most` bytes, for a table in memory. length: set to how many bytes
 * these are. Inline, because sw_log() calls it for each value. */
static inline uint32_t swi_hash(const char *text, size_t most, size_t *length)
{
    uint32_t h = 2166136261u;
    size_t n = 0;
    for (; n < most && text[n]; n++)
        h = (h ^ (unsigned char)text[n]) * 16777619u;
    *length = n;
    return h;
}

#define SWI_HASH64_BEGIN UINT64_C(14695981039346656037)

/* Goes on from a hash of 64 bits with one more word, and with all bytes of a text. These are enough
 * where a hash stands for the name itself: of 65,536 names, two have the same once in 10^10 runs.
 */
static inline uint64_t swi_hash64_word(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(1099511628211);
}

static inline uint64_t swi_hash64(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = swi_hash64_word(hash, (unsigned char)*text);
    return hash;
}

#endif
