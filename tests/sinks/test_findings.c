/* SPDX-License-Identifier: MIT */
/* Where a run lost time, below its table and in the other outputs. */
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stepwatch/monitor.h>

#include <stdio.h>
#include <string.h>

#define NS_PER_MS INT64_C(1000000)

/* The loader takes a quarter of each step. */
static void waiting_steps(struct sw_profiler *sw, struct host *host, int steps)
{
    for (int i = 0; i < steps; i++) {
        sw_begin(sw, SW_DRAW);
        host_wait(host, NS_PER_MS + 10 * (i * 7 % 11));
        sw_end(sw, SW_DRAW);
        sw_begin(sw, SW_BATCH);
        host_wait(host, 3 * NS_PER_MS + 10 * (i * 5 % 13));
        sw_end_batch(sw, 32);
    }
}

static void waiting_fit(struct host *host, int steps)
{
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    waiting_steps(sw, host, steps);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
}

#define TRY "  Try: Load and prepare data ahead on other threads, or on more of them. "

static const char *table_of(const char *sink, const char *options, const char *profiler, int steps)
{
    struct host *host = host_open_with(sink, options, profiler);
    waiting_fit(host, steps);
    host_close(host);
    return host_stdout();
}

static void assert_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "expected \"%s\" in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) == NULL, "did not expect \"%s\" in:\n%s", part, text);
}

START_TEST(the_finding_and_what_to_try_follow_the_accounting)
{
    const char *text = table_of("table", "", "", 60);
    assert_has(text, " % of fit.\nTraining waits for data: draw takes 25 % of a step.");
    assert_has(text, TRY);
    ck_assert_str_eq(strrchr(text, '.'), ".\n");
}
END_TEST

START_TEST(no_finding_prints_nothing)
{
    const char *text = table_of("table", "", "", 20);
    assert_has_not(text, "Training waits");
    assert_has_not(text, "Try: ");
}
END_TEST

START_TEST(advice_false_leaves_it_out)
{
    assert_has_not(table_of("table", "advice: false\n", "", 60), "Training waits");
    assert_has_not(table_of("markdown", "advice: false\n", "", 60), "Training waits");
}
END_TEST

/* The text of other profilers stays as it is, to the byte. */
START_TEST(tables_of_other_profilers_and_tables_without_accounting_have_no_advice)
{
    assert_has_not(table_of("table", "plain: true\n", "", 60), "Training waits");
    assert_has_not(table_of("table", "style: torch\n", "", 60), "Training waits");
    assert_has_not(table_of("markdown", "style: lightning\n", "", 60), "Training waits");
    assert_has_not(table_of("table", "", "accounting: false\n", 60), "Training waits");
    assert_has_not(table_of("markdown", "", "accounting: false\n", 60), "Training waits");
    assert_has_not(table_of("csv", "path: '-'\n", "", 60), "Training waits");
}
END_TEST

START_TEST(markdown_has_it_as_a_paragraph_of_its_own)
{
    assert_has(table_of("markdown", "", "", 60), ".\n\nTraining waits for data: draw takes 25 %");
}
END_TEST

/* Eight of the twenty actions share what is noted of them. Each takes the 1 ms of the innermost. */
START_TEST(actions_inside_each_other_are_not_added_up)
{
    struct host *host = host_open_with("table", "", "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    char name[16];
    int actions[20];
    for (int depth = 0; depth < 20; depth++) {
        snprintf(name, sizeof name, "hook %d", depth);
        actions[depth] = sw_action(name);
    }
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 60; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        host_wait(host, 3 * NS_PER_MS + 10 * (i * 5 % 13));
        sw_end(sw, SW_FORWARD);
        for (int depth = 0; depth < 20; depth++)
            sw_begin(sw, actions[depth]);
        host_wait(host, NS_PER_MS);
        for (int depth = 0; depth < 20; depth++)
            sw_end(sw, actions[19 - depth]);
        sw_end_batch(sw, 32);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    assert_has_not(host_stdout(), "other actions");
}
END_TEST

/* 9,000 steps: the first 808 are forgotten. */
START_TEST(a_long_fit_is_judged_by_its_newest_steps)
{
    assert_has(table_of("markdown", "", "", 9000),
               "draw takes 25 % of a step, over the newest 8,192 steps. If draw");
}
END_TEST

/* Whatever the rule. The loss takes half of a batch. */
START_TEST(each_finding_of_a_long_fit_says_that_it_is_of_the_newest_steps)
{
    struct host *host = host_open_with("markdown", "", "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 9000; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_LOSS);
        host_wait(host, NS_PER_MS + 10 * (i * 5 % 13));
        sw_next(sw, SW_FORWARD);
        host_wait(host, NS_PER_MS);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 32);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    assert_has(host_stdout(), "loss takes 50 % of a batch");
    assert_has(host_stdout(), " This is of the newest 8,192 steps.");
}
END_TEST

START_TEST(each_fit_has_its_own_findings)
{
    struct host *host = host_open_with("table", "", "");
    waiting_fit(host, 60);
    waiting_fit(host, 10);
    host_close(host);
    const char *first = strstr(host_stdout(), "Training waits");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "Training waits"));
}
END_TEST

