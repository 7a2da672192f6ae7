/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/path_table.h"
#include "core/text/hash.h"

#include <stdlib.h>
#include <string.h>

bool swi_items_grow(void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 64;
    void *grown = realloc(*items, more * size);
    if (!grown)
        return false;
    *items = grown;
    *room = more;
    return true;
}

static const char *name_of(struct swi_path_table *table, int action_id, const char *action)
{
    size_t id = (size_t)action_id;
    if (id >= table->names) {
        size_t names = 2 * id + 32;
        char **name = realloc(table->name, names * sizeof *name);
        if (!name)
            return NULL;
        memset(name + table->names, 0, (names - table->names) * sizeof *name);
        table->name = name;
        table->names = names;
    }
    if (!table->name[id])
        table->name[id] = strdup(action);
    return table->name[id];
}

static size_t *slot_of(const struct swi_path_table *table, size_t parent, int action_id)
{
    uint64_t hash = swi_hash64_word(SWI_HASH64_BEGIN, parent);
    hash = swi_hash64_word(hash, (uint64_t)action_id);
    for (size_t i = (hash ^ hash >> 32) % table->slots;; i = (i + 1) % table->slots) {
        const struct swi_call_path *at = &table->path[table->slot[i]];
        if (!table->slot[i] || (at->parent == parent && at->action_id == action_id))
            return &table->slot[i];
    }
}

static bool slots_grow(struct swi_path_table *table)
{
    size_t slots = table->slots ? 2 * table->slots : 256;
    size_t *slot = calloc(slots, sizeof *slot);
    table->failed |= !slot;
    if (!slot)
        return false;
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    for (size_t i = 1; i < table->count; i++)
        *slot_of(table, table->path[i].parent, table->path[i].action_id) = i;
    return true;
}

static bool path_room(struct swi_path_table *table)
{
    void *items = table->path;
    bool fits = swi_items_grow(&items, table->count + 1, &table->room, sizeof *table->path);
    table->path = items;
    table->failed |= !fits;
    if (fits && !table->count)
        table->path[table->count++] = (struct swi_call_path){.action_id = -1};
    return fits && (2 * table->count < table->slots || slots_grow(table));
}

/* Returns the place of an action within a path; 0 if out of memory. */
size_t swi_path_find(struct swi_path_table *table, size_t parent, int action_id, const char *action,
                     int64_t now)
{
    if (action_id < 0 || !path_room(table))
        return 0;
    size_t *slot = slot_of(table, parent, action_id), found = *slot;
    if (found)
        return found;
    const char *name = name_of(table, action_id, action);
    table->failed |= !name;
    if (!name)
        return 0;
    table->path[table->count] = (struct swi_call_path){
        .parent = parent, .action_id = action_id, .action = name, .first_ns = now};
    return *slot = table->count++;
}

void swi_path_table_fini(struct swi_path_table *table)
{
    for (size_t i = 0; i < table->names; i++)
        free(table->name[i]);
    free(table->name);
    free(table->path);
    free(table->slot);
    *table = (struct swi_path_table){0};
}
