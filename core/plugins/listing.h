/* SPDX-License-Identifier: MIT */
/* listing.h - all plugins of a kind that can be named. */
#ifndef CORE_PLUGINS_LISTING_H
#define CORE_PLUGINS_LISTING_H

#include "core/plugins/kind.h"
#include "core/plugins/settings.h"

/* One that was found. The texts are whoever's who has the list. */
struct swi_found {
    char *name;
    char *path;
    const void *plugin; /* NULL: it was refused, and problem says why */
    char *problem;
    bool shadowed;
};

/* By name; of equal names, the one in use first. */
struct swi_found_list {
    size_t count;
    struct swi_found *item;
};

/* Finds registered plugins, and those in all folders of the search. 0 or SW_ENOMEM. The items are
 * the caller's to free. */
int swi_plugins_list(const struct swi_kind *kind, const struct swi_settings *settings,
                     struct swi_found_list *list, struct sw_error *err);
void swi_found_fini(struct swi_found *found);

#endif