/* Wrong calls, regions that never end, time in no region, and the loader: four findings. */
START_TEST(only_the_three_worst_are_shown)
{
    struct host *host = host_open_with("table", "", "");
    struct sw_profiler *sw = host_profiler(host);
    sw_set_messages(sw, NULL, NULL);
    sw_begin(sw, SW_FIT);
    waiting_steps(sw, host, 60);
    for (int i = 0; i < 40; i++) {
        sw_begin(sw, SW_TRAIN);
        sw_begin(sw, sw_action("left"));
        host_wait(host, 100 * NS_PER_MS);
        sw_end(sw, SW_TRAIN);
    }
    sw_end(sw, sw_action("left"));
    sw_end(sw, SW_FIT);
    host_close(host);
    int count = 0;
    for (const char *at = host_stdout(); (at = strstr(at, "  Try: ")) != NULL; at++)
        count++;
    ck_assert_int_eq(count, 3);
    assert_has(host_stdout(), "regions were begun and never ended");
}
END_TEST

START_TEST(the_run_log_has_them_before_the_report_and_the_facts_in_it)
{
    struct host *host = host_open_with("runlog", "path: run.jsonl\ndetail: metrics\n", "");
    waiting_fit(host, 60);
    host_close(host);
    const char *log = host_file("run.jsonl");
    const char *finding = strstr(log, "{\"type\":\"finding\",\"t\":");
    const char *report = strstr(log, "{\"type\":\"report\"");
    ck_assert_ptr_nonnull(finding);
    ck_assert_ptr_nonnull(report);
    ck_assert(finding < report);
    assert_has(finding, ",\"fit\":1,\"id\":\"input-bound\",\"level\":\"high\",\"gain\":0.33");
    assert_has(finding, ",\"share\":0.2500");
    assert_has(report, ",\"preempted\":");
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

#define MIB (1024.0 * 1024.0)

/* Steps of a second, each with a sample of the memory, which grows by `more` each time. */
static const char *table_with_memory(const char *name, int steps, double more)
{
    struct host *host = host_open_with("table", "", "");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < steps; i++) {
        double bytes = 1024 * MIB + i * more;
        sw_begin(sw, SW_BATCH);
        host_wait(host, 1000 * NS_PER_MS);
        sw_end_batch(sw, 32);
        sw_log_sample(sw, &name, &bytes, 1);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    return host_stdout();
}

START_TEST(memory_that_grows_is_told_at_the_end)
{
    assert_has(table_with_memory("process/rss_bytes", 400, 2 * MIB),
               "\nThe program's memory grew all the time, by 44 % to 1.74 GiB.\n"
               "  Try: Look for what is kept from step to step");
    assert_has(table_with_memory("gpu/3/memory_used_bytes", 400, 2 * MIB),
               "\nThe memory of GPU 3 grew all the time, by 44 % to 1.74 GiB.\n");
}
END_TEST

/* More values than are kept: the points are means of four of them then. */
START_TEST(the_memory_of_a_long_fit_is_told_with_its_rate)
{
    assert_has(table_with_memory("process/rss_bytes", 1500, MIB / 2),
               "The program's memory grew all the time, by 42 % to 1.7 GiB, 1.6 GiB an hour.\n");
}
END_TEST

START_TEST(memory_that_does_not_grow_is_not_told)
{
    assert_has_not(table_with_memory("process/rss_bytes", 400, 0), "grew");
    assert_has_not(table_with_memory("process/rss_bytes", 400, 0.1 * MIB), "grew");
    assert_has_not(table_with_memory("process/threads", 400, 2 * MIB), "grew");
    assert_has_not(table_with_memory("gpu/0/power_watts", 400, 2 * MIB), "grew");
}
END_TEST

/* Each fit has values of its own. */
START_TEST(memory_before_a_fit_does_not_count)
{
    const char *name = "process/rss_bytes";
    struct host *host = host_open_with("table", "", "");
    struct sw_profiler *sw = host_profiler(host);
    for (int fit = 0; fit < 3; fit++) {
        sw_begin(sw, SW_FIT);
        for (int i = 0; i < 40; i++) {
            double bytes = 1024 * MIB * (1 + fit) + i * MIB;
            sw_begin(sw, SW_BATCH);
            host_wait(host, 1000 * NS_PER_MS);
            sw_end_batch(sw, 32);
            sw_log_sample(sw, &name, &bytes, 1);
        }
        sw_end(sw, SW_FIT);
    }
    host_close(host);
    assert_has_not(host_stdout(), "grew");
}
END_TEST

SUITE(sink_findings)
{
    tcase_add_test(tc, memory_that_grows_is_told_at_the_end);
    tcase_add_test(tc, the_memory_of_a_long_fit_is_told_with_its_rate);
    tcase_add_test(tc, memory_that_does_not_grow_is_not_told);
    tcase_add_test(tc, memory_before_a_fit_does_not_count);
    tcase_add_test(tc, the_finding_and_what_to_try_follow_the_accounting);
    tcase_add_test(tc, no_finding_prints_nothing);
    tcase_add_test(tc, advice_false_leaves_it_out);
    tcase_add_test(tc, tables_of_other_profilers_and_tables_without_accounting_have_no_advice);
    tcase_add_test(tc, markdown_has_it_as_a_paragraph_of_its_own);
    tcase_add_test(tc, actions_inside_each_other_are_not_added_up);
    tcase_add_test(tc, a_long_fit_is_judged_by_its_newest_steps);
    tcase_add_test(tc, each_finding_of_a_long_fit_says_that_it_is_of_the_newest_steps);
    tcase_add_test(tc, each_fit_has_its_own_findings);
    tcase_add_test(tc, only_the_three_worst_are_shown);
    tcase_add_test(tc, the_run_log_has_them_before_the_report_and_the_facts_in_it);
}
