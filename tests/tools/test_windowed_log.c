/* SPDX-License-Identifier: MIT */
/* A run log with windows, spans and notes: its lines, and what a replay makes of them. */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void step(struct host *host)
{
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_DRAW);
    host_wait(host, 10);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    host_wait(host, 20);
    sw_end(sw, SW_FORWARD);
    sw_end_batch(sw, 4);
}

static void run(const char *detail, const char *profiler, void (*more)(struct host *host))
{
    struct host *host = host_open_log(detail, profiler);
    sw_begin(host_profiler(host), SW_FIT);
    sw_begin(host_profiler(host), SW_TRAIN);
    for (int i = 0; i < 4; i++)
        step(host);
    if (more)
        more(host);
    sw_end(host_profiler(host), SW_TRAIN);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
}

/* The lines of the log from one that begins so on, up to another. */
static const char *part(const char *from, const char *upto)
{
    static char kept[8192];
    const char *begin = strstr(host_file("run.jsonl"), from);
    ck_assert_msg(begin != NULL, "no line %s in\n%s", from, host_file("run.jsonl"));
    const char *end = strstr(begin, upto);
    ck_assert_msg(end != NULL, "no line %s in\n%s", upto, begin);
    snprintf(kept, sizeof kept, "%.*s", (int)(end - begin), begin);
    return kept;
}

#define WINDOW "mode: simple\nschedule: {wait: 1, active: 1, repeat: 1}\n"

START_TEST(a_window_has_its_regions_and_the_run_all_its_steps)
{
    run("regions", WINDOW, NULL);
    const char *log = host_file("run.jsonl");
    ck_assert_ptr_nonnull(strstr(log, "\"detail\":\"regions\",\"windowed\":true"));
    ck_assert_str_eq(
        part("{\"type\":\"window_begin\"", "{\"type\":\"step\",\"t\":90"),
        "{\"type\":\"window_begin\",\"t\":30,\"window\":0,\"reason\":\"schedule\",\"step\":1,"
        "\"epoch\":0,\"train_steps\":1,\"valid_steps\":0}\n"
        "{\"type\":\"step\",\"t\":60,\"step\":1,\"phase\":\"train\",\"samples\":4,\"durations\":"
        "{\"draw\":10,\"forward\":20,\"batch\":20}}\n"
        "{\"type\":\"begin\",\"t\":30,\"action\":\"fit\",\"window\":0}\n"
        "{\"type\":\"begin\",\"t\":30,\"action\":\"train\",\"window\":0}\n"
        "{\"type\":\"begin\",\"t\":30,\"action\":\"draw\",\"window\":0}\n"
        "{\"type\":\"end\",\"t\":40,\"action\":\"draw\",\"window\":0}\n"
        "{\"type\":\"begin\",\"t\":40,\"action\":\"batch\",\"window\":0}\n"
        "{\"type\":\"begin\",\"t\":40,\"action\":\"forward\",\"window\":0}\n"
        "{\"type\":\"end\",\"t\":60,\"action\":\"forward\",\"window\":0}\n"
        "{\"type\":\"end\",\"t\":60,\"action\":\"batch\",\"samples\":4,\"window\":0}\n"
        "{\"type\":\"window_end\",\"t\":60,\"window\":0,\"step\":2,\"cut\":false}\n");
}
END_TEST

START_TEST(a_log_with_windows_gives_the_report_of_the_run)
{
    run("regions", WINDOW, NULL);
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report --json run.jsonl"), 0);
    assert_printed("\"action\": \"forward\"");
}
END_TEST

START_TEST(without_a_window_a_log_has_no_word_of_it)
{
    run("regions", "mode: simple\n", NULL);
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "window"));
    run("steps", WINDOW, NULL);
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "window"));
}
END_TEST

/* ---- regions of a long run ---- */

/* 8 steps, of which 4 are a point, with a region around all of them. */
static void long_run(const char *options, int fits)
{
    struct host *host = host_open_with("runlog", options, "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    for (int fit = 0; fit < fits; fit++) {
        sw_begin(sw, SW_FIT);
        sw_begin(sw, SW_TRAIN);
        sw_begin(sw, sw_action("around"));
        for (int i = 0; i < 8; i++)
            step(host);
        sw_end(sw, sw_action("around"));
        sw_end(sw, SW_TRAIN);
        sw_end(sw, SW_FIT);
    }
    host_close(host);
}

#define LONG "path: run.jsonl\ndetail: regions\nevery: 4\nown_metrics: false\n"

