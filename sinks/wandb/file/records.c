/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/records.h"
#include "sinks/wandb/file/pack_record.h"
#include "sinks/wandb/file/row_message.h"

#include <stdlib.h>

/* The messages of a row's items. */
struct items {
    SwiWandb__Item **list;
    SwiWandb__Item *item;
};

static bool items_init(struct items *items, const struct swi_fields *row)
{
    size_t count = row->count ? row->count : 1;
    items->list = malloc(count * sizeof *items->list);
    items->item = malloc(count * sizeof *items->item);
    return items->list && items->item;
}

static void items_fini(struct items *items)
{
    free(items->list);
    free(items->item);
}

static void items_fill(struct items *items, const struct swi_fields *row)
{
    for (size_t i = 0; i < row->count; i++) {
        SwiWandb__Item *item = items->list[i] = &items->item[i];
        swi_wandb__item__init(item);
        item->key = row->item[i].key;
        item->value_case = SWI_WANDB__ITEM__VALUE_VALUE_JSON;
        item->value_json = swi_wandb_text(row->item[i].json.size ? row->item[i].json.data : "null");
    }
}

/* Packs a row into records->packed. Returns the size, or 0 if out of memory. */
static size_t row_pack(struct swi_records *records, struct swi_row_message message)
{
    size_t size = swi_row_message_size(&message);
    if (!swi_records_room(records, size))
        return 0;
    swi_row_message_put(&message, records->packed);
    return size;
}

void swi_records_history(struct swi_records *records, const struct swi_fields *row, int64_t step)
{
    swi_records_add_packed(
        records, row_pack(records, (struct swi_row_message){
                                       .row = row, .step = step, .number = ++records->number}));
}

/* The rows have the same values, so nothing is lost if there is no room. */
bool swi_records_summary(struct swi_records *records, const struct swi_fields *row)
{
    size_t size = row_pack(
        records,
        (struct swi_row_message){.row = row, .is_summary = true, .number = ++records->number});
    bool added = size && swi_wandb_log_repeat(&records->log, records->packed, size);
    if (!added)
        swi_records_set_aside(records, size);
    return added;
}

/* The row and its summary are the draft's first and second record. */
void swi_records_draft(struct swi_records *records, const struct swi_fields *row,
                       const struct swi_fields *summary, int64_t step)
{
    size_t size = row_pack(
        records, (struct swi_row_message){.row = row, .step = step, .number = records->number + 1});
    if (!size)
        return;
    swi_wandb_log_draft(&records->log, records->packed, size);
    size =
        row_pack(records, (struct swi_row_message){
                              .row = summary, .is_summary = true, .number = records->number + 2});
    if (size)
        swi_wandb_log_draft_more(&records->log, records->packed, size);
}

void swi_records_summary_remove(struct swi_records *records, const char *key)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Items message = SWI_WANDB__ITEMS__INIT;
    SwiWandb__Item item = SWI_WANDB__ITEM__INIT, *list[] = {&item};
    char *keys[] = {swi_wandb_text(key)};
    item.n_nested_key = 1;
    item.nested_key = keys;
    message.n_remove = 1;
    message.remove = list;
    record.summary = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_SUMMARY);
}

/* A point in a key may separate levels. */
void swi_records_config(struct swi_records *records, const struct swi_fields *row)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Items message = SWI_WANDB__ITEMS__INIT;
    struct items items;
    record.config = &message;
    if (items_init(&items, row)) {
        items_fill(&items, row);
        message.n_update = row->count;
        message.update = items.list;
        swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_CONFIG);
    } else {
        records->lost++;
    }
    items_fini(&items);
}

void swi_records_config_nested(struct swi_records *records, const char *const *key,
                               const char *json)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Items message = SWI_WANDB__ITEMS__INIT;
    SwiWandb__Item item = SWI_WANDB__ITEM__INIT, *list[] = {&item};
    item.n_nested_key = swi_wandb_texts_count(key);
    item.nested_key = (char **)(uintptr_t)key;
    item.value_case = SWI_WANDB__ITEM__VALUE_VALUE_JSON;
    item.value_json = swi_wandb_text(json);
    message.n_update = 1;
    message.update = list;
    record.config = &message;
    swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_CONFIG);
}

void swi_records_stats(struct swi_records *records, const struct swi_fields *row, double wall_s)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__Stats message = SWI_WANDB__STATS__INIT;
    SwiWandb__Timestamp stamp = swi_wandb_timestamp(wall_s);
    struct items items;
    if (items_init(&items, row)) {
        items_fill(&items, row);
        message.timestamp = &stamp;
        message.n_item = row->count;
        message.item = items.list;
        record.stats = &message;
        swi_records_add(records, &record, SWI_WANDB__RECORD__WHAT_STATS);
    }
    items_fini(&items);
}

void swi_records_free(struct swi_records *records)
{
    free(records->packed);
    records->packed = NULL;
    records->capacity = 0;
}
