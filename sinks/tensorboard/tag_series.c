/* SPDX-License-Identifier: MIT */
#include "sinks/tensorboard/tag_series.h"

#include <stdlib.h>
#include <string.h>

struct tag_series *tag_series_get(struct tag_series_list *list, const char *tag)
{
    struct tag_series **series =
        swi_map_item(&list->tags, &list->item, sizeof(void *), tag, strnlen(tag, TAG_MAX - 1));
    if (!series)
        return NULL;
    if (!*series && (*series = calloc(1, sizeof **series)))
        (*series)->tag = list->tags.name[series - list->item].text;
    return *series;
}

void tag_series_fini(struct tag_series_list *list)
{
    for (size_t i = 0; i < list->tags.count; i++)
        free(list->item[i]);
    free(list->item);
    swi_map_free(&list->tags);
    list->item = NULL;
}
