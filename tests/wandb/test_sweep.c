/* SPDX-License-Identifier: MIT */
/* test_sweep.c - a program that `wandb agent` has started: its run is the sweep's, and so are the
 * values that the sweep gives. sweep.py has the real agent start one. */
#include "sinks/wandb/file/reader.h"
#include "sinks/wandb/values/fields.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the agent of wandb 0.31.0 writes it. */
static const char parameters[] = "wandb_version: 1\n\n"
                                 "lr:\n  value: 0.1\n"
                                 "name:\n  value: a b\n"
                                 "flag:\n  value: true\n"
                                 "'off':\n  value: false\n"
                                 "none:\n  value: null\n"
                                 "layers:\n  value:\n  - 1\n  - 2\n"
                                 "opt:\n  value:\n    name: adam\n"
                                 "tiny:\n  value: 1.0e-07\n"
                                 "text:\n  value: '12'\n"
                                 "n:\n  value: 64\n";

/* What the run's file has of it: names and values of the configuration, the last of each name. */
static struct {
    char sweep[64], project[64], entity[64];
    struct swi_fields config;
} found;

static void begin(const char *text)
{
    static const char *const names[] = {"RANK", "WANDB_DIR", "WANDB_ENTITY", "WANDB_SILENT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("WANDB_MODE", "offline", 1);
    setenv("WANDB_RUN_ID", "abc", 1);
    setenv("WANDB_PROJECT", "theirs", 1);
    setenv("WANDB_SWEEP_ID", "swp12345", 1);
    scratch_enter();
    scratch_write("config-abc.yaml", text, strlen(text));
    setenv("WANDB_SWEEP_PARAM_PATH", scratch_path("config-abc.yaml"), 1);
}

static void record_take(const struct swi_record_message *record)
{
    if (record->what == SWI_RECORD_RUN) {
        snprintf(found.sweep, sizeof found.sweep, "%s", record->run->sweep_id);
        snprintf(found.project, sizeof found.project, "%s", record->run->project);
        snprintf(found.entity, sizeof found.entity, "%s", record->run->entity);
    }
    for (size_t i = 0; record->what == SWI_RECORD_CONFIG && i < record->config->n_update; i++) {
        const struct swi_item_message *item = record->config->update[i];
        if (!item->n_nested_key)
            swi_text_put(swi_fields_set(&found.config, item->key), item->value_json);
    }
}

/* A run that says lr 9, lr 8, mine 1 and n 64.0 by itself; and its messages. */
static const char *run(const char *options)
{
    static struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    struct host *host = host_open("wandb", options);
    sw_hparam_float(host_profiler(host), "lr", 9);
    sw_hparam_float(host_profiler(host), "lr", 8);
    sw_hparam_int(host_profiler(host), "mine", 1);
    sw_hparam_float(host_profiler(host), "n", 64);
    host_metric(host, 0, "loss", 1);
    host_close(host);
    ck_assert_int_eq(swi_wandb_reader_open(&reader, "wandb/latest-run/run-abc.wandb", &err), 0);
    while (swi_wandb_reader_next(&reader, &record, &err) == 1)
        record_take(record);
    swi_wandb_reader_close(&reader);
    return host_messages(host);
}

static const char *value(const char *name)
{
    const struct swi_text *text = swi_fields_get(&found.config, name);
    return text && text->data ? text->data : "-";
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

static const char *const expected[][2] = {{"lr", "0.1"},       {"name", "\"a b\""},
                                          {"flag", "true"},    {"off", "false"},
                                          {"none", "null"},    {"layers", "[1,2]"},
                                          {"tiny", "1.0e-07"}, {"text", "\"12\""},
                                          {"n", "64"},         {"opt", "{\"name\":\"adam\"}"},
                                          {"mine", "1"},       {"wandb_version", "-"}};

START_TEST(the_values_of_a_sweep_count_before_the_programs)
{
    begin(parameters);
    const char *said = run("");
    ck_assert_str_eq(found.sweep, "swp12345");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        ck_assert_str_eq(value(expected[i][0]), expected[i][1]);
    ck_assert_msg(count(said, "lr is set by the sweep") == 1, "%s", said);
    ck_assert_msg(count(said, "is set by the sweep") == 1, "%s", said);
    ck_assert_ptr_nonnull(
        strstr(host_file("wandb/latest-run/files/config.yaml"), "lr:\n    value: 0.1\n"));
}
END_TEST

START_TEST(a_sweep_says_where_its_runs_belong)
{
    begin(parameters);
    const char *said = run("run_id: mine\nproject: mine\nentity: me\n");
    ck_assert_str_eq(found.project, "theirs");
    ck_assert_str_eq(found.entity, "me"); /* of which the environment says nothing */
    ck_assert_msg(strstr(said, "project \"mine\" of the configuration is ignored in a sweep"), "%s",
                  said);
    ck_assert_msg(strstr(said, "run_id \"mine\" of the configuration is ignored"), "%s", said);
}
END_TEST

static const struct {
    const char *text, *said;
} wrong[] = {{"lr: {value: [1, 2}\n", "line 1: "},
             {"lr: {value: *a}\n", "line 1: an alias of a value that is not before it"},
             {"lr: {value: &a [1, *a]}\n", "line 1: an alias of a value that is not before it"},
             {"- 1\n", "line 1: expected NAME: {value: VALUE}"},
             {"[]: {value: 1}\n", "line 1: a name must be text"}};

START_TEST(values_that_cannot_be_read_are_reported_and_cost_no_run)
{
    begin(wrong[_i].text);
    const char *said = run("");
    ck_assert_msg(strstr(said, "WANDB_SWEEP_PARAM_PATH /"), "%s", said);
    ck_assert_msg(strstr(said, wrong[_i].said), "%s", said);
    ck_assert_str_eq(found.sweep, "swp12345");
    ck_assert_str_eq(value("lr"), "8.0");
}
END_TEST

/* Python writes an object that it has twice as an alias of the first one. */
START_TEST(aliases_have_the_value_that_they_name)
{
    begin("lr: {value: &x 0.1}\n"
          "first: &p {value: &l [1, {a: b}]}\n"
          "again: {value: [*l, *x]}\n"
          "same: *p\n"
          "n: {value: 64}\n");
    run("");
    ck_assert_str_eq(value("lr"), "0.1");
    ck_assert_str_eq(value("again"), "[[1,{\"a\":\"b\"}],0.1]");
    ck_assert_str_eq(value("same"), "[1,{\"a\":\"b\"}]");
    ck_assert_str_eq(value("n"), "64");
}
END_TEST

START_TEST(aliases_of_aliases_do_not_fill_the_memory)
{
    char text[2000] = "a0: {value: &v0 [12345678, 12345678, 12345678]}\n";
    for (int i = 1; i < 16; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "a%d: {value: &v%d [*v%d, *v%d, *v%d, *v%d]}\n", i, i, i - 1, i - 1, i - 1, i - 1);
    begin(text);
    const char *said = run("");
    ck_assert_msg(strstr(said, "the values of aliases have more than 1 MiB"), "%s", said);
}
END_TEST

/* As yaml.safe_load() of Python reads it. */
static const char *const scalars[][2] = {
    {"010", "8"},         {"-0x1F", "-31"},     {"0b101", "5"},
    {"1_000", "1000"},    {"0", "0"},           {"+7", "7"},
    {"1e5", "\"1e5\""},   {"1.0e+5", "1.0e+5"}, {".5", "0.5"},
    {"3.", "3.0"},        {"yes", "true"},      {"Off", "false"},
    {"Null", "null"},     {".INF", "Infinity"}, {"089", "\"089\""},
    {"1:30", "\"1:30\""}, {"'010'", "\"010\""}, {"1.2.3", "\"1.2.3\""},
    {"0o17", "\"0o17\""},
};

START_TEST(a_text_without_quotes_is_what_python_reads)
{
    char text[100];
    snprintf(text, sizeof text, "other: {value: %s}\n", scalars[_i][0]);
    begin(text);
    run("");
    ck_assert_str_eq(value("other"), scalars[_i][1]);
}
END_TEST

START_TEST(values_that_are_nested_too_deep_are_refused_at_once)
{
    static char text[400000] = "lr: {value: ";
    memset(text + strlen(text), '[', sizeof text - strlen(text) - 1);
    begin(text);
    const char *said = run("");
    ck_assert_msg(strstr(said, "a value is nested too deep"), "%s", said);
}
END_TEST

START_TEST(a_missing_file_of_values_is_reported)
{
    begin("");
    setenv("WANDB_SWEEP_PARAM_PATH", "/nonexistent", 1);
    const char *said = run("");
    ck_assert_msg(strstr(said, "/nonexistent: is not there"), "%s", said);
    ck_assert_str_eq(found.sweep, "swp12345");
}
END_TEST

static const char *const no_ids[] = {"", " swp", "swp "};

START_TEST(an_invalid_id_makes_no_sweep)
{
    begin(parameters);
    setenv("WANDB_SWEEP_ID", no_ids[_i], 1);
    const char *said = run("");
    ck_assert_msg(strstr(said, "the run is not part of a sweep"), "%s", said);
    ck_assert_str_eq(found.sweep, "");
    ck_assert_str_eq(value("lr"), "8.0");
}
END_TEST

SUITE(wandb_sweep)
{
    tcase_add_test(tc, the_values_of_a_sweep_count_before_the_programs);
    tcase_add_test(tc, a_sweep_says_where_its_runs_belong);
    tcase_add_loop_test(tc, values_that_cannot_be_read_are_reported_and_cost_no_run, 0,
                        sizeof wrong / sizeof *wrong);
    tcase_add_test(tc, aliases_have_the_value_that_they_name);
    tcase_add_test(tc, aliases_of_aliases_do_not_fill_the_memory);
    tcase_add_loop_test(tc, a_text_without_quotes_is_what_python_reads, 0,
                        sizeof scalars / sizeof *scalars);
    tcase_add_test(tc, values_that_are_nested_too_deep_are_refused_at_once);
    tcase_add_test(tc, a_missing_file_of_values_is_reported);
    tcase_add_loop_test(tc, an_invalid_id_makes_no_sweep, 0, sizeof no_ids / sizeof *no_ids);
}
