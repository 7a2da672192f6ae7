/* SPDX-License-Identifier: MIT */
/* map.h - finds what belongs to a name: a hash table with open addressing. Each name gets a number,
 * 0, 1, 2 and so on in the order in which they came, which is its place in an array of the caller.
 */
#ifndef CORE_TEXT_MAP_H
#define CORE_TEXT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swi_map_name {
    char *text; /* a copy; a NUL follows */
    size_t size;
    uint64_t hash;
};

/* Initialise it as {0}. */
struct swi_map {
    size_t count, room;
    struct swi_map_name *name; /* by number */
    uint32_t *slot;            /* number + 1; 0 is free */
    size_t slots;              /* a power of two */
    size_t last;               /* was found last: names often come in the same order again */
};

/* Returns the number of a name, or -1. A name may have any bytes. */
ptrdiff_t swi_map_find(const struct swi_map *map, const void *name, size_t size);

/* Returns the number of a name, and adds it if it is new: then `count` has grown. Returns -1 if out
 * of memory. */
ptrdiff_t swi_map_add(struct swi_map *map, const void *name, size_t size);

/* Returns the item of a name in an array that grows with the map. The item of a new name is zeroed.
 * A map can have one such array.
 *
 * items: the address of the pointer to the array, NULL at first; the caller's to free.
 *
 * Returns NULL if out of memory. The item is valid until the next call. */
void *swi_map_item(struct swi_map *map, void *items, size_t item_size, const void *name,
                   size_t size);

/* Removes the name that was added last. */
void swi_map_undo(struct swi_map *map);

/* Removes all names. */
void swi_map_free(struct swi_map *map);

/* ---- the hash of a name ---------------------------------------------------------------------- */

/* The hash of a name: FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. */

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
