/* SPDX-License-Identifier: MIT */
/* test_all_ranks.c - what an engine needs that joins the ranks of a distributed run: durations of
 * steps from each rank, and sinks that show the report of all. */
#include "tests/support/host.h"
#include "tests/support/probe.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <stepwatch/ranks.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- steps ---- */

static double value_of(const struct sw_steps *steps, const char *action, size_t column)
{
    for (size_t a = 0; a < steps->actions; a++)
        if (strcmp(steps->action[a], action) == 0)
            return steps->value[a][column];
    return NAN;
}

static void step_of(struct sw_profiler *sw, int64_t allreduce)
{
    int action = sw_action("allreduce");
    sw_begin(sw, SW_DRAW);
    probe_wait(10);
    sw_end(sw, SW_DRAW);
    sw_begin(sw, SW_BATCH);
    probe_wait(5);
    sw_begin(sw, action);
    probe_wait(allreduce);
    sw_end(sw, action);
    sw_begin(sw, action);
    probe_wait(1);
    sw_end(sw, action);
    sw_end_batch(sw, 1);
}

static struct sw_steps *steps_of(struct sw_profiler *sw)
{
    struct sw_error err;
    struct sw_steps *steps = NULL;
    ck_assert_int_eq(sw_steps_new(sw, &steps, &err), 0);
    return steps;
}

