/* SPDX-License-Identifier: MIT */
#include "tools/uploads/upload_runs.h"

#include <stdlib.h>
#include <string.h>

int runs_add(struct runs *runs, const char *path, size_t size, struct sw_error *err)
{
    char **list = realloc(runs->path, (runs->count + 1) * sizeof *list);
    char *copy = strndup(path, size);
    if (list)
        runs->path = list;
    if (!list || !copy) {
        free(copy);
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory for its path", path);
    }
    runs->path[runs->count++] = copy;
    return 1;
}

void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        free(runs->path[i]);
    free(runs->path);
    *runs = (struct runs){0};
}
