/* SPDX-License-Identifier: MIT */
#include "core/records/name_set.h"

#include <stdlib.h>
#include <string.h>

enum { MORE = 64 };

void swi_name_set_init(struct swi_name_set *set)
{
    *set = (struct swi_name_set){0};
    pthread_mutex_init(&set->lock, NULL);
}

void swi_name_set_fini(struct swi_name_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->name[i]);
    free(set->name);
    pthread_mutex_destroy(&set->lock);
}

static bool has(const struct swi_name_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->name[i], name) == 0)
            return true;
    return false;
}

static bool reserve(struct swi_name_set *set)
{
    if (set->count % MORE)
        return true;
    char **grown = realloc(set->name, (set->count + MORE) * sizeof *grown);
    set->name = grown ? grown : set->name;
    return grown;
}

bool swi_name_set_add(struct swi_name_set *set, const char *name, size_t most)
{
    pthread_mutex_lock(&set->lock);
    bool there = has(set, name);
    char *copy = !there && set->count < most && reserve(set) ? strdup(name) : NULL;
    if (copy)
        set->name[set->count++] = copy;
    pthread_mutex_unlock(&set->lock);
    return there || copy;
}
