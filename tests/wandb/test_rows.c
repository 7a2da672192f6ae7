/* SPDX-License-Identifier: MIT */
/* The records of rows, which are encoded without messages, have the bytes of the messages, and
 * these have the bytes that the format says. */
#include "sinks/wandb/file/record_messages.h"
#include "tests/support/suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 40, LONGEST = 20000 };

/* ---- as messages ----------------------------------------------------------------------------- */

static struct swi_item_message item_message[ITEMS];
static const struct swi_item_message *item_list[ITEMS];

static void items_make(const struct swi_fields *row)
{
    for (size_t i = 0; i < row->count; i++) {
        item_list[i] = &item_message[i];
        item_message[i] = (struct swi_item_message){
            .n_nested_key = 1,
            .nested_key = (const char *const *)&row->item[i].key,
            .what = SWI_ITEM_VALUE_JSON,
            .value_json = row->item[i].json.size ? row->item[i].json.data : "null"};
    }
}

static void add_messages(struct swi_text *to, const struct swi_row_message *message)
{
    struct swi_history_step_message step = {.num = message->step};
    struct swi_history_message history = {
        .step = &step, .n_item = message->row->count, .item = item_list};
    struct swi_items_message summary = {.n_update = message->row->count, .update = item_list};
    struct swi_record_message record = {.num = message->number, .what = SWI_RECORD_HISTORY};
    items_make(message->row);
    record.history = &history;
    if (message->is_summary) {
        record.what = SWI_RECORD_SUMMARY;
        record.summary = &summary;
    }
    swi_record_message_add(to, &record);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void expect_the_same(struct swi_row_message message)
{
    struct swi_text expected = {0}, row = {0};
    add_messages(&expected, &message);
    swi_row_message_add(&row, &message);
    ck_assert_uint_eq(row.size, expected.size);
    ck_assert_mem_eq(row.data, expected.data, row.size);
    swi_text_free(&expected);
    swi_text_free(&row);
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

START_TEST(a_row_has_the_bytes_of_its_messages)
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
START_TEST(sizes_of_one_to_three_bytes_are_those_of_messages)
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

/* ---- messages -------------------------------------------------------------------------------- */

/* Bytes by hand, after the documentation of the format. */
static const unsigned char stats_bytes[] = {
    0x08, 0x96, 0x01,                               /* num: 150 */
    0x3a, 0x26,                                     /* stats */
    0x12, 0x0d,                                     /* timestamp */
    0x08, 0x05,                                     /* seconds: 5 */
    0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* nanos: -1 */
    0xff, 0xff, 0x01,                               /**/
    0x1a, 0x05, 0x0a, 0x01, 0x61, 0x28, 0x05,       /* item: key "a", integer -3 */
    0x1a, 0x0e, 0x12, 0x01, 0x62, 0x12, 0x00,       /* item: nested_key "b", "" */
    0x31, 0,    0,    0,    0,    0,    0,          /* number: -2.0 */
    0x00, 0xc0,                                     /**/
};

START_TEST(a_message_has_the_bytes_of_the_format)
{
    struct swi_timestamp_message stamp = {.seconds = 5, .nanos = -1};
    struct swi_item_message integer = {.key = "a", .what = SWI_ITEM_INTEGER, .integer = -3};
    struct swi_item_message number = {.n_nested_key = 2,
                                      .nested_key = (const char *const[]){"b", ""},
                                      .what = SWI_ITEM_NUMBER,
                                      .number = -2.0};
    struct swi_stats_message stats = {
        .timestamp = &stamp,
        .n_item = 2,
        .item = (const struct swi_item_message *const[]){&integer, &number}};
    struct swi_record_message record = {.num = 150, .what = SWI_RECORD_STATS, .stats = &stats};
    struct swi_text written = {0};
    swi_record_message_add(&written, &record);
    ck_assert_uint_eq(written.size, sizeof stats_bytes);
    ck_assert_mem_eq(written.data, stats_bytes, sizeof stats_bytes);
    swi_text_free(&written);
}
END_TEST

START_TEST(a_message_is_read_back)
{
    struct swi_record_message *record =
        swi_record_message_read(stats_bytes, sizeof stats_bytes, 4096);
    ck_assert_ptr_nonnull(record);
    ck_assert_int_eq(record->what, SWI_RECORD_STATS);
    ck_assert_int_eq(record->stats->timestamp->nanos, -1);
    ck_assert_uint_eq(record->stats->n_item, 2);
    ck_assert_int_eq(record->stats->item[0]->integer, -3);
    ck_assert_str_eq(record->stats->item[1]->key, "");
    ck_assert_str_eq(record->stats->item[1]->nested_key[1], "");
    ck_assert_double_eq(record->stats->item[1]->number, -2.0);
    swi_message_free(record);
}
END_TEST

/* At each byte, with too little memory, with a wrong type of the number, and with field 0. */
START_TEST(what_is_not_a_whole_message_is_refused)
{
    static const unsigned char texts_number[] = {0x0a, 0x01, 0x61}, field_0[] = {0x00, 0x01};
    for (size_t size = 1; size < sizeof stats_bytes; size++)
        if (size != 3) /* the number alone is a record */
            ck_assert_ptr_null(swi_record_message_read(stats_bytes, size, 4096));
    for (size_t most = 0; most < 100; most++)
        ck_assert_ptr_null(swi_record_message_read(stats_bytes, sizeof stats_bytes, most));
    ck_assert_ptr_null(swi_record_message_read(texts_number, sizeof texts_number, 4096));
    ck_assert_ptr_null(swi_record_message_read(field_0, sizeof field_0, 4096));
}
END_TEST

/* A choice that comes twice is the last one; a message in two parts is both. */
START_TEST(what_comes_again_replaces_or_adds)
{
    static const unsigned char bytes[] = {0x52, 0x03, 0x0a, 0x01, 't',        /* alert: title */
                                          0x6a, 0x03, 0x1a, 0x01, 'a',        /* output_raw: line */
                                          0x6a, 0x05, 0x08, 0x01, 0x1a, 0x01, /* again */
                                          'b'};
    struct swi_record_message *record = swi_record_message_read(bytes, sizeof bytes, 4096);
    ck_assert_ptr_nonnull(record);
    ck_assert_int_eq(record->what, SWI_RECORD_OUTPUT_RAW);
    ck_assert_int_eq(record->output_raw->output_type, 1);
    ck_assert_str_eq(record->output_raw->line, "b");
    swi_message_free(record);
}
END_TEST

SUITE(wandb_rows)
{
    tcase_add_test(tc, a_row_has_the_bytes_of_its_messages);
    tcase_add_test(tc, sizes_of_one_to_three_bytes_are_those_of_messages);
    tcase_add_test(tc, a_message_has_the_bytes_of_the_format);
    tcase_add_test(tc, a_message_is_read_back);
    tcase_add_test(tc, what_is_not_a_whole_message_is_refused);
    tcase_add_test(tc, what_comes_again_replaces_or_adds);
}
