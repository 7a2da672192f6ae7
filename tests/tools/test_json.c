/* SPDX-License-Identifier: MIT */
/* What a program reads of the command: --json. */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The last command's output, which holds nothing but JSON. */
static json_t *parsed(void)
{
    json_error_t wrong;
    json_t *value = json_loads(command_output(), JSON_REJECT_DUPLICATES, &wrong);
    ck_assert_msg(value != NULL, "%s in:\n%s", wrong.text, command_output());
    return value;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    ck_assert_msg(text != NULL, "there is no text \"%s\" in:\n%s", key, command_output());
    return text;
}

static json_int_t integer_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(json_is_integer(value), "there is no integer \"%s\" in:\n%s", key,
                  command_output());
    return json_integer_value(value);
}

static const json_t *item_of(const json_t *object, const char *key, size_t i)
{
    const json_t *item = json_array_get(json_object_get(object, key), i);
    ck_assert_msg(item != NULL, "there is no %s[%zu] in:\n%s", key, i, command_output());
    return item;
}

/* The row of a phase and action in the first report of the first run. */
static const json_t *row_of(const json_t *whole, const char *phase, const char *action)
{
    const json_t *report = item_of(item_of(whole, "runs", 0), "reports", 0);
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(report, "rows"), i, row)
    {
        if (strcmp(text_of(row, "phase"), phase) == 0 &&
            strcmp(text_of(row, "action"), action) == 0)
            return row;
    }
    ck_abort_msg("there is no row %s, %s in:\n%s", phase, action, command_output());
}

START_TEST(a_report_has_every_row_with_its_raw_numbers)
{
    run_record(_i ? "regions" : "steps");
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    json_t *whole = parsed();
    const json_t *run = item_of(whole, "runs", 0);
    ck_assert_str_eq(text_of(run, "name"), "test");
    ck_assert(json_is_true(json_object_get(json_object_get(run, "log"), "finished")));
    const json_t *step = row_of(whole, "train", "step");
    ck_assert_int_eq(integer_of(step, "calls"), 19);
    ck_assert_double_eq_tol(json_number_value(json_object_get(step, "mean_ns")), 1e8, 1);
    ck_assert_double_eq_tol(json_number_value(json_object_get(step, "samples_per_s")), 640, 1e-6);
    ck_assert_str_eq(text_of(step, "self_ns"), "NaN");
    json_decref(whole);
}
END_TEST

static const char *const documents[] = {
    "report --json run.jsonl run.jsonl", "explain --json run.jsonl run.jsonl",
    "explain --json /dev/null 2>/dev/null #", "report --json nothing.jsonl 2>/dev/null; true #"};

START_TEST(format_json_is_the_same_and_several_runs_are_one_document)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("report run.jsonl run.jsonl --format json"), 0);
    json_t *whole = parsed();
    ck_assert_int_eq(json_array_size(json_object_get(whole, "runs")), 2);
    ck_assert(json_equal(item_of(whole, "runs", 0), item_of(whole, "runs", 1)));
    json_decref(whole);
    ck_assert_int_eq(stepwatch("report run.jsonl --json --format csv"), 2);
    assert_printed("cannot be used together");
}
END_TEST

START_TEST(a_report_of_a_cut_log_says_where_it_ends)
{
    run_record("steps");
    const char *report = strstr(host_file("run.jsonl"), "{\"type\":\"report\"");
    ck_assert_ptr_nonnull(report);
    run_cut("cut.jsonl", strlen(report) + 40);
    ck_assert_int_eq(stepwatch("report cut.jsonl --json 2>ending.txt #"), 0);
    json_t *whole = parsed();
    const json_t *log = json_object_get(item_of(whole, "runs", 0), "log");
    ck_assert(json_is_true(json_object_get(log, "torn")));
    ck_assert(json_is_false(json_object_get(log, "finished")));
    char text[64];
    snprintf(text, sizeof text, "its log ends within line %lld",
             (long long)integer_of(log, "lines"));
    ck_assert_ptr_nonnull(strstr(host_file("ending.txt"), text));
    json_decref(whole);
}
END_TEST

/* What is written in parts is formatted as a whole document is. */
START_TEST(a_document_is_formatted_by_one_rule)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch(documents[_i]), 0);
    json_t *whole = parsed();
    char *text = json_dumps(whole, JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
    const char *shown = command_output();
    ck_assert_str_eq(shown + strlen(shown) - 1, "\n");
    ck_assert_uint_eq(strlen(text) + 1, strlen(shown));
    ck_assert_int_eq(strncmp(shown, text, strlen(text)), 0);
    free(text);
    json_decref(whole);
}
END_TEST

/* What the program and the sinks print must not be between the command and its reader. */
START_TEST(standard_output_has_only_the_json)
{
    run_record("steps");
    file_write("run.yaml",
               "profiler: simple\nlogger_callback: [ table, csv: { path: run.csv } ]\n");
    ck_assert_int_eq(stepwatch("run --config run.yaml --json -- " BUILDDIR
                               "/tests/tools/loop steps 3 2>said.txt #"),
                     3);
    json_t *whole = parsed();
    ck_assert_int_eq(integer_of(whole, "exit_status"), 3);
    bool first = strcmp(text_of(item_of(whole, "outputs", 0), "sink"), "csv") == 0;
    ck_assert_str_eq(text_of(item_of(whole, "outputs", !first), "sink"), "csv");
    ck_assert_ptr_nonnull(strstr(host_file("said.txt"), "Percent of Total"));
    json_decref(whole);

    ck_assert_int_eq(stepwatch("replay run.jsonl --json 2>said.txt #"), 0);
    whole = parsed();
    ck_assert(json_is_null(json_object_get(whole, "verify")));
    ck_assert_ptr_nonnull(strstr(host_file("said.txt"), "Percent of Total"));
    json_decref(whole);
}
END_TEST

