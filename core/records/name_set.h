/* SPDX-License-Identifier: MIT */
/* name_set.h - the names that something was said of, up to a limit. */
#ifndef CORE_RECORDS_NAME_SET_H
#define CORE_RECORDS_NAME_SET_H

#include "core/text/map.h"

#include <pthread.h>

struct swi_name_set {
    pthread_mutex_t lock;
    struct swi_map names;
};

void swi_name_set_init(struct swi_name_set *set);
void swi_name_set_fini(struct swi_name_set *set);

/* Adds a name; false if there are `most` others, or no memory. */
bool swi_name_set_add(struct swi_name_set *set, const char *name, size_t most);

#endif
