/* SPDX-License-Identifier: MIT */
/* test_nested.c - values whose names have several parts, as the SDK writes a table's or a
 * dictionary's: they arrive as objects. */
#include "net/json.h"
#include "sinks/wandb/upload/content/file_lines.h"
#include "sinks/wandb/upload/content/model.h"
#include "sinks/wandb/upload/content/write_json.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 8, PARTS = 4 };

static struct swi_item_message item[ITEMS];
static const struct swi_item_message *list[ITEMS];
static char parts_text[ITEMS][64], json_text[ITEMS][32];
static const char *parts[ITEMS][PARTS];
static size_t count;

/* Adds a value; the parts of its name stand between slashes. */
static void add(const char *name, const char *json)
{
    struct swi_item_message *one = &item[count];
    list[count] = one;
    *one = (struct swi_item_message){0};
    char *rest = parts_text[count];
    snprintf(rest, sizeof parts_text[0], "%s", name);
    snprintf(json_text[count], sizeof json_text[0], "%s", json);
    for (char *part; (part = strsep(&rest, "/"));)
        parts[count][one->n_nested_key++] = part;
    one->nested_key = parts[count];
    one->what = SWI_ITEM_VALUE_JSON;
    one->value_json = json_text[count];
    count++;
}

/* What has been added since the last call. */
static const char *nested(void)
{
    static char shown[512];
    struct swi_text text = {0};
    swi_nested_put(&text, list, count);
    snprintf(shown, sizeof shown, "%s", text.data ? text.data : "");
    swi_text_free(&text);
    count = 0;
    return shown;
}

START_TEST(parts_of_a_name_become_objects)
{
    ck_assert_str_eq(nested(), "");
    add("flat", "1");
    ck_assert_str_eq(nested(), "");
    add("a/c", "2");
    add("b", "0");
    add("t/_type", "\"table-file\"");
    add("a/b/c", "NaN");
    add("a/b/d", "[1,2]");
    ck_assert_str_eq(
        nested(),
        "\"a\":{\"b\":{\"c\":NaN,\"d\":[1,2]},\"c\":2},\"t\":{\"_type\":\"table-file\"},");
}
END_TEST

START_TEST(of_two_values_of_one_name_the_later_counts)
{
    add("a/b", "1");
    add("a/b", "2");
    ck_assert_str_eq(nested(), "\"a\":{\"b\":2},");
    add("a/b", "1");
    add("a/b/c", "3");
    ck_assert_str_eq(nested(), "\"a\":{\"b\":{\"c\":3}},");
}
END_TEST

START_TEST(a_row_of_the_history_has_them_as_objects)
{
    struct swi_lines lines = {0};
    struct swi_steps steps = {.last = -1};
    struct swi_history_message row = {0};
    add("loss", "0.5");
    add("nest/y", "2.5");
    add("_step", "7");
    add("nest/x", "1\n");
    row.n_item = count;
    row.item = list;
    ck_assert(swi_line_history(&lines, &steps, &row, false));
    count = 0;
    ck_assert_str_eq(lines.json.data, "\"{\\\"loss\\\":0.5,\\\"nest\\\":{\\\"x\\\":1 "
                                      ",\\\"y\\\":2.5},\\\"_step\\\":7}\"");
    swi_text_free(&lines.json);
}
END_TEST

static void summary_take(struct swi_model *model)
{
    struct swi_record_message record = {0};
    struct swi_items_message items = {0};
    items.n_update = count;
    items.update = list;
    record.summary = &items;
    record.what = SWI_RECORD_SUMMARY;
    swi_model_take(model, &record);
    count = 0;
}

static void summary_is(const struct swi_model *model, const char *expected)
{
    struct swi_text text = {0};
    swi_model_summary(model, &text);
    ck_assert_str_eq(text.data, expected);
    swi_text_free(&text);
}

START_TEST(the_summary_keeps_what_several_records_say_of_an_object)
{
    struct swi_model model;
    ck_assert(swi_model_init(&model));
    add("loss", "1");
    add("_wandb/runtime", "3");
    add("best", "{\"a\":1}");
    summary_take(&model);
    add("_wandb/code", "\"x\"");
    add("best/b", "2");
    summary_take(&model);
    summary_is(&model, "{\"loss\":1,\"_wandb\":{\"runtime\":3,\"code\":\"x\"},"
                       "\"best\":{\"a\":1,\"b\":2}}");
    add("best", "5");
    summary_take(&model);
    summary_is(&model, "{\"loss\":1,\"best\":5,\"_wandb\":{\"runtime\":3,\"code\":\"x\"}}");
    ck_assert(!model.failed);
    swi_model_fini(&model);
}
END_TEST