START_TEST(regions_of_a_long_run_are_all_of_the_beginning_and_then_a_step_of_each_point)
{
    long_run(LONG, 1);
    ck_assert_str_eq(
        part("{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"", "{\"type\":\"end\",\"t\":240"),
        "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
        "{\"type\":\"begin\",\"t\":0,\"action\":\"train\"}\n"
        "{\"type\":\"begin\",\"t\":0,\"action\":\"around\"}\n"
        "{\"type\":\"begin\",\"t\":0,\"action\":\"draw\"}\n"
        "{\"type\":\"end\",\"t\":10,\"action\":\"draw\"}\n"
        "{\"type\":\"begin\",\"t\":10,\"action\":\"batch\"}\n"
        "{\"type\":\"begin\",\"t\":10,\"action\":\"forward\"}\n"
        "{\"type\":\"end\",\"t\":30,\"action\":\"forward\"}\n"
        "{\"type\":\"end\",\"t\":30,\"action\":\"batch\",\"samples\":4}\n"
        "{\"type\":\"window_end\",\"t\":30,\"window\":0,\"step\":1,\"cut\":false}\n"
        "{\"type\":\"steps\",\"t\":120,\"from\":30,\"first\":1,\"step\":3,\"steps\":3,\"phase\":"
        "\"train\",\"samples\":12,\"sum\":{\"durations\":{\"draw\":30,\"forward\":60,\"batch\":60}}"
        ","
        "\"min\":{\"durations\":{\"draw\":10,\"forward\":20,\"batch\":20}},"
        "\"max\":{\"durations\":{\"draw\":10,\"forward\":20,\"batch\":20}}}\n"
        "{\"type\":\"steps\",\"t\":240,\"from\":120,\"first\":4,\"step\":7,\"steps\":4,\"phase\":"
        "\"train\",\"samples\":16,\"sum\":{\"durations\":{\"draw\":40,\"forward\":80,\"batch\":80}}"
        ","
        "\"min\":{\"durations\":{\"draw\":10,\"forward\":20,\"batch\":20}},"
        "\"max\":{\"durations\":{\"draw\":10,\"forward\":20,\"batch\":20}}}\n");
    ck_assert_str_eq(
        part("{\"type\":\"window_begin\"", "{\"type\":\"report\""),
        "{\"type\":\"window_begin\",\"t\":120,\"window\":1,\"reason\":\"sample\",\"step\":4,"
        "\"epoch\":0,\"train_steps\":4,\"valid_steps\":0}\n"
        "{\"type\":\"begin\",\"t\":120,\"action\":\"fit\",\"window\":1}\n"
        "{\"type\":\"begin\",\"t\":120,\"action\":\"train\",\"window\":1}\n"
        "{\"type\":\"begin\",\"t\":120,\"action\":\"draw\",\"window\":1}\n"
        "{\"type\":\"end\",\"t\":130,\"action\":\"draw\",\"window\":1}\n"
        "{\"type\":\"begin\",\"t\":130,\"action\":\"batch\",\"window\":1}\n"
        "{\"type\":\"begin\",\"t\":130,\"action\":\"forward\",\"window\":1}\n"
        "{\"type\":\"end\",\"t\":150,\"action\":\"forward\",\"window\":1}\n"
        "{\"type\":\"end\",\"t\":150,\"action\":\"batch\",\"samples\":4,\"window\":1}\n"
        "{\"type\":\"window_end\",\"t\":150,\"window\":1,\"step\":5,\"cut\":false}\n");
    ck_assert_ptr_nonnull(strstr(host_file("run.jsonl"), "{\"type\":\"report\""));
}
END_TEST

START_TEST(each_step_of_a_long_run_counts_once_for_all_commands)
{
    long_run(LONG, 2);
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
    assert_printed(
        "the first of them train / around: after its beginning, the log has regions only "
        "of some steps; record it with thin_after: 0");
    ck_assert_int_eq(stepwatch("explain --json run.jsonl 2>/dev/null #"), 0);
    assert_printed("\"steps\": 8");
    ck_assert_int_eq(stepwatch("compare run.jsonl run.jsonl"), 0);
    assert_printed("run.jsonl, 14 steps of training, 0 of validation");
    ck_assert_int_eq(stepwatch("runs run.jsonl"), 0);
    assert_printed("   16 ");
    ck_assert_int_eq(stepwatch("report run.jsonl --style torch --group-by stack"), 1);
    assert_printed("run.jsonl: is of a long run, so that it has all regions only of its beginning");
    ck_assert_int_eq(stepwatch("report - --style torch --group-by stack <run.jsonl"), 1);
    assert_printed("so that it has all regions only of its beginning");
}
END_TEST

START_TEST(a_timeline_of_a_long_run_has_the_steps_that_are_samples)
{
    long_run(LONG, 1);
    ck_assert_int_eq(stepwatch("export run.jsonl -o run.json"), 0);
    const char *timeline = host_file("run.json");
    size_t batches = 0;
    for (const char *at = timeline; (at = strstr(at, "{\"ph\":\"B\",\"name\":\"forward\"")); at++)
        batches++;
    ck_assert_uint_eq(batches, 2);
    ck_assert_ptr_nonnull(strstr(timeline, "\"ts\":0.130"));
}
END_TEST

START_TEST(without_thinning_a_log_has_every_region)
{
    long_run("path: run.jsonl\ndetail: regions\nthin_after: 0\n", 1);
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "window"));
    ck_assert_ptr_null(strstr(host_file("run.jsonl"), "\"type\":\"step"));
}
END_TEST

