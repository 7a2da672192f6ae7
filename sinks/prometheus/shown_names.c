/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/shown_names.h"
#include "core/text/hash.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *name)
{
    return swi_hash64(SWI_HASH64_BEGIN, name);
}

/* ---- the tables ------------------------------------------------------------------------------ */

static size_t slot_of(const struct swi_hash_table *table, uint64_t hash)
{
    return (size_t)(hash ^ hash >> 32) & (table->slots - 1);
}

static void table_put(struct swi_hash_table *table, uint64_t hash, size_t index)
{
    size_t slot = slot_of(table, hash);
    while (table->at[slot])
        slot = (slot + 1) & (table->slots - 1);
    table->at[slot] = index + 1;
}

/* Makes room for one more entry. Returns false if out of memory; rehashed: the table is empty and
 * wants all entries again. */
static bool table_grow(struct swi_hash_table *table, size_t count, bool *rehashed)
{
    *rehashed = false;
    if (2 * (count + 1) <= table->slots)
        return true;
    size_t slots = table->slots ? 2 * table->slots : 64;
    size_t *at = calloc(slots, sizeof *at);
    if (!at)
        return false;
    free(table->at);
    *table = (struct swi_hash_table){.at = at, .slots = slots};
    *rehashed = true;
    return true;
}

bool swi_list_grow(void **array, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(*array, more * size);
    if (!grown)
        return false;
    *array = grown;
    *room = more;
    return true;
}

/* ---- names that are shown -------------------------------------------------------------------- */

static ptrdiff_t shown_find(const struct swi_shown_names *names, const char *name, uint64_t hash)
{
    const struct swi_hash_table *table = &names->shown;
    if (!table->slots)
        return -1;
    for (size_t slot = slot_of(table, hash); table->at[slot];
         slot = (slot + 1) & (table->slots - 1))
        if (strcmp(names->name[table->at[slot] - 1], name) == 0)
            return (ptrdiff_t)table->at[slot] - 1;
    return -1;
}

static ptrdiff_t shown_add(struct swi_shown_names *names, const char *name, uint64_t hash)
{
    bool rehashed;
    if (names->count >= names->most || !table_grow(&names->shown, names->count, &rehashed))
        return -1;
    for (size_t i = 0; rehashed && i < names->count; i++)
        table_put(&names->shown, hash_of(names->name[i]), i);
    void *array = names->name;
    bool fits = swi_list_grow(&array, &names->room, names->count, sizeof *names->name);
    names->name = array;
    char *copy = fits ? strdup(name) : NULL;
    if (!copy)
        return -1;
    names->name[names->count] = copy;
    table_put(&names->shown, hash, names->count);
    return (ptrdiff_t)names->count++;
}

/* ---- names that are not shown ---------------------------------------------------------------- */

static bool dropped_find(const struct swi_shown_names *names, uint64_t hash)
{
    const struct swi_hash_table *table = &names->others;
    if (!table->slots)
        return false;
    for (size_t slot = slot_of(table, hash); table->at[slot];
         slot = (slot + 1) & (table->slots - 1))
        if (names->dropped_hash[table->at[slot] - 1] == hash)
            return true;
    return false;
}

static void dropped_add(struct swi_shown_names *names, uint64_t hash)
{
    bool rehashed;
    if (names->dropped == SWI_DROPPED_MOST || dropped_find(names, hash) ||
        !table_grow(&names->others, names->dropped, &rehashed))
        return;
    for (size_t i = 0; rehashed && i < names->dropped; i++)
        table_put(&names->others, names->dropped_hash[i], i);
    void *array = names->dropped_hash;
    bool fits =
        swi_list_grow(&array, &names->dropped_room, names->dropped, sizeof *names->dropped_hash);
    names->dropped_hash = array;
    if (!fits)
        return;
    names->dropped_hash[names->dropped] = hash;
    table_put(&names->others, hash, names->dropped++);
}

ptrdiff_t swi_shown_names_at(struct swi_shown_names *names, const char *name)
{
    uint64_t hash = hash_of(name);
    ptrdiff_t index = shown_find(names, name, hash);
    if (index < 0)
        index = shown_add(names, name, hash);
    if (index < 0)
        dropped_add(names, hash);
    return index;
}

void swi_shown_names_free(struct swi_shown_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    free(names->dropped_hash);
    free(names->shown.at);
    free(names->others.at);
}