/* Takes what was added as an update, or as a removal. */
static void config_take(struct swi_model *model, bool removal)
{
    struct swi_record_message record = {0};
    struct swi_items_message items = {0};
    *(removal ? &items.n_remove : &items.n_update) = count;
    *(removal ? &items.remove : &items.update) = list;
    record.config = &items;
    record.what = SWI_RECORD_CONFIG;
    swi_model_take(model, &record);
    count = 0;
}

static void config_begins(const struct swi_model *model, const char *expected)
{
    struct swi_text text = {0};
    swi_model_config(model, &text);
    ck_assert_msg(strncmp(text.data, expected, strlen(expected)) == 0, "%s", text.data);
    swi_text_free(&text);
}

START_TEST(a_member_of_the_config_is_set_and_removed_by_its_path)
{
    struct swi_model model;
    ck_assert(swi_model_init(&model));
    add("opt", "{\"lr\":0.1}");
    add("seed", "7");
    config_take(&model, false);
    add("opt/lr", "0.5");
    add("opt/deep/x", "[1,2]");
    add("new/er", "true");
    config_take(&model, false);
    config_begins(&model, "{\"opt\":{\"value\":{\"lr\":0.5,\"deep\":{\"x\":[1,2]}}},"
                          "\"seed\":{\"value\":7},\"new\":{\"value\":{\"er\":true}},\"_wandb\"");
    add("opt/lr", "");
    add("none/such", "");
    add("seed/none", "");
    config_take(&model, true);
    add("new", "");
    config_take(&model, true);
    config_begins(&model, "{\"opt\":{\"value\":{\"deep\":{\"x\":[1,2]}}},"
                          "\"seed\":{\"value\":7},\"_wandb\"");
    ck_assert(!model.failed);
    swi_model_fini(&model);
}
END_TEST

/* Python has them, as seeds and hashes. */
START_TEST(an_integer_of_more_than_64_bits_is_a_real)
{
    static const char *const numbers[][2] = {
        {"18446744073709551615", "18446744073709551615"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"-9223372036854775809", "-9223372036854775809"},
        {"{\"seed\":12345678901234567890123}", "{\"seed\":12345678901234567890123.0}"},
        {"[NaN,18446744073709551616,1.5,\"18446744073709551616\"]",
         "[\"NaN\",18446744073709551616.0,1.5,\"18446744073709551616\"]"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_t *found = swi_json_read_tokens(numbers[i][0], strlen(numbers[i][0]));
        json_t *expected = json_loads(numbers[i][1], JSON_DECODE_ANY, NULL);
        if (!expected)
            expected = json_real(strtod(numbers[i][1], NULL));
        ck_assert_msg(found && json_equal(found, expected), "%s", numbers[i][0]);
        json_decref(found);
        json_decref(expected);
    }
}
END_TEST

START_TEST(a_member_of_the_summary_is_removed_by_its_path)
{
    struct swi_model model;
    struct swi_record_message record = {0};
    struct swi_items_message items = {0};
    ck_assert(swi_model_init(&model));
    add("best", "{\"a\":1,\"b\":2}");
    add("loss", "1");
    summary_take(&model);
    add("best/a", "");
    add("none/such", "");
    items.n_remove = count;
    items.remove = list;
    record.summary = &items;
    record.what = SWI_RECORD_SUMMARY;
    swi_model_take(&model, &record);
    count = 0;
    summary_is(&model, "{\"loss\":1,\"best\":{\"b\":2}}");
    swi_model_fini(&model);
}
END_TEST

SUITE(wandb_nested)
{
    tcase_add_test(tc, a_member_of_the_config_is_set_and_removed_by_its_path);
    tcase_add_test(tc, a_member_of_the_summary_is_removed_by_its_path);
    tcase_add_test(tc, an_integer_of_more_than_64_bits_is_a_real);
    tcase_add_test(tc, parts_of_a_name_become_objects);
    tcase_add_test(tc, of_two_values_of_one_name_the_later_counts);
    tcase_add_test(tc, a_row_of_the_history_has_them_as_objects);
    tcase_add_test(tc, the_summary_keeps_what_several_records_say_of_an_object);
}
