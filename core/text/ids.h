/* SPDX-License-Identifier: MIT */
/* ids.h - items that come and go, by their ids: a hash table with open addressing. Ids are
 * consecutive, so the place of an item is usually its id modulo the room. */
#ifndef CORE_TEXT_IDS_H
#define CORE_TEXT_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first member of each item. */
struct swi_id {
    int64_t number;
    bool taken; /* set by the table: its place is not free */
};

/* Initialise it as {0}. `item` is the caller's to free. */
struct swi_ids {
    void *item;
    size_t room, count; /* room: a power of two; at most half of it is used */
};

/* Adds a copy of an item of `size` bytes. Its id must differ from those of all others. Returns
 * false if out of memory. */
bool swi_ids_put(struct swi_ids *ids, const void *item, size_t size);

/* Removes the item with this id and sets *item. Returns false if there is none. */
bool swi_ids_take(struct swi_ids *ids, int64_t number, void *item, size_t size);

#endif
