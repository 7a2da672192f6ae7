/* SPDX-License-Identifier: MIT */
/* The records of rows, which are encoded by hand, have the bytes that protobuf-c writes. */
#include "sinks/wandb/file/row_message.h"
#include "sinks/wandb/file/wandb.pb-c.h"
#include "tests/support/suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 40, LONGEST = 20000 };

/* ---- as protobuf-c writes it ----------------------------------------------------------------- */

static SwiWandb__Item item_message[ITEMS], *item_list[ITEMS];

static void items_make(const struct swi_fields *row)
{
    static char null[] = "null";
    for (size_t i = 0; i < row->count; i++) {
        SwiWandb__Item *item = item_list[i] = &item_message[i];
        swi_wandb__item__init(item);
        item->n_nested_key = 1;
        item->nested_key = &row->item[i].key;
        item->value_case = SWI_WANDB__ITEM__VALUE_VALUE_JSON;
        item->value_json = row->item[i].json.size ? row->item[i].json.data : null;
    }
}

static size_t packed(const SwiWandb__Record *record, unsigned char **bytes)
{
    *bytes = malloc(swi_wandb__record__get_packed_size(record));
    return swi_wandb__record__pack(record, *bytes);
}

static size_t by_messages(const struct swi_row_message *message, unsigned char **bytes)
{
    SwiWandb__Record record = SWI_WANDB__RECORD__INIT;
    SwiWandb__History history = SWI_WANDB__HISTORY__INIT;
    SwiWandb__HistoryStep step = SWI_WANDB__HISTORY_STEP__INIT;
    SwiWandb__Items summary = SWI_WANDB__ITEMS__INIT;
    items_make(message->row);
    step.num = message->step;
    history.step = &step;
    history.n_item = summary.n_update = message->row->count;
    history.item = summary.update = item_list;
    record.num = message->number;
    record.what_case =
        message->is_summary ? SWI_WANDB__RECORD__WHAT_SUMMARY : SWI_WANDB__RECORD__WHAT_HISTORY;
    if (message->is_summary)
        record.summary = &summary;
    else
        record.history = &history;
    return packed(&record, bytes);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void expect_the_same(struct swi_row_message message)
{
    unsigned char *expected, *bytes;
    size_t size = swi_row_message_size(&message);
    ck_assert_uint_eq(by_messages(&message, &expected), size);
    bytes = malloc(size);
    swi_row_message_put(&message, bytes);
    ck_assert_mem_eq(bytes, expected, size);
    free(bytes);
    free(expected);
}

static const int64_t numbers[] = {1, 127, 128, INT32_MAX, INT64_MAX};
static const int64_t steps[] = {0, 1, 127, 128, 16384, INT64_MAX, -1, INT64_MIN};

static void expect_the_same_at_each_step(const struct swi_fields *row)
{
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        expect_the_same(
            (struct swi_row_message){.row = row, .is_summary = true, .number = numbers[n]});
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            expect_the_same(
                (struct swi_row_message){.row = row, .step = steps[s], .number = numbers[n]});
    }
}

START_TEST(a_row_has_the_bytes_that_protobuf_c_writes)
{
    struct swi_fields row = {0};
    expect_the_same_at_each_step(&row);
    swi_fields_number(&row, "train/loss", 0.5);
    swi_fields_integer(&row, "_step", -7);
    swi_fields_number(&row, "\xc3\xa4\xe2\x82\xac \xff", 1e300);
    ck_assert_ptr_nonnull(swi_fields_set(&row, "empty"));
    expect_the_same_at_each_step(&row);
    swi_fields_free(&row);
}
END_TEST

/* From 0 to three bytes of size, of keys and of values. */
START_TEST(sizes_of_one_to_three_bytes_are_those_of_protobuf_c)
{
    char *text = calloc(1, LONGEST + 1);
    for (size_t size = 1; size < LONGEST; size += size / 20 + 1) {
        struct swi_fields row = {0};
        memset(text, 'k', size);
        swi_fields_integer(&row, text, 1);
        struct swi_text *json = swi_fields_set(&row, "value");
        ck_assert_ptr_nonnull(json);
        swi_text_add(json, text, size);
        expect_the_same((struct swi_row_message){.row = &row, .step = 1, .number = 1});
        swi_fields_free(&row);
    }
    free(text);
}
END_TEST

SUITE(wandb_rows)
{
    tcase_add_test(tc, a_row_has_the_bytes_that_protobuf_c_writes);
    tcase_add_test(tc, sizes_of_one_to_three_bytes_are_those_of_protobuf_c);
}