static void spans_and_a_note(struct host *host)
{
    struct sw_profiler *sw = host_profiler(host);
    int prefetch = sw_action("prefetch");
    int64_t a = sw_span_begin(sw, prefetch);
    host_wait(host, 5);
    int64_t b = sw_span_begin(sw, prefetch);
    sw_note(sw, "checkpoint \"3\" written");
    host_wait(host, 5);
    sw_span_end(sw, a);
    host_wait(host, 5);
    sw_span_end(sw, b);
    sw_span_begin(sw, prefetch);
}

START_TEST(spans_and_notes_are_lines)
{
    run("steps", "", spans_and_a_note);
    ck_assert_str_eq(
        part("{\"type\":\"span_begin\"", "{\"type\":\"end\",\"t\":135,\"action\":\"train\""),
        "{\"type\":\"span_begin\",\"t\":120,\"id\":1,\"action\":\"prefetch\"}\n"
        "{\"type\":\"span_begin\",\"t\":125,\"id\":2,\"action\":\"prefetch\"}\n"
        "{\"type\":\"note\",\"t\":125,\"step\":3,\"text\":\"checkpoint \\\"3\\\" written\"}\n"
        "{\"type\":\"span_end\",\"t\":130,\"id\":1,\"action\":\"prefetch\"}\n"
        "{\"type\":\"span_end\",\"t\":135,\"id\":2,\"action\":\"prefetch\"}\n"
        "{\"type\":\"span_begin\",\"t\":135,\"id\":3,\"action\":\"prefetch\"}\n");
}
END_TEST

static void alerts(struct host *host)
{
    struct sw_profiler *sw = host_profiler(host);
    sw_log(sw, "loss", 1);
    sw_alert(sw, SW_ERROR, "diverged", "loss \"inf\"\nlr 9");
    host_wait(host, 5);
    sw_log(sw, "loss", NAN);
}

START_TEST(alerts_are_lines_and_are_replayed)
{
    run("steps", "", alerts);
    ck_assert_str_eq(
        part("{\"type\":\"alert\"", "{\"type\":\"end\",\"t\":125,\"action\":\"train\""),
        "{\"type\":\"alert\",\"t\":120,\"step\":3,\"level\":\"error\",\"title\":\"diverged\","
        "\"text\":\"loss \\\"inf\\\"\\u000alr 9\"}\n"
        "{\"type\":\"alert\",\"t\":125,\"step\":3,\"kind\":\"nan\",\"level\":\"WARN\","
        "\"title\":\"loss is NaN\",\"text\":\"it is not a number since step 3\"}\n"
        "{\"type\":\"metric\",\"t\":125,\"step\":3,\"name\":\"loss\",\"value\":\"NaN\"}\n");
    file_write("again.yaml", "profiler: {show_report: false}\n"
                             "logger_callback: {runlog: {path: again.jsonl, detail: steps}}\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --config again.yaml"), 0);
    const char *again = host_file("again.jsonl");
    ck_assert_ptr_nonnull(strstr(again, "\"level\":\"error\",\"title\":\"diverged\""));
    ck_assert_ptr_nonnull(strstr(again, "\"level\":\"warning\",\"title\":\"loss is NaN\""));
}
END_TEST

static const char *const details[] = {"steps", "regions"};

START_TEST(a_replay_has_the_spans_of_the_run)
{
    run(details[_i], "", spans_and_a_note);
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report --format csv run.jsonl"), 0);
    assert_printed("spans,prefetch,");
    file_write("again.yaml", "profiler: {show_report: false}\n"
                             "logger_callback: {runlog: {path: again.jsonl, detail: steps}}\n");
    ck_assert_int_eq(stepwatch("replay run.jsonl --config again.yaml"), 0);
    ck_assert_ptr_nonnull(strstr(host_file("again.jsonl"), "checkpoint \\\"3\\\" written"));
    ck_assert_ptr_nonnull(
        strstr(host_file("again.jsonl"),
               "{\"type\":\"span_end\",\"t\":130,\"id\":1,\"action\":\"prefetch\"}\n"));
}
END_TEST

SUITE(windowed_log)
{
    tcase_add_test(tc, a_window_has_its_regions_and_the_run_all_its_steps);
    tcase_add_test(tc, a_log_with_windows_gives_the_report_of_the_run);
    tcase_add_test(tc, without_a_window_a_log_has_no_word_of_it);
    tcase_add_test(tc,
                   regions_of_a_long_run_are_all_of_the_beginning_and_then_a_step_of_each_point);
    tcase_add_test(tc, each_step_of_a_long_run_counts_once_for_all_commands);
    tcase_add_test(tc, a_timeline_of_a_long_run_has_the_steps_that_are_samples);
    tcase_add_test(tc, without_thinning_a_log_has_every_region);
    tcase_add_test(tc, spans_and_notes_are_lines);
    tcase_add_test(tc, alerts_are_lines_and_are_replayed);
    tcase_add_loop_test(tc, a_replay_has_the_spans_of_the_run, 0, 2);
}
