/* SPDX-License-Identifier: MIT */
/* Counters in a run log: its lines, and that a replay has what the run had. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tokens(void)
{
    return sw_counter("tokens");
}

/* Twice forward, with a layer in each; the second has a pause. */
static void step(struct host *host, int n)
{
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_DRAW);
    host_wait(host, 10);
    sw_count(sw, tokens(), 7);
    sw_next(sw, SW_BATCH);
    for (int i = 0; i < 2; i++) {
        sw_begin(sw, SW_FORWARD);
        sw_count(sw, tokens(), 100 + n);
        sw_begin(sw, sw_action("layer"));
        sw_count(sw, sw_counter("cells"), 5);
        host_wait(host, 20);
        sw_end(sw, sw_action("layer"));
        sw_pause(sw);
        sw_count(sw, tokens(), 5000);
        sw_resume(sw);
        sw_count(sw, tokens(), 1);
        sw_end(sw, SW_FORWARD);
    }
    sw_count(sw, tokens(), 3);
    sw_end_batch(sw, 4);
}

/* The report of the run, as CSV has it. */
static const char *run(const char *detail, const char *counters)
{
    static char kept[16384];
    char profiler[256];
    snprintf(profiler, sizeof profiler, "mode: simple\nsave_csv: true\ncsv_name: run.csv\n%s",
             counters);
    struct host *host = host_open_log(detail, profiler);
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 4; i++)
        step(host, i);
    sw_count(sw, tokens(), 11);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    host_close(host);
    snprintf(kept, sizeof kept, "%s", host_file("run.csv"));
    return kept;
}

START_TEST(a_replay_has_the_counters_of_the_run)
{
    static const char *const details[] = {"regions", "steps"};
    const char *csv = run(details[_i], "");
    ck_assert_ptr_nonnull(strstr(csv, ",counter/tokens,counter/tokens/self,counter/cells,"));
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report --json run.jsonl"), 0);
    assert_printed("\"counters\"");
}
END_TEST

static json_t *row_of(const json_t *report, const char *phase, const char *action)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(report, "rows"), i, row)
    {
        const char *p = json_string_value(json_object_get(row, "phase"));
        const char *a = json_string_value(json_object_get(row, "action"));
        if (strcmp(p, phase) == 0 && strcmp(a, action) == 0)
            return row;
    }
    ck_abort_msg("no row %s/%s in\n%.1500s", phase, action, command_output());
    return NULL;
}

static void use_is(const json_t *report, const char *phase, const char *action, const char *counter,
                   json_int_t total, json_int_t self)
{
    const json_t *row = row_of(report, phase, action);
    const json_t *use = json_object_get(json_object_get(row, "counters"), counter);
    ck_assert_msg(json_integer_value(json_array_get(use, 0)) == total &&
                      json_integer_value(json_array_get(use, 1)) == self,
                  "%s/%s has %lld, own %lld", phase, action,
                  (long long)json_integer_value(json_array_get(use, 0)),
                  (long long)json_integer_value(json_array_get(use, 1)));
}

/* The first batch is left out. */
START_TEST(a_report_from_a_log_counts_what_the_run_counted)
{
    static const char *const details[] = {"regions", "steps", "regions\nthin_after: 2"};
    run(details[_i], "");
    /* Else the reports of a long run would be passed on. */
    ck_assert_int_eq(system("grep -v '\"type\":\"finish\"' run.jsonl >cut.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report --json cut.jsonl 2>/dev/null #"), 0);
    json_error_t error;
    json_t *all = json_loads(command_output(), 0, &error);
    ck_assert_msg(all != NULL, "%s in\n%s", error.text, command_output());
    const json_t *log = json_array_get(json_object_get(all, "runs"), 0);
    const json_t *report = json_array_get(json_object_get(log, "reports"), 0);
    use_is(report, "train", "forward", "tokens", 2 * (101 + 102 + 103) + 6,
           2 * (101 + 102 + 103) + 6);
    use_is(report, "train", "forward", "cells", 30, 0);
    use_is(report, "train", "layer", "cells", 30, 30);
    use_is(report, "train", "batch", "tokens", 2 * (101 + 102 + 103) + 6 + 9, 9);
    use_is(report, "train", "draw", "tokens", 21, 21);
    use_is(report, "fit", "train", "tokens", 2 * (100 + 101 + 102 + 103) + 8 + 12 + 28 + 11, 11);
    use_is(report, "fit", "fit", "tokens", 2 * (100 + 101 + 102 + 103) + 8 + 12 + 28 + 11, 0);
    json_decref(all);
}
END_TEST

