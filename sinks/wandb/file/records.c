/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/records.h"
#include "sinks/wandb/file/row_message.h"

#include <math.h>
#include <stdlib.h>

struct swi_timestamp_message swi_wandb_timestamp(double wall_s)
{
    return (struct swi_timestamp_message){.seconds = (int64_t)floor(wall_s),
                                          .nanos = (int32_t)((wall_s - floor(wall_s)) * 1e9)};
}

size_t swi_wandb_texts_count(const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

/* ---- adding a record to the log -------------------------------------------------------------- */

/* Gives the packed record to `beyond`. Returns whether that keeps it. */
static bool set_aside(struct swi_records *records)
{
    return !records->packed.failed && records->beyond &&
           records->beyond(records->arg, records->number, records->packed.data,
                           records->packed.size);
}

/* Adds the packed record, which is incomplete if memory has run out. */
static void packed_add(struct swi_records *records)
{
    bool added = !records->packed.failed &&
                 swi_wandb_log_add(&records->log, records->packed.data, records->packed.size);
    bool aside = !added && set_aside(records);
    records->aside += aside;
    records->lost += !added && !aside;
}

static void packed_clear(struct swi_records *records)
{
    records->packed.size = 0;
    records->packed.failed = false;
}

void swi_records_add(struct swi_records *records, struct swi_record_message *record,
                     enum swi_record_what what)
{
    record->what = what;
    record->num = ++records->number;
    packed_clear(records);
    swi_record_message_add(&records->packed, record);
    packed_add(records);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Packs a row. Returns false if out of memory. */
static bool row_pack(struct swi_records *records, struct swi_row_message message)
{
    packed_clear(records);
    swi_row_message_add(&records->packed, &message);
    return !records->packed.failed;
}

void swi_records_history(struct swi_records *records, const struct swi_fields *row, int64_t step)
{
    row_pack(records,
             (struct swi_row_message){.row = row, .step = step, .number = ++records->number});
    packed_add(records);
}

/* The rows have the same values, so nothing is lost if there is no room. */
bool swi_records_summary(struct swi_records *records, const struct swi_fields *row)
{
    struct swi_row_message message = {.row = row, .is_summary = true, .number = ++records->number};
    bool added = row_pack(records, message) &&
                 swi_wandb_log_repeat(&records->log, records->packed.data, records->packed.size);
    if (!added)
        set_aside(records);
    return added;
}

/* The row and its summary are the draft's first and second record. */
void swi_records_draft(struct swi_records *records, const struct swi_fields *row,
                       const struct swi_fields *summary, int64_t step)
{
    struct swi_row_message first = {.row = row, .step = step, .number = records->number + 1};
    struct swi_row_message second = {
        .row = summary, .is_summary = true, .number = records->number + 2};
    if (!row_pack(records, first))
        return;
    swi_wandb_log_draft(&records->log, records->packed.data, records->packed.size);
    if (row_pack(records, second))
        swi_wandb_log_draft_more(&records->log, records->packed.data, records->packed.size);
}

/* ---- other named values ---------------------------------------------------------------------- */

/* The messages of a row's items. */
struct items {
    const struct swi_item_message **list;
    struct swi_item_message *item;
};

/* Returns false if out of memory. Call items_fini() in any case. */
static bool items_init(struct items *items, const struct swi_fields *row)
{
    size_t count = row->count ? row->count : 1;
    items->list = malloc(count * sizeof *items->list);
    items->item = malloc(count * sizeof *items->item);
    for (size_t i = 0; items->list && items->item && i < row->count; i++) {
        items->list[i] = &items->item[i];
        items->item[i] = (struct swi_item_message){
            .key = row->item[i].key,
            .what = SWI_ITEM_VALUE_JSON,
            .value_json = row->item[i].json.size ? row->item[i].json.data : "null"};
    }
    return items->list && items->item;
}

static void items_fini(struct items *items)
{
    free(items->list);
    free(items->item);
}

void swi_records_summary_remove(struct swi_records *records, const char *key)
{
    struct swi_item_message item = {.n_nested_key = 1, .nested_key = &key};
    struct swi_items_message message = {.n_remove = 1,
                                        .remove = (const struct swi_item_message *const[]){&item}};
    struct swi_record_message record = {.summary = &message};
    swi_records_add(records, &record, SWI_RECORD_SUMMARY);
}

/* A point in a key may separate levels. */
void swi_records_config(struct swi_records *records, const struct swi_fields *row)
{
    struct items items;
    if (items_init(&items, row)) {
        struct swi_items_message message = {.n_update = row->count, .update = items.list};
        struct swi_record_message record = {.config = &message};
        swi_records_add(records, &record, SWI_RECORD_CONFIG);
    } else {
        records->lost++;
    }
    items_fini(&items);
}

void swi_records_config_nested(struct swi_records *records, const char *const *key,
                               const char *json)
{
    struct swi_item_message item = {.n_nested_key = swi_wandb_texts_count(key),
                                    .nested_key = key,
                                    .what = SWI_ITEM_VALUE_JSON,
                                    .value_json = json};
    struct swi_items_message message = {.n_update = 1,
                                        .update = (const struct swi_item_message *const[]){&item}};
    struct swi_record_message record = {.config = &message};
    swi_records_add(records, &record, SWI_RECORD_CONFIG);
}

void swi_records_stats(struct swi_records *records, const struct swi_fields *row, double wall_s)
{
    struct swi_timestamp_message stamp = swi_wandb_timestamp(wall_s);
    struct items items;
    if (items_init(&items, row)) {
        struct swi_stats_message message = {
            .timestamp = &stamp, .n_item = row->count, .item = items.list};
        struct swi_record_message record = {.stats = &message};
        swi_records_add(records, &record, SWI_RECORD_STATS);
    }
    items_fini(&items);
}

void swi_records_free(struct swi_records *records)
{
    swi_text_free(&records->packed);
}
