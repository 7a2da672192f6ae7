/* SPDX-License-Identifier: MIT */
/* What `stepwatch check --rate` says of a sink is what the sink stores. */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A step takes 90 ms, so that 40,000 of them are an hour. */
enum { STEPS = 40000 };
#define RATE "11.1111111"

/* ---- what a run stores ---- */

static unsigned state = 1;

static int64_t about(int64_t ns)
{
    state = state * 1103515245U + 12345U;
    return ns + (state >> 12) % 1000 * (ns / 4000);
}

static void region(struct sw_profiler *sw, int action, int64_t ns)
{
    sw_begin(sw, action);
    probe_wait(about(ns));
    sw_end(sw, action);
}

static void step(struct sw_profiler *sw, int i)
{
    static const int actions[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
    int64_t began = probe_now;
    region(sw, SW_DRAW, 5000000);
    sw_begin(sw, SW_BATCH);
    for (size_t k = 0; k < sizeof actions / sizeof *actions; k++)
        region(sw, actions[k], 10000000);
    sw_log(sw, "train/loss", (double)about(1000000) * 1e-6 / (1 + i * 1e-4));
    sw_end_batch(sw, 32);
    probe_wait(began + 90000000 - probe_now);
}

/* Bytes of all files. */
static double stored(void)
{
    char text[40] = "";
    FILE *pipe = popen("find run -type f -exec cat {} + | wc -c", "r");
    ck_assert_ptr_nonnull(fgets(text, sizeof text, pipe));
    pclose(pipe);
    return atof(text);
}

/* Returns what a run stores, or -1 if the sink was not built. */
static double run(const char *config, int steps)
{
    SW_ERROR_SCOPE(err);
    ck_assert_int_eq(system("rm -rf run && mkdir run"), 0);
    struct sw_profiler *sw = sw_open(config, &err);
    bool missing = !sw && (strstr(sw_error_text(&err), "was not found") ||
                           strstr(sw_error_text(&err), "was built without"));
    ck_assert_msg(sw || missing, "%s", sw_error_text(&err));
    if (missing)
        return -1;
    probe_attach(sw);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < steps; i++) {
        step(sw, i);
        if (i % 500 == 499)
            sw_flush(sw, INT64_C(60000000000));
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    return stored();
}

static void config_write(const char *sink, const char *mode)
{
    char text[400];
    scratch_enter();
    setenv("TRACKIO_DIR", "run", 1);
    snprintf(text, sizeof text,
             "profiler: { mode: %s, show_report: false, signals: false }\n"
             "logger_callback:\n  - %s\n",
             mode, sink);
    file_write("stepwatch.yaml", text);
}

/* ---- what the command says ---- */

/* A figure of the only sink. */
static double said(const char *key)
{
    json_t *all = json_loads(command_output(), 0, NULL);
    const json_t *sinks = json_object_get(json_object_get(all, "sizes"), "sinks");
    double value = json_number_value(json_object_get(json_array_get(sinks, 0), key));
    json_decref(all);
    return value;
}

static void assert_about(double found, double expected, const char *what)
{
    ck_assert_msg(fabs(found / expected - 1) < 0.25, "%s: it is said to be %.0f, and is %.0f", what,
                  expected, found);
}

static const char *const modes[] = {"simple", "throughput"};
static const char *const sinks[] = {
    "runlog: { path: run/r.jsonl",
    "runlog: { path: run/r.jsonl.gz",
    "runlog: { path: run/r.jsonl.zst",
    "runlog: { path: run/r.jsonl, detail: regions",
    "runlog: { path: run/r.jsonl, detail: metrics",
    "tensorboard: { logdir: run",
    "wandb: { mode: offline, dir: run, system: false",
    "mlflow: { mode: offline, dir: run, system: false",
    "sqlite: { path: run/r.db",
    "sqlite: { layout: trackio, project: p",
};
enum { SINKS = sizeof sinks / sizeof *sinks };

START_TEST(a_step_takes_what_is_said)
{
    char sink[200];
    snprintf(sink, sizeof sink, "%s, thin_after: 0 }", sinks[_i / 2]);
    config_write(sink, modes[_i % 2]);
    double less = run("stepwatch.yaml", 4000), more = less < 0 ? 0 : run("stepwatch.yaml", 8000);
    if (less < 0)
        return;
    ck_assert_int_eq(stepwatch("check --rate 1000 --json stepwatch.yaml"), 0);
    assert_about((more - less) / 4000, said("step_bytes"), sink);
    ck_assert_double_eq(said("hour"), said("step_bytes") * 3600000);
    ck_assert_double_eq(said("thinned_s"), 0);
}
END_TEST

START_TEST(an_hour_that_is_thinned_out_takes_what_is_said)
{
    char sink[200];
    snprintf(sink, sizeof sink, "%s, thin_after: 4000 }", sinks[_i / 2]);
    config_write(sink, modes[_i % 2]);
    double empty = run("stepwatch.yaml", 0), bytes = empty < 0 ? 0 : run("stepwatch.yaml", STEPS);
    if (empty < 0)
        return;
    ck_assert_int_eq(stepwatch("check --rate " RATE " --json stepwatch.yaml"), 0);
    assert_about(bytes - empty, said("hour"), sink);
    ck_assert_double_gt(said("thinned_s"), 0);
}
END_TEST

/* ---- the table ---- */

START_TEST(the_table_has_a_row_for_each_sink)
{
    scratch_enter();
    file_write("stepwatch.yaml", "profiler: { mode: simple }\n"
                                 "logger_callback:\n"
                                 "  - runlog: { path: a.jsonl }\n"
                                 "  - runlog: { path: b.jsonl, max_size: 2GB, when_full: stop }\n"
                                 "  - runlog: { path: c.jsonl, detail: regions }\n"
                                 "  - runlog: { path: d.jsonl, max_size: 2GB, when_full: rotate, "
                                 "thin_after: 0 }\n"
                                 "  - trace: { path: t.json }\n"
                                 "  - csv: { path: t.csv }\n");
    ck_assert_int_eq(stepwatch("check --rate 1000"), 0);
    assert_printed("stepwatch.yaml: fine\n\n"
                   "At 1000 steps a second with 1 value each:\n\n"
                   "sink               a step   an hour     a day   30 days\n"
                   "runlog              476 B    1.4 GB    2.4 GB    3.8 GB  each step for 19 min\n"
                   "runlog              476 B    1.4 GB    2.0 GB    2.0 GB  full after 6 h\n"
                   "runlog regions     1.0 kB    2.1 GB    3.3 GB    5.0 GB  each step for 19 min\n"
                   "runlog              476 B    1.7 GB    2.0 GB    2.0 GB  the newest 53 min\n"
                   "trace              1.2 kB    256 MB    256 MB    256 MB  full after 4 min\n"
                   "csv              does not grow with the steps\n");
}
END_TEST

START_TEST(a_month_at_1000_steps_a_second_is_less_than_10_gb_in_each_sink)
{
    char command[80];
    config_write(sinks[_i / 3], "simple");
    FILE *file = fopen("stepwatch.yaml", "a");
    fputs("    }\n", file);
    fclose(file);
    snprintf(command, sizeof command, "check --rate 1000 --values %s --json stepwatch.yaml",
             _i % 3 == 0   ? "1"
             : _i % 3 == 1 ? "10"
                           : "100");
    if (stepwatch(command) != 0) {
        if (!strstr(command_output(), "was built without"))
            assert_printed("was not found");
        return;
    }
    ck_assert_double_lt(said("month"), 10e9);
}
END_TEST

START_TEST(what_is_no_rate_is_refused)
{
    static const char *const wrong[] = {
        "--rate 0",   "--rate x",        "--rate -1", "--rate inf", "--rate 1000 --values -1",
        "--values 2", "--print --rate 5"};
    char command[80];
    config_write("csv:", "simple");
    snprintf(command, sizeof command, "check %s", wrong[_i]);
    ck_assert_int_eq(stepwatch(command), 2);
}
END_TEST

SUITE(check_rate)
{
    tcase_add_loop_test(tc, a_step_takes_what_is_said, 0, 2 * SINKS);
    tcase_add_loop_test(tc, an_hour_that_is_thinned_out_takes_what_is_said, 0, 2 * SINKS);
    tcase_add_test(tc, the_table_has_a_row_for_each_sink);
    tcase_add_loop_test(tc, a_month_at_1000_steps_a_second_is_less_than_10_gb_in_each_sink, 0,
                        3 * SINKS);
    tcase_add_loop_test(tc, what_is_no_rate_is_refused, 0, 7);
}