/* It belongs to the region around it: of 9 in each of 4 steps, 3 steps are counted. */
START_TEST(what_is_counted_in_a_region_that_is_cancelled_is_in_a_replay)
{
    static const char *const details[] = {"regions", "steps"};
    struct host *host = host_open_log(details[_i], "mode: simple\nrolling_average: 2\n");
    struct sw_profiler *sw = host_profiler(host);
    int layer = sw_action("layer");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 4; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, layer);
        host_wait(host, 20);
        sw_count(sw, tokens(), 4);
        sw_cancel(sw, layer);
        sw_begin(sw, SW_FORWARD);
        sw_begin(sw, layer);
        sw_count(sw, tokens(), 5);
        sw_cancel(sw, layer);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 4);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report --json run.jsonl"), 0);
    json_error_t error;
    json_t *all = json_loads(command_output(), 0, &error);
    const json_t *log = json_array_get(json_object_get(all, "runs"), 0);
    const json_t *report = json_array_get(json_object_get(log, "reports"), 0);
    ck_assert_msg(all != NULL, "%s in\n%s", error.text, command_output());
    use_is(report, "train", "batch", "tokens", 27, 12);
    use_is(report, "train", "forward", "tokens", 15, 15);
    json_decref(all);
}
END_TEST

/* As text: the total, the part of its own, and per call. */
START_TEST(the_page_has_the_counters)
{
    run("steps", "");
    ck_assert_int_eq(stepwatch("report --format html run.jsonl"), 0);
    assert_printed("<h3>Counters</h3>");
    assert_printed("<th>tokens</th><th>self tokens</th><th>tokens / call</th>");
    assert_printed("forward</td><td>618</td><td>618</td><td>103</td>");
}
END_TEST

/* Steps with `first` of a counter in batch, then with `second`. */
static void counted(const char *path, int first, int second, const char *unit)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"type\":\"run\",\"version\":1,\"started\":0,\"host\":\"box\",\"mode\":\"simple\","
            "\"drop_first_batch\":false,\"detail\":\"steps\",\"counters\":[{\"name\":"
            "\"allocated\",\"kind\":\"sum\",\"unit\":\"%s\"}]}\n",
            unit);
    for (int i = 0; i < 64; i++)
        fprintf(file,
                "{\"type\":\"step\",\"t\":%d,\"step\":%d,\"phase\":\"train\",\"samples\":8,"
                "\"durations\":{\"draw\":%d,\"batch\":%d},\"counters\":{\"draw\":[[4,4]],"
                "\"batch\":[[%d,0]]}}\n",
                1000 * (i + 1), i, 90 + i % 7, 800 + i % 5, i % 2 ? first : second);
    fprintf(file, "{\"type\":\"finish\",\"t\":64000}\n");
    fclose(file);
}

START_TEST(two_runs_are_compared_by_what_they_used_of_a_counter)
{
    scratch_enter();
    counted("a.jsonl", 1024, 1024, "B");
    counted("b.jsonl", 3000, 3144, "B");
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl"), 0);
    assert_printed("counters per step");
    assert_printed("train / batch");
    assert_printed("1.00 KB");
    assert_printed("3.00 KB");
    assert_printed("more");
    ck_assert_int_eq(stepwatch("compare --json b.jsonl a.jsonl"), 0);
    json_t *all = json_loads(command_output(), 0, NULL);
    const json_t *uses = json_object_get(all, "counters");
    ck_assert_uint_eq(json_array_size(uses), 3);
    const json_t *step = json_array_get(uses, 0), *draw = json_array_get(uses, 1);
    ck_assert_str_eq(json_string_value(json_object_get(step, "action")), "step");
    ck_assert_str_eq(json_string_value(json_object_get(step, "verdict")), "less");
    ck_assert_double_eq_tol(json_number_value(json_object_get(step, "a")), 3076, 1e-9);
    ck_assert_double_eq_tol(json_number_value(json_object_get(step, "b")), 1028, 1e-9);
    ck_assert_str_eq(json_string_value(json_object_get(draw, "action")), "draw");
    ck_assert_str_eq(json_string_value(json_object_get(draw, "verdict")), "noise");
    json_decref(all);
}
END_TEST

/* Counters never fail a comparison of durations, and none are shown where none were measured. */
START_TEST(a_comparison_without_counters_says_nothing_of_them)
{
    run("steps", "");
    counted("a.jsonl", 1, 1, "");
    ck_assert_int_eq(stepwatch("compare a.jsonl run.jsonl"), 0);
    ck_assert_ptr_null(strstr(command_output(), "counters per step"));
}
END_TEST

