/* SPDX-License-Identifier: MIT */
#include "core/records/name_set.h"

#include <string.h>

void swi_name_set_init(struct swi_name_set *set)
{
    *set = (struct swi_name_set){0};
    pthread_mutex_init(&set->lock, NULL);
}

void swi_name_set_fini(struct swi_name_set *set)
{
    swi_map_free(&set->names);
    pthread_mutex_destroy(&set->lock);
}

bool swi_name_set_add(struct swi_name_set *set, const char *name, size_t most)
{
    size_t size = strlen(name);
    pthread_mutex_lock(&set->lock);
    bool has = swi_map_find(&set->names, name, size) >= 0 ||
               (set->names.count < most && swi_map_add(&set->names, name, size) >= 0);
    pthread_mutex_unlock(&set->lock);
    return has;
}
