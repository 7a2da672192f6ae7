/* SPDX-License-Identifier: MIT */
#include "core/text/ids.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 16 };

static struct swi_id *at(const struct swi_ids *ids, size_t place, size_t size)
{
    void *item = (char *)ids->item + place * size;
    return item;
}

static size_t place_of(const struct swi_ids *ids, int64_t number)
{
    return (size_t)number & (ids->room - 1);
}

static size_t next(const struct swi_ids *ids, size_t place)
{
    return (place + 1) & (ids->room - 1);
}

static void put(struct swi_ids *ids, const struct swi_id *item, size_t size)
{
    size_t place = place_of(ids, item->number);
    while (at(ids, place, size)->taken)
        place = next(ids, place);
    memcpy(at(ids, place, size), item, size);
    at(ids, place, size)->taken = true;
}

static bool grow(struct swi_ids *ids, size_t size)
{
    struct swi_ids grown = {.room = ids->room ? 2 * ids->room : FIRST, .count = ids->count};
    grown.item = calloc(grown.room, size);
    if (!grown.item)
        return false;
    for (size_t i = 0; i < ids->room; i++)
        if (at(ids, i, size)->taken)
            put(&grown, at(ids, i, size), size);
    free(ids->item);
    *ids = grown;
    return true;
}

bool swi_ids_put(struct swi_ids *ids, const void *item, size_t size)
{
    if (2 * (ids->count + 1) > ids->room && !grow(ids, size))
        return false;
    put(ids, item, size);
    ids->count++;
    return true;
}

/* Moves up the items after a freed place, unless that would bring one before its own place. */
static void close_up(struct swi_ids *ids, size_t freed, size_t size)
{
    for (size_t i = next(ids, freed); at(ids, i, size)->taken; i = next(ids, i)) {
        size_t own = place_of(ids, at(ids, i, size)->number);
        if (((i - own) & (ids->room - 1)) < ((i - freed) & (ids->room - 1)))
            continue;
        memcpy(at(ids, freed, size), at(ids, i, size), size);
        freed = i;
    }
    at(ids, freed, size)->taken = false;
}

bool swi_ids_take(struct swi_ids *ids, int64_t number, void *item, size_t size)
{
    size_t place = place_of(ids, number);
    while (ids->room && at(ids, place, size)->taken && at(ids, place, size)->number != number)
        place = next(ids, place);
    if (!ids->room || !at(ids, place, size)->taken)
        return false;
    memcpy(item, at(ids, place, size), size);
    close_up(ids, place, size);
    ids->count--;
    return true;
}
