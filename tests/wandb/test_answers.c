/* SPDX-License-Identifier: MIT */
/* test_answers.c - what a server's answers are taken for: the seeds of the fuzzer, and each with
 * bytes changed by chance, the same in every run. */
#include "sinks/wandb/upload/ask/ask.h"
#include "net/json.h"
#include "sinks/wandb/upload/content/model.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 300 };

static const struct {
    const char *name;
    bool is_json;
} seeds[] = {{"upsert", true},  {"status", true}, {"features", true}, {"files", true},
             {"errors", true},  {"stream", true}, {"counts", true},   {"config", true},
             {"tokens", false}, {"html", false},  {"date", false}};

static uint8_t data[SEED_ROOM];
static struct sw_error err;

static size_t seed(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, SRCDIR "/tests/fuzz/answers/%s", name);
    return seed_read(data, path);
}

START_TEST(each_seed_is_read)
{
    size_t size = seed(seeds[_i].name);
    ck_assert_int_eq(fuzz_answers(data, size), seeds[_i].is_json);
}
END_TEST

START_TEST(each_changed_seed_is_read_to_its_end)
{
    size_t size = seed(seeds[_i].name);
    struct seed_found found = seed_change(data, size, TIMES, fuzz_answers);
    ck_assert_int_eq(found.inputs, TIMES);
    ck_assert_int_eq(found.least, 0);
    ck_assert_int_le(found.most, seeds[_i].is_json);
}
END_TEST

static json_t *answer(const char *name)
{
    size_t size = seed(name);
    json_t *json = swi_json_read((const char *)data, size);
    ck_assert_ptr_nonnull(json);
    return json;
}

START_TEST(a_run_is_where_the_answer_says)
{
    struct swi_bucket bucket = {0};
    json_t *json = answer("upsert");
    ck_assert_int_eq(swi_answer_bucket(&bucket, json_object_get(json, "data"), &err), 0);
    ck_assert_str_eq(bucket.entity, "fake-entity");
    ck_assert_str_eq(bucket.project, "demo");
    swi_bucket_free(&bucket);
    ck_assert_int_eq(swi_answer_bucket(&bucket, NULL, &err), SW_EIO);
    ck_assert_msg(strstr(sw_error_text(&err), "base_url") != NULL, "%s", sw_error_text(&err));
    swi_bucket_free(&bucket);
    json_decref(json);
}
END_TEST

START_TEST(what_is_there_already_is_counted)
{
    struct swi_status status = {0};
    json_t *json = answer("status");
    ck_assert_int_eq(swi_answer_status(&status, json_object_get(json, "data"), &err), 0);
    ck_assert(status.exists && status.begun);
    ck_assert_int_eq(status.rows, 2);
    ck_assert_int_eq(status.lines, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(status.row, "_step")), 1);
    swi_status_free(&status);
    json_decref(json);
}
END_TEST

START_TEST(no_count_is_taken_that_cannot_be_one)
{
    struct swi_status status = {0};
    json_t *json = answer("counts");
    ck_assert_int_eq(swi_answer_status(&status, json_object_get(json, "data"), &err), 0);
    ck_assert_int_eq(status.rows, 0);
    ck_assert_int_eq(status.events, 0);
    ck_assert_int_eq(status.lines, 0);
    swi_status_free(&status);
    json_decref(json);
}
END_TEST

START_TEST(a_mistake_is_reported_in_the_servers_words_without_control_characters)
{
    json_t *json = answer("errors");
    ck_assert_int_eq(swi_answer_check("http://h", "UpsertBucket", json, &err), SW_EIO);
    ck_assert_msg(
        strstr(sw_error_text(&err), "UpsertBucket was refused: no \\x1b[1m such project") != NULL,
        "%s", sw_error_text(&err));
    json_decref(json);
}
END_TEST

START_TEST(a_server_says_that_it_takes_lines_as_json)
{
    json_t *json = answer("features");
    ck_assert(swi_answer_structured(json_object_get(json, "data")));
    ck_assert(!swi_answer_structured(NULL));
    json_decref(json);
}
END_TEST

/* ---- an old run ------------------------------------------------------------------------------ */

static json_t *tokens(const char *text)
{
    return swi_json_read_tokens(text, strlen(text));
}

START_TEST(old_config_and_summary_are_kept_if_nothing_replaces_them)
{
    struct swi_model model;
    struct swi_text yaml = {0}, summary = {0};
    ck_assert(swi_model_init(&model));
    json_object_set_new(model.config, "lr", json_pack("{s:f}", "value", 0.5));
    swi_fields_number(&model.summary, "loss", 1);
    json_t *config = tokens("{\"lr\":{\"value\":0.1},"
                            "\"a: b\":{\"value\":[1,\"yes\",[2,[]],{\"x\":{}}]},"
                            "\"_wandb\":{\"value\":{\"t\":{},\"visualize\":{\"c\":{\"p\":1}}}}}");
    json_t *before = tokens("{\"loss\":NaN,\"best\":-Infinity,\"n\":3}");
    swi_model_resume_config(&model, config);
    swi_model_resume_summary(&model, before);
    json_decref(config);
    json_decref(before);
    swi_model_yaml(&model, &yaml);
    swi_model_summary(&model, &summary);
    ck_assert_str_eq(yaml.data, "_wandb:\n"
                                "    value:\n"
                                "        m: []\n"
                                "        t:\n"
                                "            \"5\": stepwatch\n"
                                "        visualize:\n"
                                "            c:\n"
                                "                p: 1\n"
                                "\"a: b\":\n"
                                "    value:\n"
                                "        - 1\n"
                                "        - \"yes\"\n"
                                "        - \n"
                                "            - 2\n"
                                "            - []\n"
                                "        - x: {}\n"
                                "lr:\n"
                                "    value: 0.5\n");
    ck_assert_str_eq(summary.data, "{\"loss\":1.0,\"best\":\"-Infinity\",\"n\":3}");
    swi_text_free(&yaml);
    swi_text_free(&summary);
    swi_model_fini(&model);
}
END_TEST

SUITE(wandb_answers)
{
    tcase_add_loop_test(tc, each_seed_is_read, 0, sizeof seeds / sizeof *seeds);
    tcase_add_loop_test(tc, each_changed_seed_is_read_to_its_end, 0, sizeof seeds / sizeof *seeds);
    tcase_add_test(tc, a_run_is_where_the_answer_says);
    tcase_add_test(tc, what_is_there_already_is_counted);
    tcase_add_test(tc, no_count_is_taken_that_cannot_be_one);
    tcase_add_test(tc, a_mistake_is_reported_in_the_servers_words_without_control_characters);
    tcase_add_test(tc, a_server_says_that_it_takes_lines_as_json);
    tcase_add_test(tc, old_config_and_summary_are_kept_if_nothing_replaces_them);
}
