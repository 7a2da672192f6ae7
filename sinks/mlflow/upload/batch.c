/* SPDX-License-Identifier: MIT */
/* batch.c - metrics and parameters that wait to be sent together, as the JSON of a request. */
#include "sinks/mlflow/upload/run_upload.h"
#include "core/text/escape.h"
#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

void swi_items_clear(struct swi_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        free(items->item[i].name);
    items->count = 0;
    items->json.size = 0;
}

void swi_items_free(struct swi_items *items)
{
    swi_items_clear(items);
    free(items->item);
    swi_text_free(&items->json);
    *items = (struct swi_items){0};
}

void swi_item_begin(struct swi_items *items, const char *name)
{
    char *copy = strdup(name);
    items->failed |=
        !copy || !swi_vec_grow(&items->item, items->count, &items->room, sizeof *items->item);
    if (items->failed)
        free(copy);
    else
        items->item[items->count] = (struct swi_batch_item){.at = items->json.size, .name = copy};
}

void swi_item_end(struct swi_items *items)
{
    items->failed |= items->json.failed;
    if (items->failed)
        return;
    struct swi_batch_item *item = &items->item[items->count++];
    item->size = items->json.size - item->at;
}

void swi_items_body(struct swi_text *body, const struct swi_items *items, const char *kind,
                    const char *run_id, size_t first, size_t last)
{
    swi_json_format(body, "{\"run_id\":%s,%s:[", run_id, kind);
    for (size_t i = first; i < last; i++) {
        swi_text_put(body, i > first ? "," : "");
        swi_text_add(body, items->json.data + items->item[i].at, items->item[i].size);
    }
    swi_text_put(body, "]}");
}

size_t swi_items_end(const struct swi_items *items, size_t first, size_t most)
{
    size_t bytes = SWI_BATCH_AROUND, last = first;
    while (last < items->count && last - first < most &&
           (last == first || bytes + items->item[last].size < SWI_BATCH_BYTES))
        bytes += items->item[last++].size + 1;
    return last;
}