START_TEST(the_durations_of_a_step_are_kept_by_action_and_the_batch_is_what_is_left)
{
    struct sw_error err;
    struct sw_profiler *sw = probe_open("");
    ck_assert_int_eq(sw_keep_steps(sw, &err), 0);
    step_of(sw, 20);
    step_of(sw, 30);
    struct sw_steps *steps = steps_of(sw);
    ck_assert_int_eq(steps->steps, 2);
    ck_assert_int_eq(steps->block, 1);
    ck_assert_uint_eq(steps->columns, 2);
    ck_assert_double_eq(value_of(steps, "draw", 0), 10);
    ck_assert_double_eq(value_of(steps, "batch", 0), 5);
    ck_assert_double_eq(value_of(steps, "allreduce", 0), 21);
    ck_assert_double_eq(value_of(steps, "allreduce", 1), 31);
    sw_steps_free(steps);
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

START_TEST(of_many_steps_means_are_kept)
{
    struct sw_error err;
    struct sw_profiler *sw = probe_open("");
    ck_assert_int_eq(sw_keep_steps(sw, &err), 0);
    for (int i = 0; i < 2051; i++)
        step_of(sw, i % 2 ? 19 : 39);
    struct sw_steps *steps = steps_of(sw);
    ck_assert_int_eq(steps->steps, 2051);
    ck_assert_int_eq(steps->block, 4);
    ck_assert_uint_eq(steps->columns, 513);
    ck_assert_double_eq(value_of(steps, "allreduce", 0), 30);
    ck_assert_double_eq(value_of(steps, "allreduce", 511), 30);
    ck_assert_double_eq(value_of(steps, "allreduce", 512), (40 + 20 + 40) / 3.0);
    sw_steps_free(steps);
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

START_TEST(a_new_fit_begins_without_the_steps_of_the_one_before)
{
    struct sw_error err;
    struct sw_profiler *sw = probe_open("");
    ck_assert_int_eq(sw_keep_steps(sw, &err), 0);
    for (int fit = 0; fit < 2; fit++) {
        sw_begin(sw, SW_FIT);
        step_of(sw, 20);
        sw_cancel(sw, SW_BATCH);
        sw_end(sw, SW_FIT);
        struct sw_steps *steps = steps_of(sw);
        ck_assert_int_eq(steps->steps, 1);
        sw_steps_free(steps);
    }
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

START_TEST(steps_are_kept_only_if_somebody_asks)
{
    struct sw_error err;
    struct sw_steps *steps = NULL;
    struct sw_profiler *sw = probe_open("");
    ck_assert_int_eq(sw_steps_new(sw, &steps, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), "no steps are kept: call sw_keep_steps() first");
    ck_assert_int_eq(sw_keep_steps(NULL, &err), SW_EINVAL);
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

/* ---- the report of all ranks ---- */

static const struct sw_ranks_row rows[] = {
    {.phase_id = SW_PHASE_TRAIN,
     .action_id = SW_BACKWARD,
     .phase = "train",
     .action = "backward",
     .ranks = 4,
     .calls = 40,
     .min_ns = 1e9,
     .min_rank = 3,
     .mean_ns = 1.25e9,
     .max_ns = 2e9,
     .max_rank = 2,
     .imbalance = 0.6,
     .call_mean_ns = 1.25e8,
     .call_std_ns = 1e6,
     .p50_ns = NAN,
     .p95_ns = NAN,
     .p99_ns = NAN},
};

#define SENTENCE                                                                                   \
    "rank 2 (node n1): backward takes 100.0 ms more a step than the median; everybody waits for "  \
    "it in allreduce; without it: +18.0 % samples/s"

static void ranks_log(struct sw_profiler *sw)
{
    struct sw_error err;
    const struct sw_ranks ranks = {.size = sizeof ranks,
                                   .world_size = 4,
                                   .ranks = 4,
                                   .fit = 1,
                                   .complete = true,
                                   .step = 10,
                                   .steps = 10,
                                   .block = 1,
                                   .lost = 0.15,
                                   .communication = 0.05,
                                   .verdict = "rank",
                                   .sentence = SENTENCE,
                                   .slow_rank = 2,
                                   .slow_host = "n1",
                                   .slow_action = "backward",
                                   .late_ns = 1e8,
                                   .gain = 0.15,
                                   .confidence = 1,
                                   .count = 1,
                                   .row_size = sizeof *rows,
                                   .row = rows};
    ck_assert_int_eq(sw_log_ranks(sw, &ranks, &err), 0);
    sw_log_clock(sw, 1500, 200);
}

static const char yaml[] = "profiler: { show_report: false }\n"
                           "logger_callback:\n"
                           "  - csv: { path: r.csv }\n"
                           "  - markdown: { path: r.md }\n"
                           "  - table: { path: r.txt, plain: true }\n"
                           "  - runlog: { path: r.jsonl }\n"
                           "  - tensorboard: { logdir: runs, run: a }\n"
                           "  - wandb: { mode: offline, dir: w }\n"
                           "  - mlflow: { mode: offline, dir: f }\n";

static void run(void)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_BATCH);
    sw_end_batch(sw, 1);
    sw_end(sw, SW_FIT);
    ranks_log(sw);
    ck_assert_int_eq(sw_close(sw, &err), 0);
}

static bool holds(const char *path, const char *text)
{
    return strstr(host_file(path), text) != NULL;
}

START_TEST(each_sink_shows_the_report_of_all_ranks_and_who_is_slow)
{
    char folder[] = "/tmp/stepwatch-check-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    run();
    ck_assert_str_eq(host_file("r-ranks.csv"),
                     "Phase,Action,Ranks,Min,Min Rank,Mean,Max,Max Rank,Imbalance,Number of Calls,"
                     "Mean Duration\n"
                     "train,backward,4,1.0,3,1.25,2.0,2,0.6,40,0.125\n");
    ck_assert(holds("r-ranks.md", "| train") && holds("r-ranks.md", "1.000 s"));
    ck_assert(holds("r-ranks.md", "Perfect balance would save 15.0 %; communication that all "));
    ck_assert(holds("r-ranks.txt", "All Ranks:") && holds("r-ranks.txt", SENTENCE));
    ck_assert(holds("r-ranks.md", "\n  Try: Look at what is different on that rank or node"));
    ck_assert(!holds("r-ranks.txt", "Try: ")); /* plain */
    ck_assert(
        holds("r.jsonl", "\"fit\":1,\"id\":\"straggler\",\"level\":\"medium\",\"gain\":0.17") &&
        holds("r.jsonl", "\"verdict\":\"rank\",\"rank\":2,\"host\":\"n1\","));
    ck_assert(holds("r.txt", "Profiling Results:"));
    ck_assert(holds("r.jsonl", "\"type\":\"ranks\"") &&
              holds("r.jsonl", "\"min_ns\":1000000000.0,\"min_rank\":3,\"mean_ns\":1250000000.0"));
    ck_assert(holds("r.jsonl", "\"straggler\":{\"verdict\":\"rank\",\"rank\":2,\"host\":\"n1\","));
    ck_assert(holds("r.jsonl", "\"clock_offset_ns\":1500,\"clock_error_ns\":200"));
    ck_assert_int_eq(system("grep -aq 'rank 2 .node n1.: backward takes' runs/a/events.*"), 0);
    ck_assert_int_eq(system("grep -aq '~ranks/lost_percent' runs/a/events.*"), 0);
    ck_assert_int_eq(system("grep -aq 'ranks/sentence' w/wandb/offline-run-*/*.wandb"), 0);
    ck_assert_int_eq(
        system("grep -q 'backward' w/wandb/offline-run-*/files/media/table/all_ranks*"), 0);
    ck_assert_int_eq(system("cp f/mlflow/run-*/artifacts/all_ranks.* ."), 0);
    ck_assert(holds("all_ranks.md", "| train") && holds("all_ranks.md", "would save 15.0 %"));
    ck_assert(
        holds("all_ranks.json", "{\"columns\":[\"Phase\",\"Action\",\"Ranks\",\"Min\",") &&
        holds("all_ranks.json", ",\"data\":[[\"train\",\"backward\",4,1.0,3,1.25,2.0,2,0.6,"));
    ck_assert_int_eq(system("grep -q '\"path\":\"all_ranks.json\",\"table\":true' "
                            "f/mlflow/run-*/journal.jsonl"),
                     0);

    ck_assert_int_eq(stepwatch("report r.jsonl --format html >page.html #"), 0);
    ck_assert(holds("page.html", "<h3>All ranks</h3>") && holds("page.html", SENTENCE));
    file_write("again.yaml", "logger_callback: [csv: {path: again.csv}]\n");
    ck_assert_int_eq(stepwatch("replay r.jsonl --config again.yaml"), 0);
    ck_assert_int_eq(system("cmp r-ranks.csv again-ranks.csv"), 0);
    ck_assert_int_eq(chdir("/"), 0);
    char line[64];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(line), 0);
}
END_TEST

SUITE(all_ranks)
{
    tcase_add_test(tc, the_durations_of_a_step_are_kept_by_action_and_the_batch_is_what_is_left);
    tcase_add_test(tc, of_many_steps_means_are_kept);
    tcase_add_test(tc, a_new_fit_begins_without_the_steps_of_the_one_before);
    tcase_add_test(tc, steps_are_kept_only_if_somebody_asks);
    tcase_add_test(tc, each_sink_shows_the_report_of_all_ranks_and_who_is_slow);
}
