/* SPDX-License-Identifier: MIT */
/* The figures of a run come out of its log again: of regions and of steps. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <stdio.h>
#include <string.h>

static const char *const details[] = {"steps", "regions"};
enum { DETAILS = sizeof details / sizeof *details };

/* ---- recursion ------------------------------------------------------------------------------- */

static void descend(struct host *host, int action, int calls)
{
    sw_begin(host_profiler(host), action);
    host_wait(host, 10000000);
    if (calls > 1)
        descend(host, action, calls - 1);
    sw_end(host_profiler(host), action);
}

START_TEST(a_replay_distinguishes_calls_inside_of_calls)
{
    struct host *host = host_open_log(details[_i], "mode: simple\ndrop_first_batch: false\n");
    struct sw_profiler *sw = host_profiler(host);
    int visit = sw_action("visit");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 5; i++) {
        sw_begin(sw, SW_BATCH);
        descend(host, visit, 4);
        descend(host, visit, 2);
        sw_end_batch(sw, 64);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed("train,visit,0.021666666666666667,");
    assert_printed(",30,");
    assert_printed(",0.3,100%\n");
    ck_assert_int_eq(stepwatch("compare run.jsonl run.jsonl --action visit"), 0);
    assert_printed("60.00 ms");
}
END_TEST

/* The call of a call that was cancelled is in no total: with it, that would be of more than one
 * level. */
START_TEST(a_replay_knows_the_call_inside_of_a_cancelled_one)
{
    struct host *host = host_open_log(details[_i], "mode: simple\ndrop_first_batch: false\n");
    struct sw_profiler *sw = host_profiler(host);
    int visit = sw_action("visit");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 5; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, visit);
        descend(host, visit, 1);
        sw_cancel(sw, visit);
        sw_end_batch(sw, 64);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed("train,visit,0.01,0.0,5,");
    assert_printed(",0.0,0%\n");
}
END_TEST

/* ---- overall rates --------------------------------------------------------------------------- */

/* 3 s between the steps in each epoch; the loader takes 50 ms, the batch 50 ms. */
static void epochs(struct host *host, bool named)
{
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < 2; epoch++) {
        if (named)
            sw_begin(sw, SW_TRAIN);
        for (int i = 0; i < 10; i++) {
            sw_begin(sw, SW_DRAW);
            host_wait(host, 50000000);
            sw_next(sw, SW_BATCH);
            host_wait(host, 50000000);
            sw_end_batch(sw, 64);
            host_wait(host, i == 4 ? 3000000000 : 0);
        }
        if (named)
            sw_end(sw, SW_TRAIN);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
}

static void assert_overall_rate(const char *detail, bool named)
{
    epochs(host_open_log(detail, "mode: throughput\n"), named);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
    ck_assert_int_eq(stepwatch("report run.jsonl"), 0);
    assert_printed("\nOverall: 160 samples/s in train.\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    assert_printed("\"overall_train\": {");
    assert_printed("\"samples\": 1280");
    assert_printed("\"elapsed_ns\": 8000000000.0");
    assert_printed("\"samples_per_s\": 160.0");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv --columns all"), 0);
    assert_printed(",160.0\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format html"), 0);
    assert_printed("Overall: 160 samples/s in train.");
}

START_TEST(a_replay_has_the_overall_rate_of_the_run)
{
    assert_overall_rate(details[_i], true);
    assert_overall_rate(details[_i], false);
}
END_TEST

/* ---- own actions around the loop ------------------------------------------------------------- */

static void spend(struct host *host, const char *name, int times)
{
    int action = sw_action(name);
    for (int i = 0; i < times; i++) {
        sw_begin(host_profiler(host), action);
        host_wait(host, 1000000);
        sw_end(host_profiler(host), action);
    }
}

/* 0: before a fit and after it, 1: in a loop without fit, 2: alone. */
static void around_record(int kind)
{
    struct host *host = host_open_log("regions", "mode: throughput\ndrop_first_batch: false\n");
    struct sw_profiler *sw = host_profiler(host);
    spend(host, "load", 300);
    if (kind == 0)
        sw_begin(sw, SW_FIT);
    for (int i = 0; i < 10 && kind < 2; i++) {
        sw_begin(sw, SW_BATCH);
        host_wait(host, 10000000);
        sw_end_batch(sw, 64);
    }
    if (kind == 0)
        sw_end(sw, SW_FIT);
    spend(host, "save", 20);
    host_wait(host, 5000000);
    host_close(host);
}

static const struct {
    const char *fit_ns, *load, *save;
} around[] = {
    {"\"fit_ns\": 100000000.0", "before,load,0.001,0.0,300,-,0.3,-\n",
     "after,save,0.001,0.0,20,-,0.02,-\n"},
    {"\"fit_ns\": 425000000.0", "fit,load,0.001,0.0,300,-,0.3,71%\n",
     "fit,save,0.001,0.0,20,-,0.02,5%\n"},
    {"\"fit_ns\": 325000000.0", "fit,load,0.001,0.0,300,-,0.3,92%\n",
     "fit,save,0.001,0.0,20,-,0.02,6%\n"},
};

START_TEST(a_replay_has_what_ran_around_the_loop_where_the_run_had_it)
{
    around_record(_i);
    ck_assert_int_eq(stepwatch("replay run.jsonl --verify"), 0);
    assert_printed(" 0 differ\n");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed(around[_i].load);
    assert_printed(around[_i].save);
    assert_not_printed("threads");
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    assert_printed(around[_i].fit_ns);
    assert_not_printed("\"fit\": 2");
}
END_TEST

