/* SPDX-License-Identifier: MIT */
#include "sinks/common/clean_names.h"
#include "core/text/characters.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_odd(const char *name)
{
    return strstr(name, "\\x") || !swi_utf8_is_valid(name, strlen(name));
}

/* Returns NULL if out of memory. */
static char *unique(const struct swi_clean_names *names, const char *name)
{
    char *repaired = swi_utf8_repair(name, strlen(name));
    size_t size = repaired ? strlen(repaired) + 16 : 0;
    char *clean = repaired ? malloc(size) : NULL;
    if (clean)
        snprintf(clean, size, "%s", repaired);
    for (int n = 2; clean && swi_map_find(&names->taken, clean, strlen(clean)) >= 0; n++)
        snprintf(clean, size, "%s_%d", repaired, n);
    free(repaired);
    return clean;
}

const char *swi_clean_name(struct swi_clean_names *names, const char *name)
{
    size_t before = names->odd.count, size = strlen(name);
    if (!is_odd(name) ||
        (before == SWI_ODD_NAMES_MOST && swi_map_find(&names->odd, name, size) < 0))
        return name;
    const char **clean = swi_map_item(&names->odd, &names->clean, sizeof *names->clean, name, size);
    if (!clean || names->odd.count == before)
        return clean ? *clean : name;
    char *made = unique(names, name);
    ptrdiff_t number = made ? swi_map_add(&names->taken, made, strlen(made)) : -1;
    free(made);
    if (number >= 0)
        return *clean = names->taken.name[number].text;
    swi_map_undo(&names->odd);
    return name;
}

void swi_clean_names_free(struct swi_clean_names *names)
{
    swi_map_free(&names->odd);
    swi_map_free(&names->taken);
    free(names->clean);
}