START_TEST(an_error_is_a_message_on_standard_error_and_no_half_document)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("compare run.jsonl missing.jsonl --json 2>said.txt #"), 2);
    ck_assert_str_eq(command_output(), "");
    ck_assert_ptr_nonnull(strstr(host_file("said.txt"), "missing.jsonl: "));

    ck_assert_int_eq(stepwatch("explain missing.jsonl run.jsonl --json 2>said.txt #"), 1);
    json_t *whole = parsed();
    ck_assert_int_eq(json_array_size(json_object_get(whole, "runs")), 1);
    json_decref(whole);
}
END_TEST

START_TEST(a_replay_gives_what_differs)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify --json 2>/dev/null #"), 0);
    json_t *whole = parsed();
    const json_t *verify = json_object_get(whole, "verify");
    ck_assert_int_gt(integer_of(verify, "compared"), 20);
    ck_assert_int_eq(integer_of(verify, "differ"), 0);
    json_decref(whole);
    ck_assert_int_eq(system("sed '/\"type\":\"step\"/{s/\"batch\":/&1/}' run.jsonl >slow.jsonl"),
                     0);
    ck_assert_int_eq(stepwatch("replay slow.jsonl --verify --json 2>/dev/null #"), 1);
    whole = parsed();
    const json_t *first = item_of(json_object_get(whole, "verify"), "differences", 0);
    ck_assert(*text_of(first, "result") != '\0');
    ck_assert(json_is_real(json_object_get(first, "recorded")));
    json_decref(whole);
}
END_TEST

START_TEST(check_gives_each_mistake_with_its_place)
{
    run_record("steps");
    file_write("bad.yaml", "profiler: { mode: simpel, rolling_average: 0 }\n");
    ck_assert_int_eq(stepwatch("check bad.yaml --json"), 1);
    json_t *whole = parsed();
    ck_assert_str_eq(text_of(whole, "file"), "bad.yaml");
    ck_assert_int_eq(json_array_size(json_object_get(whole, "mistakes")), 2);
    const json_t *mistake = item_of(whole, "mistakes", 1);
    ck_assert_int_eq(integer_of(mistake, "line"), 1);
    ck_assert_int_eq(integer_of(mistake, "column"), 44);
    ck_assert_str_eq(text_of(mistake, "text"),
                     "profiler: rolling_average: 0 is not within 1..1000000");
    json_decref(whole);
}
END_TEST

START_TEST(check_gives_no_mistakes_of_a_file_that_has_none)
{
    run_record("steps");
    file_write("good.yaml", "profiler: simple\n");
    ck_assert_int_eq(stepwatch("check good.yaml --json"), 0);
    json_t *whole = parsed();
    ck_assert_int_eq(json_array_size(json_object_get(whole, "mistakes")), 0);
    json_decref(whole);
    ck_assert_int_eq(stepwatch("check good.yaml --json --print"), 2);
    assert_printed("cannot be used together");
}
END_TEST

START_TEST(sinks_gives_each_sink_with_its_options)
{
    ck_assert_int_eq(stepwatch("sinks csv --json"), 0);
    json_t *whole = parsed();
    const json_t *sink = item_of(whole, "sinks", 0);
    ck_assert_str_eq(text_of(sink, "name"), "csv");
    ck_assert_ptr_nonnull(strstr(text_of(sink, "path"), "/csv.so"));
    const json_t *path = item_of(sink, "options", 0), *style = item_of(sink, "options", 2);
    ck_assert_str_eq(text_of(path, "type"), "path");
    ck_assert_str_eq(text_of(style, "name"), "style");
    ck_assert_str_eq(text_of(style, "default"), "stepwatch");
    ck_assert_str_eq(json_string_value(item_of(style, "choices", 1)), "torch");
    json_decref(whole);
}
END_TEST

START_TEST(sinks_gives_all_of_them)
{
    ck_assert_int_eq(stepwatch("sinks --json"), 0);
    json_t *whole = parsed();
    ck_assert_int_ge(json_array_size(json_object_get(whole, "sinks")), 4);
    json_decref(whole);
}
END_TEST

SUITE(json)
{
    tcase_add_loop_test(tc, a_report_has_every_row_with_its_raw_numbers, 0, 2);
    tcase_add_test(tc, format_json_is_the_same_and_several_runs_are_one_document);
    tcase_add_loop_test(tc, a_document_is_formatted_by_one_rule, 0,
                        sizeof documents / sizeof *documents);
    tcase_add_test(tc, a_report_of_a_cut_log_says_where_it_ends);
    tcase_add_test(tc, standard_output_has_only_the_json);
    tcase_add_test(tc, an_error_is_a_message_on_standard_error_and_no_half_document);
    tcase_add_test(tc, a_replay_gives_what_differs);
    tcase_add_test(tc, check_gives_each_mistake_with_its_place);
    tcase_add_test(tc, check_gives_no_mistakes_of_a_file_that_has_none);
    tcase_add_test(tc, sinks_gives_each_sink_with_its_options);
    tcase_add_test(tc, sinks_gives_all_of_them);
}
