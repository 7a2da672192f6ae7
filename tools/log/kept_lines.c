/* SPDX-License-Identifier: MIT */
#include "tools/log/kept_lines.h"

#include "core/text/vec.h"

#include <stdlib.h>

bool kept_lines_add(struct kept_lines *kept, const struct log_value *line)
{
    struct log_value *copy = log_value_copy(line);
    if (!copy || !swi_vec_grow(&kept->line, kept->count, &kept->room, sizeof *kept->line)) {
        free(copy);
        return !line;
    }
    kept->line[kept->count++] = copy;
    return true;
}

bool kept_lines_put(struct kept_lines *kept, const char *name, const struct log_value *line)
{
    ptrdiff_t number = swi_map_find(&kept->names, name, strlen(name));
    if (number < 0) {
        if (!line || swi_map_add(&kept->names, name, strlen(name)) < 0)
            return !line;
        if (kept_lines_add(kept, line))
            return true;
        swi_map_undo(&kept->names);
        return false;
    }
    struct log_value *copy = log_value_copy(line);
    if (!copy)
        return !line;
    free(kept->line[number]);
    kept->line[number] = copy;
    return true;
}

const struct log_value *kept_lines_get(const struct kept_lines *kept, const char *name)
{
    ptrdiff_t number = swi_map_find(&kept->names, name, strlen(name));
    return number < 0 ? NULL : kept->line[number];
}

void kept_lines_free(struct kept_lines *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        free(kept->line[i]);
    free(kept->line);
    swi_map_free(&kept->names);
    *kept = (struct kept_lines){0};
}
