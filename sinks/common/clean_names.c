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

static const struct swi_odd_name *find(const struct swi_clean_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->odd[i].raw, name) == 0)
            return &names->odd[i];
    return NULL;
}

static bool is_taken(const struct swi_clean_names *names, const char *clean)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->odd[i].clean, clean) == 0)
            return true;
    return false;
}

/* Returns NULL if out of memory. */
static char *unique(const struct swi_clean_names *names, const char *name)
{
    char *repaired = swi_utf8_repair(name, strlen(name));
    size_t size = repaired ? strlen(repaired) + 16 : 0;
    char *clean = repaired ? malloc(size) : NULL;
    if (clean)
        snprintf(clean, size, "%s", repaired);
    for (int n = 2; clean && is_taken(names, clean); n++)
        snprintf(clean, size, "%s_%d", repaired, n);
    free(repaired);
    return clean;
}

static bool grow(struct swi_clean_names *names)
{
    if (names->count < names->room)
        return true;
    size_t room = names->room ? 2 * names->room : 16;
    struct swi_odd_name *odd = realloc(names->odd, room * sizeof *odd);
    if (!odd)
        return false;
    names->odd = odd;
    names->room = room;
    return true;
}

static const char *odd_add(struct swi_clean_names *names, const char *name)
{
    bool fits = names->count < SWI_ODD_NAMES_MOST && grow(names);
    char *raw = fits ? strdup(name) : NULL, *clean = raw ? unique(names, name) : NULL;
    if (!clean) {
        free(raw);
        return name;
    }
    names->odd[names->count++] = (struct swi_odd_name){.raw = raw, .clean = clean};
    return clean;
}

const char *swi_clean_name(struct swi_clean_names *names, const char *name)
{
    const struct swi_odd_name *odd;
    if (!is_odd(name))
        return name;
    odd = find(names, name);
    return odd ? odd->clean : odd_add(names, name);
}

void swi_clean_names_free(struct swi_clean_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->odd[i].raw);
        free(names->odd[i].clean);
    }
    free(names->odd);
}
