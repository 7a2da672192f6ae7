/* SPDX-License-Identifier: MIT */
#include "tools/commands/sink_list.h"

#include <stdlib.h>
#include <string.h>

const struct sw_sink_found *sink_list_find(const struct sw_sinks *sinks, const char *name,
                                           size_t length)
{
    for (size_t i = 0; i < sinks->count; i++) {
        const char *found = sinks->item[i].name;
        if (strncmp(found, name, length) == 0 && !found[length])
            return &sinks->item[i];
    }
    return NULL;
}

PLUGIN_LIST_ITEMS(items_of, sw_sinks)

struct plugin_found *sink_list_items(const struct sw_sinks *sinks)
{
    return items_of(sinks);
}

char *sink_list_names(const struct sw_sinks *sinks)
{
    struct plugin_found *item = items_of(sinks);
    const struct plugin_list list = {"sinks", "sink", sinks->count, item};
    char *names = item ? plugin_list_names(&list) : NULL;
    free(item);
    return names;
}
