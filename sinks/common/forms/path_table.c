/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/call_paths.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(struct swi_path_table *table, int action_id, const char *action)
{
    size_t id = (size_t)action_id;
    if (!swi_vec_reach(&table->name, id, &table->names, sizeof *table->name))
        return NULL;
    if (!table->name[id])
        table->name[id] = strdup(action);
    return table->name[id];
}

/* Returns the place of an action within a path, a new one if need be; NULL if out of memory. */
static struct swi_call_path *path_of(struct swi_path_table *table, size_t parent, int64_t action_id)
{
    const int64_t key[2] = {(int64_t)parent, action_id};
    struct swi_call_path *path =
        swi_map_item(&table->places, &table->path, sizeof *path, key, sizeof key);
    table->count = table->places.count;
    table->failed |= !path;
    return path;
}

/* Returns the place of an action within a path; 0 if out of memory. */
size_t swi_path_find(struct swi_path_table *table, size_t parent, int action_id, const char *action,
                     int64_t now)
{
    if (action_id < 0)
        return 0;
    if (!table->count) {
        struct swi_call_path *root = path_of(table, 0, -1);
        if (!root)
            return 0;
        root->action_id = -1;
    }
    size_t before = table->count;
    const char *name = name_of(table, action_id, action);
    struct swi_call_path *path = name ? path_of(table, parent, action_id) : NULL;
    table->failed |= !name;
    if (path && table->count > before)
        *path = (struct swi_call_path){
            .parent = parent, .action_id = action_id, .action = name, .first_ns = now};
    else if (path && now < path->first_ns) /* on a thread whose regions came later */
        path->first_ns = now;
    return path ? (size_t)(path - table->path) : 0;
}

void swi_path_table_fini(struct swi_path_table *table)
{
    for (size_t i = 0; i < table->names; i++)
        free(table->name[i]);
    free(table->name);
    free(table->path);
    swi_map_free(&table->places);
    *table = (struct swi_path_table){0};
}
