/* SPDX-License-Identifier: MIT */
#include "core/text/map.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

/* Eight bytes at a time, because sinks look up the name of each value. */
static uint64_t hash_of(const char *name, size_t size)
{
    uint64_t hash = size, word;
    for (; size >= 8; name += 8, size -= 8) {
        memcpy(&word, name, 8);
        hash = mix(hash, word);
    }
    word = 0;
    if (size)
        memcpy(&word, name, size);
    return mix(hash, word);
}

static bool is_named(const struct swi_map *map, size_t number, const void *name, size_t size)
{
    const struct swi_map_name *at = &map->name[number];
    return at->size == size && memcmp(at->text, name, size) == 0;
}

/* Returns the slot of a name, which is free if the map does not have it. */
static size_t slot_of(const struct swi_map *map, const void *name, size_t size, uint64_t hash)
{
    size_t slot = hash & (map->slots - 1);
    for (; map->slot[slot]; slot = (slot + 1) & (map->slots - 1)) {
        size_t number = map->slot[slot] - 1;
        if (map->name[number].hash == hash && is_named(map, number, name, size))
            break;
    }
    return slot;
}

/* At most half of the slots are used, so that searches are short. */
static bool slots_grow(struct swi_map *map)
{
    if (2 * (map->count + 1) <= map->slots)
        return true;
    size_t slots = map->slots ? 2 * map->slots : 32;
    uint32_t *slot = slots <= UINT32_MAX ? calloc(slots, sizeof *slot) : NULL;
    if (!slot)
        return false;
    for (size_t i = 0; i < map->count; i++) {
        size_t at = map->name[i].hash & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    free(map->slot);
    map->slot = slot;
    map->slots = slots;
    return true;
}

/* Returns whether the name is the one after that found last, or that one. */
static bool is_near(struct swi_map *map, const void *name, size_t size)
{
    size_t next = map->last + 1 < map->count ? map->last + 1 : 0;
    if (!map->count)
        return false;
    if (is_named(map, next, name, size))
        map->last = next;
    else if (!is_named(map, map->last, name, size))
        return false;
    return true;
}

static char *copy_of(const void *name, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    if (size)
        memcpy(copy, name, size);
    copy[size] = '\0';
    return copy;
}

ptrdiff_t swi_map_find(const struct swi_map *map, const void *name, size_t size)
{
    uint32_t found = map->slots ? map->slot[slot_of(map, name, size, hash_of(name, size))] : 0;
    return (ptrdiff_t)found - 1;
}

ptrdiff_t swi_map_add(struct swi_map *map, const void *name, size_t size)
{
    if (is_near(map, name, size))
        return (ptrdiff_t)map->last;
    uint64_t hash = hash_of(name, size);
    if (!slots_grow(map))
        return -1;
    size_t slot = slot_of(map, name, size, hash);
    if (!map->slot[slot]) {
        bool fits = swi_vec_grow(&map->name, map->count, &map->room, sizeof *map->name);
        char *copy = fits ? copy_of(name, size) : NULL;
        if (!copy)
            return -1;
        map->name[map->count] = (struct swi_map_name){.text = copy, .size = size, .hash = hash};
        map->slot[slot] = (uint32_t)++map->count;
    }
    map->last = map->slot[slot] - 1;
    return (ptrdiff_t)map->last;
}

void *swi_map_item(struct swi_map *map, void *items, size_t item_size, const void *name,
                   size_t size)
{
    size_t count = map->count, room = map->room;
    ptrdiff_t number = swi_map_add(map, name, size);
    char *array;
    memcpy(&array, items, sizeof array);
    /* The items have as much room as the names. */
    if (map->room > room) {
        char *grown = realloc(array, map->room * item_size);
        if (grown)
            memcpy(items, &grown, sizeof grown);
        else
            map->room = room;
        if (!grown && number >= 0)
            swi_map_undo(map);
        if (!grown)
            return NULL;
        array = grown;
    }
    if (map->count > count)
        memset(array + item_size * count, 0, item_size);
    return number < 0 ? NULL : array + item_size * (size_t)number;
}

void swi_map_undo(struct swi_map *map)
{
    const struct swi_map_name *newest = &map->name[map->count - 1];
    map->slot[slot_of(map, newest->text, newest->size, newest->hash)] = 0;
    free(newest->text);
    map->count--;
    map->last = 0;
}

void swi_map_free(struct swi_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        free(map->name[i].text);
    free(map->name);
    free(map->slot);
    *map = (struct swi_map){0};
}