/* ---- calls that do not fit ------------------------------------------------------------------- */

/* Of two fits; and what the sinks of a replay say is not theirs. */
START_TEST(calls_that_did_not_fit_are_taken_from_the_runs_own_report)
{
    struct host *host = host_open_log(details[_i], "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    for (int fit = 0; fit < 2; fit++) {
        sw_begin(sw, SW_FIT);
        sw_end(sw, SW_FORWARD);
        sw_begin(sw, sw_action("a\033[2J"));
        host_wait(host, 100);
        sw_end(sw, SW_FIT);
    }
    host_close(host);
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    assert_printed("\"text\": \"forward was ended without a begin\",");
    assert_printed("\"misuses\": 1,");
    assert_printed("\"discarded\": 1,");
    ck_assert_int_eq(stepwatch("report run.jsonl --format html"), 0);
    assert_printed("<p class=\"note\">forward was ended without a begin: 1</p>");
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv"), 0);
    assert_printed(
        "run.jsonl: calls that did not fit, as the report of the run says: "
        "forward was ended without a begin: 1; ending fit discarded a\\x1b[2J, which was still "
        "open: 1; forward was ended without a begin: 1; ");
    assert_not_printed("warning");
}
END_TEST

/* ---- what the run cost ----------------------------------------------------------------------- */

static void costs_write(const char *costs)
{
    char log[1024];
    snprintf(log, sizeof log,
             "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\"}\n"
             "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
             "{\"type\":\"begin\",\"t\":0,\"action\":\"batch\"}\n"
             "{\"type\":\"end\",\"t\":500000,\"action\":\"batch\",\"samples\":4}\n"
             "{\"type\":\"begin\",\"t\":500000,\"action\":\"batch\"}\n"
             "{\"type\":\"end\",\"t\":1000000,\"action\":\"batch\",\"samples\":4}\n"
             "{\"type\":\"end\",\"t\":1000000,\"action\":\"fit\"}\n"
             "{\"type\":\"report\",\"t\":1000000,\"fit\":1,\"steps\":2%s}\n"
             "{\"type\":\"finish\",\"t\":1000000}\n",
             costs);
    scratch_write("costs.jsonl", log, strlen(log));
}

START_TEST(what_the_run_cost_is_taken_from_its_own_report)
{
    static const char *const commands[] = {
        "report costs.jsonl", "report costs.jsonl --format markdown", "replay costs.jsonl"};
    scratch_enter();
    costs_write(",\"own_ns\":182230,\"own_threads_ns\":25000,\"joules\":16");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        ck_assert_int_eq(stepwatch(commands[i]), 0);
        assert_printed("stepwatch itself: 91115 ns a step, 18.223 % of fit; its other threads: "
                       "2.5 % of a core.\n");
        assert_printed("Energy: 16 J, 2.00 J/sample.");
    }
    ck_assert_int_eq(stepwatch("report costs.jsonl --json"), 0);
    assert_printed("\"own_ns\": 182230.0");
    assert_printed("\"joules\": 16.0");
    ck_assert_int_eq(stepwatch("report costs.jsonl --format html"), 0);
    assert_printed(" stepwatch itself took 91.11");
    assert_printed(" The energy used was 16 J, 2.00 J a sample.");
}
END_TEST

START_TEST(the_last_report_of_a_fit_says_what_it_cost)
{
    scratch_enter();
    costs_write(",\"own_ns\":5}\n{\"type\":\"report\",\"t\":1000000,\"fit\":2,\"own_ns\":7}\n"
                "{\"type\":\"report\",\"t\":1000000,\"fit\":1,\"steps\":2,\"own_ns\":182230");
    ck_assert_int_eq(stepwatch("report costs.jsonl"), 0);
    assert_printed("stepwatch itself: 91115 ns a step, 18.223 % of fit.");
}
END_TEST

START_TEST(a_cost_that_the_log_lacks_is_not_that_of_the_replay)
{
    scratch_enter();
    costs_write("");
    ck_assert_int_eq(stepwatch("report costs.jsonl"), 0);
    assert_printed("other: ");
    assert_not_printed("stepwatch itself");
    /* A pipe cannot be read twice. */
    costs_write(",\"own_ns\":182230");
    ck_assert_int_eq(stepwatch("report - <costs.jsonl"), 0);
    assert_not_printed("stepwatch itself");
    /* The fit goes on after a report of its first part. */
    costs_write(",\"complete\":false,\"own_ns\":182230");
    ck_assert_int_eq(stepwatch("report costs.jsonl"), 0);
    assert_not_printed("stepwatch itself");
}
END_TEST

SUITE(log_figures)
{
    tcase_add_loop_test(tc, calls_that_did_not_fit_are_taken_from_the_runs_own_report, 0, DETAILS);
    tcase_add_loop_test(tc, a_replay_has_what_ran_around_the_loop_where_the_run_had_it, 0, 3);
    tcase_add_loop_test(tc, a_replay_has_the_overall_rate_of_the_run, 0, DETAILS);
    tcase_add_test(tc, what_the_run_cost_is_taken_from_its_own_report);
    tcase_add_test(tc, the_last_report_of_a_fit_says_what_it_cost);
    tcase_add_test(tc, a_cost_that_the_log_lacks_is_not_that_of_the_replay);
    tcase_add_loop_test(tc, a_replay_distinguishes_calls_inside_of_calls, 0, DETAILS);
    tcase_add_loop_test(tc, a_replay_knows_the_call_inside_of_a_cancelled_one, 0, DETAILS);
}
