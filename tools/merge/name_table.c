/* SPDX-License-Identifier: MIT */
#include "tools/merge/name_table.h"

#include <string.h>

int names_number(struct name_table *names, const char *text, size_t size)
{
    return (int)swi_map_add(&names->texts, text, size);
}

int names_add(struct name_table *names, const char *text)
{
    return names_number(names, text, strlen(text));
}

bool names_init(struct name_table *names)
{
    static const char *const first[] = {"train", "step", "draw", "batch"};
    *names = (struct name_table){0};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (names_add(names, first[i]) < 0)
            return false;
    return true;
}

void names_free(struct name_table *names)
{
    swi_map_free(&names->texts);
}
