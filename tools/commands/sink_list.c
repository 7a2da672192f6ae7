/* SPDX-License-Identifier: MIT */
#include "tools/commands/sink_list.h"

#include <stdio.h>
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

/* Each name is listed once, even if several folders have it. */
char *sink_list_names(const struct sw_sinks *sinks)
{
    char *names = NULL;
    size_t size = 0, said = 0, count = 0;
    FILE *out = open_memstream(&names, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < sinks->count; i++)
        count += !sinks->item[i].shadowed;
    for (size_t i = 0; i < sinks->count; i++)
        if (!sinks->item[i].shadowed)
            fprintf(out, "%s%s",
                    !said++         ? ""
                    : said == count ? " and "
                                    : ", ",
                    sinks->item[i].name);
    if (fclose(out) == 0)
        return names;
    free(names);
    return NULL;
}
