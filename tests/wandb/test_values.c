/* SPDX-License-Identifier: MIT */
/* test_values.c - values as the SDK stores them, and the names that it looks for. */
#include "core/text/digest.h"
#include "sinks/wandb/account/sdk_settings.h"
#include "sinks/wandb/wandb_sink.h"
#include "tests/support/golden.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

START_TEST(sha256_of_known_texts)
{
    char hex[65];
    swi_sha256_hex("", 0, hex);
    ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    swi_sha256_hex("abc", 3, hex);
    ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    swi_sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    ck_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

/* ---- lists of numbers in the summary, by what the real SDK wrote ----------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distribution as the core makes it; one bin for each value. kept: room for the first. */
static void distribution(struct sw_distribution *d, struct sw_bin *bin, double *kept,
                         const json_t *values)
{
    double value[64], sum = 0, squares = 0;
    size_t count = json_array_size(values);
    *d = (struct sw_distribution){
        .count = (int64_t)count, .bin = bin, .bin_stride = sizeof *bin, .bin_count = count};
    for (size_t i = 0; i < count; i++) {
        value[i] = json_number_value(json_array_get(values, i));
        sum += value[i];
        if (i < SW_DISTRIBUTION_KEPT)
            kept[d->kept++] = value[i];
    }
    d->value = kept;
    for (size_t i = 0; i < count; i++)
        squares += (value[i] - sum / (double)count) * (value[i] - sum / (double)count);
    qsort(value, count, sizeof *value, by_value);
    for (size_t i = 0; i < count; i++)
        bin[i] = (struct sw_bin){value[i], value[i], 1};
    d->mean = count ? sum / (double)count : 0;
    d->variance = count ? squares / (double)count : 0;
    d->min = count ? value[0] : 0;
    d->max = count ? value[count - 1] : 0;
}

static void same(const json_t *found, const json_t *expected)
{
    const char *key;
    json_t *value;
    if (!json_is_object(expected)) {
        ck_assert(json_equal(found, expected));
        return;
    }
    ck_assert_uint_eq(json_object_size(found), json_object_size(expected));
    json_object_foreach((json_t *)(uintptr_t)expected, key, value)
    {
        double off = json_number_value(json_object_get(found, key)) - json_number_value(value);
        /* A histogram's bin is 1 % wide at most; position and value are exact here but for that. */
        ck_assert_msg(json_is_string(value) || fabs(off) <= 0.01 * fabs(json_number_value(value)),
                      "%s is off by %g", key, off);
    }
}

START_TEST(a_list_is_stored_as_the_sdk_stores_it)
{
    json_t *golden = golden_json("fastxtend/wandb_summary_array_cases.json");
    json_t *cases = json_object_get(golden, "cases"), *one;
    size_t i;
    ck_assert_uint_gt(json_array_size(cases), 4);
    json_array_foreach(cases, i, one)
    {
        struct sw_distribution d;
        struct sw_bin bin[64];
        double kept[SW_DISTRIBUTION_KEPT];
        struct swi_text text = {0};
        distribution(&d, bin, kept, json_object_get(one, "values"));
        swi_wandb_distribution(&text, &d, 1);
        json_t *found = json_loads(text.data, JSON_DECODE_ANY, NULL);
        ck_assert_msg(found != NULL, "%s", text.data);
        same(found, json_object_get(one, "summary"));
        json_decref(found);
        swi_text_free(&text);
    }
    json_decref(golden);
}
END_TEST

START_TEST(numbers_that_are_not_finite_are_written_bare)
{
    struct swi_text text = {0};
    swi_json_number(&text, NAN);
    swi_text_put(&text, " ");
    swi_json_number(&text, -INFINITY);
    ck_assert_str_eq(text.data, "NaN -Infinity");
    swi_text_free(&text);
}
END_TEST

START_TEST(the_last_value_of_a_name_counts)
{
    struct swi_fields row = {0};
    swi_fields_integer(&row, "a", 1);
    swi_fields_integer(&row, "b", 2);
    swi_fields_integer(&row, "a", 3);
    swi_fields_integer(&row, "no \xff utf-8", 4);
    ck_assert_uint_eq(row.count, 3);
    ck_assert_str_eq(row.item[0].json.data, "3");
    ck_assert_str_eq(row.item[2].key, "no \\xff utf-8");
    swi_fields_free(&row);
}
END_TEST

/* ---- what the service refuses ---------------------------------------------------------------- */

START_TEST(a_wrong_project_says_what_is_wrong_and_where)
{
    struct sw_error err;
    ck_assert_int_eq(swi_wandb_project_check("digits", &err), 0);
    ck_assert_int_eq(swi_wandb_project_check("team/digits", &err), SW_EINVAL);
    ck_assert_str_eq(
        sw_error_text(&err),
        "project \"team/digits\": '/' is not allowed, nor is any of "
        "/ \\ # ? % : (option project or WANDB_PROJECT; put the team or user into entity)");
}
END_TEST

START_TEST(a_wrong_run_id_is_refused)
{
    static const char *const wrong[] = {"", " a", "a ", "a/b", "a:b", "it's", "a?"};
    struct sw_error err;
    ck_assert_int_eq(swi_wandb_run_id_check("a-b_c d", &err), 0);
    ck_assert_int_eq(swi_wandb_run_id_check(wrong[_i], &err), SW_EINVAL);
}
END_TEST

SUITE(wandb_values)
{
    tcase_add_test(tc, sha256_of_known_texts);
    tcase_add_test(tc, a_list_is_stored_as_the_sdk_stores_it);
    tcase_add_test(tc, numbers_that_are_not_finite_are_written_bare);
    tcase_add_test(tc, the_last_value_of_a_name_counts);
    tcase_add_test(tc, a_wrong_project_says_what_is_wrong_and_where);
    tcase_add_loop_test(tc, a_wrong_run_id_is_refused, 0, 7);
}
