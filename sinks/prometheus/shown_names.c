/* SPDX-License-Identifier: MIT */
#include "sinks/prometheus/shown_names.h"
#include "core/text/hash.h"

#include <string.h>

ptrdiff_t swi_shown_names_at(struct swi_shown_names *names, const char *name)
{
    size_t size = strlen(name);
    ptrdiff_t number = names->shown.count < names->most ? swi_map_add(&names->shown, name, size)
                                                        : swi_map_find(&names->shown, name, size);
    if (number < 0 && names->others.count < SWI_DROPPED_MOST) {
        uint64_t hash = swi_hash64(SWI_HASH64_BEGIN, name);
        (void)swi_map_add(&names->others, &hash, sizeof hash);
    }
    return number;
}

void swi_shown_names_free(struct swi_shown_names *names)
{
    swi_map_free(&names->shown);
    swi_map_free(&names->others);
}