START_TEST(a_log_names_its_counters_before_it_uses_them)
{
    run("regions", "counters: [page_faults: steps]\n");
    const char *log = host_file("run.jsonl");
    ck_assert_ptr_nonnull(strstr(log, "\"counters\":[{\"name\":\"page_faults\",\"kind\":\"sum\","
                                      "\"unit\":\"\",\"steps\":true}]"));
    const char *named = strstr(log, "{\"type\":\"counter\",\"name\":\"tokens\",\"kind\":\"sum\"");
    ck_assert_ptr_nonnull(named);
    ck_assert_ptr_null(strstr(named + 30, "\"type\":\"counter\",\"name\":\"tokens\""));
    ck_assert_ptr_nonnull(strstr(named, "\"action\":\"draw\",\"c\":["));
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
}
END_TEST

static void show_standard(const char *path)
{
    static const char steps_only[] = "\"steps\":true", shown[] = "\"standard\":1";
    char *log = strdup(host_file(path)), *at = strstr(log, steps_only);
    ck_assert_ptr_nonnull(at);
    memcpy(at, shown, sizeof shown - 1);
    file_write(path, log);
    free(log);
}

/* Tables have the column of a counter with `standard` without being asked for it. */
START_TEST(a_counter_that_tables_show_is_in_the_table_of_the_log)
{
    static const char *const details[] = {"regions", "steps"};
    run(details[_i], "counters: [page_faults: steps]\n");
    ck_assert_int_eq(stepwatch("report --format markdown run.jsonl"), 0);
    assert_not_printed("Page Faults");
    show_standard("run.jsonl");
    ck_assert_int_eq(stepwatch("report --format markdown run.jsonl"), 0);
    assert_printed("Page Faults");
}
END_TEST

/* A step counts 2^61, an epoch 2^64 and more. */
START_TEST(a_log_has_sums_that_are_too_large_as_the_largest_number)
{
    static const char *const details[] = {"regions", "steps", "steps\nthin_after: 8",
                                          "regions\nthin_after: 8"};
    struct host *host =
        host_open_log(details[_i], "mode: simple\ndrop_first_batch: false\nrolling_average: 3\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 40; i++) {
        if (i % 10 == 0)
            sw_begin(sw, SW_EPOCH);
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_count(sw, sw_counter("flops"), INT64_C(1) << 61);
        host_wait(host, 10);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 1);
        if (i % 10 == 9)
            sw_end(sw, SW_EPOCH);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_ptr_nonnull(strstr(host_file("run.jsonl"), "\"flops\":[9223372036854775807,"));
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "\"flops\":[-"));
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "[null"));
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report --json run.jsonl"), 0);
    assert_not_printed("\"flops\":[-");
    ck_assert_int_eq(stepwatch("report --format html run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("merge --json run.jsonl run.jsonl"), 0);
    assert_not_printed("-9");
}
END_TEST

/* Windows have the begin of the fit again. */
START_TEST(a_long_log_of_regions_has_the_report_of_the_run)
{
    const char *csv = run("regions\nthin_after: 2", "");
    ck_assert_ptr_nonnull(strstr(host_file("run.jsonl"), "{\"type\":\"window_end\""));
    ck_assert_int_eq(stepwatch("report --format csv run.jsonl"), 0);
    assert_printed(csv);
}
END_TEST

/* Handles are process-wide: a program with two profilers that count different things has gaps. */
START_TEST(a_log_has_nothing_of_counters_that_its_profiler_does_not_count)
{
    static const char *const details[] = {"regions", "steps"};
    sw_counter("of another profiler");
    sw_counter("of a third");
    int last = sw_counter("counted here");
    struct host *host = host_open_log(details[_i], "mode: simple\ndrop_first_batch: false\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        sw_count(sw, last, 7);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "of another profiler"));
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "of a third"));
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report --json run.jsonl"), 0);
    assert_printed("\"counted here\"");
}
END_TEST

SUITE(counted_log)
{
    tcase_add_loop_test(tc, a_replay_has_the_counters_of_the_run, 0, 2);
    tcase_add_test(tc, a_long_log_of_regions_has_the_report_of_the_run);
    tcase_add_loop_test(tc, a_report_from_a_log_counts_what_the_run_counted, 0, 3);
    tcase_add_loop_test(tc, what_is_counted_in_a_region_that_is_cancelled_is_in_a_replay, 0, 2);
    tcase_add_test(tc, the_page_has_the_counters);
    tcase_add_test(tc, two_runs_are_compared_by_what_they_used_of_a_counter);
    tcase_add_test(tc, a_comparison_without_counters_says_nothing_of_them);
    tcase_add_test(tc, a_log_names_its_counters_before_it_uses_them);
    tcase_add_loop_test(tc, a_log_has_sums_that_are_too_large_as_the_largest_number, 0, 4);
    tcase_add_loop_test(tc, a_log_has_nothing_of_counters_that_its_profiler_does_not_count, 0, 2);
    tcase_add_loop_test(tc, a_counter_that_tables_show_is_in_the_table_of_the_log, 0, 2);
}
