/* SPDX-License-Identifier: MIT */
/* Run logs whose steps are added up: their numbers, totals, and smallest and largest values are
 * those of the run, in whatever the command makes of them. */
#include "core/text/buffer.h"
#include "core/text/parts.h"
#include "tests/support/host.h"
#include "tests/support/probe.h"
#include "tests/support/random_calls.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run with two logs: of each step, and of sums ---- */

static struct sw_profiler *run_open(const char *thinned)
{
    SW_ERROR_SCOPE(err);
    char yaml[600];
    scratch_enter();
    snprintf(yaml, sizeof yaml,
             "profiler: { mode: simple, show_report: false, signals: false }\n"
             "logger_callback:\n"
             "  - runlog: { path: dense.jsonl }\n"
             "  - runlog: { path: thin.jsonl, %s }\n",
             thinned);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    probe_attach(sw);
    return sw;
}

static void region(struct sw_profiler *sw, int action, int64_t ns)
{
    sw_begin(sw, action);
    probe_wait(ns);
    sw_count(sw, sw_counter("tokens"), ns / 1000);
    sw_end(sw, action);
}

/* Steps of several kinds: each third one has another action in it and two calls of one, each fifth
 * a shape and something in its draw, each seventh an action inside of itself. */
static void step(struct sw_profiler *sw, int i)
{
    int around = sw_action("around"), forward = SW_FORWARD;
    sw_begin(sw, SW_DRAW);
    if (i % 5 == 0)
        region(sw, sw_action("decode"), 1000 + 10 * i);
    probe_wait(100000 + 1000 * (i * 37 % 101));
    sw_end(sw, SW_DRAW);
    sw_begin(sw, SW_BATCH);
    if (i % 5 == 0)
        forward = sw_action_shaped(SW_FORWARD, "[[7, 128]]");
    region(sw, forward, 250000 + 7000 * (i * 53 % 97));
    sw_begin(sw, around);
    if (i % 3 == 0) {
        region(sw, sw_action("augment"), 5000 + i);
        region(sw, sw_action("augment"), 7000 + i * i % 1000);
    }
    if (i % 7 == 0)
        region(sw, around, 900 + i);
    probe_wait(3000);
    sw_end(sw, around);
    region(sw, SW_BACKWARD, 500000 - 3000 * (i * 53 % 97));
    sw_log(sw, "loss", 1.0 / (i + 1));
    if (i % 11 == 10)
        sw_cancel(sw, SW_BATCH);
    else
        sw_end_batch(sw, 64 - i % 2);
    probe_wait(20 * i);
}

static void run(struct sw_profiler *sw, int steps)
{
    for (int fit = 0; fit < 2; fit++) {
        sw_begin(sw, SW_FIT);
        sw_begin(sw, SW_EPOCH);
        sw_begin(sw, SW_TRAIN);
        for (int i = 0; i < steps; i++)
            step(sw, i);
        sw_end(sw, SW_TRAIN);
        sw_begin(sw, SW_VALID);
        for (int i = 0; i < steps / 4; i++)
            step(sw, i);
        sw_end(sw, SW_VALID);
        sw_end(sw, SW_EPOCH);
        sw_end(sw, SW_FIT);
    }
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}

/* ---- comparing ---- */

static json_t *reports_of(const char *path)
{
    char line[100];
    snprintf(line, sizeof line, "report --json %s 2>/dev/null #", path);
    ck_assert_int_eq(stepwatch(line), 0);
    json_t *all = json_loads(command_output(), 0, NULL);
    json_t *reports =
        json_incref(json_object_get(json_array_get(json_object_get(all, "runs"), 0), "reports"));
    json_decref(all);
    return reports;
}

/* The same numbers, except for rounding. */
static void assert_same(const json_t *one, const json_t *other, const char *row, const char *key)
{
    const json_t *a = json_object_get(one, key), *b = json_object_get(other, key);
    if (json_is_number(a))
        ck_assert_msg(fabs(json_number_value(a) - json_number_value(b)) < 1e-6, "%s %s: %f, %f",
                      row, key, json_number_value(a), json_number_value(b));
    else
        ck_assert_msg(a == b || json_equal(a, b), "%s %s", row, key);
}

static double number_of(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

/* A step is its draw and its batch, whose limits need not be of the same step: its own are within
 * those of the run. */
static void assert_limits(const json_t *row, const json_t *thinned)
{
    ck_assert_double_ge(number_of(thinned, "min_ns"), number_of(row, "min_ns"));
    ck_assert_double_le(number_of(thinned, "max_ns"), number_of(row, "max_ns"));
}

/* The row of the same calls: actions may be in another order. */
static const json_t *row_like(const json_t *rows, const json_t *row)
{
    size_t i;
    json_t *other;
    json_array_foreach(rows, i, other)
    {
        const json_t *shape = json_object_get(row, "shape"),
                     *same = json_object_get(other, "shape");
        if (json_equal(json_object_get(row, "phase"), json_object_get(other, "phase")) &&
            json_equal(json_object_get(row, "action"), json_object_get(other, "action")) &&
            (shape == same || json_equal(shape, same)))
            return other;
    }
    ck_abort_msg("expected a row %s", json_string_value(json_object_get(row, "action")));
}

/* sampled: the other is of a log that has all regions of the beginning, so that it knows more of
 * what is around steps. */
static void assert_rows(const json_t *one, const json_t *other, const char *list, bool sampled)
{
    static const char *const keys[] = {"phase",    "action", "shape",   "calls",   "mean_ns",
                                       "total_ns", "share",  "self_ns", "counters"};
    const json_t *rows = json_object_get(one, list), *others = json_object_get(other, list);
    ck_assert_uint_gt(json_array_size(rows), 1);
    ck_assert_uint_eq(json_array_size(rows), json_array_size(others));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i), *same = row_like(others, row);
        const char *action = json_string_value(json_object_get(row, "action"));
        bool around = sampled && SWI_IS_ONE_OF(action, "fit", "epoch", "train", "valid");
        for (size_t k = 0; k < sizeof keys / sizeof *keys - (around ? 2 : 0); k++)
            assert_same(row, same, action, keys[k]);
        assert_limits(row, same);
        if (strcmp(action, "step") == 0)
            continue;
        assert_same(row, same, action, "min_ns");
        assert_same(row, same, action, "max_ns");
    }
}

/* Those of the end have all regions of the beginning, and then samples of them. */
static const char *const ways[] = {"every: 2",
                                   "every: 7",
                                   "every: 1000",
                                   "thin_after: 40",
                                   "every: 3, thin_after: 40",
                                   "thin_after: 2000",
                                   "detail: regions, every: 7",
                                   "detail: regions, thin_after: 40",
                                   "detail: regions, every: 3, thin_after: 2000",
                                   "detail: regions, thin_after: 2000"};
enum { OF_REGIONS = 4 };

START_TEST(its_report_has_the_numbers_totals_and_limits_of_each_row)
{
    run(run_open(ways[_i]), 400);
    json_t *dense = reports_of("dense.jsonl"), *thin = reports_of("thin.jsonl");
    bool sampled = strstr(ways[_i], "regions");
    ck_assert_uint_eq(json_array_size(dense), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(dense, i), *other = json_array_get(thin, i);
        assert_rows(one, other, "rows", sampled);
        assert_rows(one, other, "rows_by_shape", sampled);
        assert_same(one, other, "", "steps");
        assert_same(one, other, "", "fit_ns");
        assert_same(one, other, "", "accounted_ns");
        assert_same(json_object_get(one, "overall_train"), json_object_get(other, "overall_train"),
                    "overall", "samples_per_s");
    }
    json_decref(dense);
    json_decref(thin);
    if (sampled)
        ck_assert_ptr_nonnull(strstr(host_file("thin.jsonl"), "\"reason\":\"sample\""));
    else
        ck_assert_uint_lt(strlen(host_file("thin.jsonl")), strlen(host_file("dense.jsonl")));
}
END_TEST

static void tick(struct sw_profiler *sw)
{
    (void)sw;
    probe_wait(1000 + random_below(100000));
}

/* Whatever a program calls: both logs lack the same. */
START_TEST(random_calls_have_the_same_numbers_and_totals)
{
    const int actions[] = {SW_DRAW, SW_BATCH, SW_FORWARD, SW_BATCH, SW_DRAW, sw_action("own"),
                           SW_LOSS, SW_TRAIN, SW_VALID,   SW_BATCH, SW_EPOCH};
    struct sw_profiler *sw = run_open("every: 20");
    random_begin(2463534242u + (uint32_t)_i);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 4000; i++) {
        /* Most marks would leave no steps to add up. */
        size_t kinds = sizeof actions / sizeof *actions - (random_below(40) ? 4 : 0);
        random_call(sw, actions[random_below((uint32_t)kinds)], tick);
        tick(sw);
    }
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    ck_assert_ptr_nonnull(strstr(host_file("thin.jsonl"), "{\"type\":\"steps\""));
    json_t *dense = reports_of("dense.jsonl"), *thin = reports_of("thin.jsonl");
    ck_assert_uint_eq(json_array_size(dense), json_array_size(thin));
    for (size_t i = 0; i < json_array_size(dense); i++)
        assert_rows(json_array_get(dense, i), json_array_get(thin, i), "rows", false);
    json_decref(dense);
    json_decref(thin);
}
END_TEST

START_TEST(a_replay_finds_the_results_of_the_run)
{
    run(run_open(ways[_i]), 400);
    ck_assert_int_eq(stepwatch("replay --verify thin.jsonl"), 0);
    assert_printed(", 0 differ");
    assert_printed("thin.jsonl: the log was thinned out: it has ");
}
END_TEST

/* How many steps the log has as sums: most of 1,000. */
static int steps_in_sums(void)
{
    int sum = 0;
    for (const char *at = host_file("thin.jsonl"); (at = strstr(at, "{\"type\":\"steps\"")); at++)
        sum += atoi(strstr(at, "\"steps\":") + 8);
    ck_assert_int_gt(sum, 900);
    return sum;
}

START_TEST(commands_say_that_the_log_was_thinned_out)
{
    static const char *const commands[] = {"report --json thin.jsonl", "explain thin.jsonl",
                                           "compare dense.jsonl thin.jsonl",
                                           "replay --verify thin.jsonl"};
    char said[100];
    run(run_open("every: 1000"), 400);
    snprintf(said, sizeof said, "thin.jsonl: the log was thinned out: it has %d steps as sums of ",
             steps_in_sums());
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        stepwatch(commands[i]);
        assert_printed(said);
        assert_not_printed("dense.jsonl: the log was thinned out");
    }
    snprintf(said, sizeof said, "\"thinned_steps\": %d,", steps_in_sums());
    ck_assert_int_eq(stepwatch("replay --verify --json thin.jsonl 2>/dev/null #"), 0);
    assert_printed(said);
}
END_TEST

/* Deviations and percentiles too: the run's own report is of all steps. */
START_TEST(the_table_of_a_run_that_ended_is_its_own)
{
    static char dense[60000];
    run(run_open("every: 1000"), 400);
    ck_assert_int_eq(stepwatch("report --format csv --columns p99,std,calls dense.jsonl"), 0);
    snprintf(dense, sizeof dense, "%s", command_output());
    ck_assert_int_eq(stepwatch("report --format csv --columns p99,std,calls thin.jsonl"), 0);
    assert_printed("thin.jsonl: the log was thinned out: these are the reports that the run made");
    for (char *line = strtok(dense, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, "train,"))
            assert_printed(line);
}
END_TEST

/* Without its end, the report is made of the sums. */
START_TEST(the_report_of_a_killed_run_is_made_of_its_sums)
{
    run(run_open("every: 1000"), 400);
    ck_assert_int_eq(stepwatch("--version >/dev/null; grep -v -e '\"report\"' -e '\"finish\"' "
                               "thin.jsonl >killed.jsonl #"),
                     0);
    ck_assert_int_eq(stepwatch("report --format csv --columns calls killed.jsonl"), 0);
    assert_printed("train,step,363\n");
    assert_printed("killed.jsonl: the log was thinned out: it has ");
}
END_TEST

/* Findings of sums, as explain takes them, and of as many steps, as the page and JSON of a report
 * have them. */
START_TEST(findings_are_those_of_as_many_steps)
{
    run(run_open(ways[_i]), 400);
    json_t *thin = reports_of("thin.jsonl");
    ck_assert_int_eq(stepwatch("explain --json thin.jsonl 2>/dev/null #"), 0);
    json_t *all = json_loads(command_output(), 0, NULL);
    const json_t *fits = json_object_get(json_array_get(json_object_get(all, "runs"), 0), "fits");
    ck_assert_uint_eq(json_array_size(fits), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *found = json_object_get(json_array_get(fits, i), "findings");
        const json_t *same = json_object_get(json_array_get(thin, i), "findings");
        ck_assert_uint_eq(json_array_size(found), json_array_size(same));
        for (size_t k = 0; k < json_array_size(found); k++) {
            const json_t *one = json_array_get(found, k), *other = json_array_get(same, k);
            assert_same(one, other, "finding", "id");
            assert_same(one, other, "finding", "level");
            ck_assert_double_eq_tol(number_of(one, "gain"), number_of(other, "gain"), 0.01);
        }
    }
    json_decref(all);
    json_decref(thin);
}
END_TEST

START_TEST(commands_see_as_many_steps)
{
    run(run_open("every: 50"), 400);
    ck_assert_int_eq(stepwatch("explain --json thin.jsonl 2>/dev/null #"), 0);
    assert_printed("\"steps\": 364"); /* of 400, 36 were cancelled */
    ck_assert_int_eq(stepwatch("watch --once thin.jsonl"), 0);
    assert_printed("step 728");
    ck_assert_int_eq(stepwatch("runs thin.jsonl"), 0);
    assert_printed("   728 ");
}
END_TEST

/* Of two ranks, whose numbers of calls and totals are those of all their steps. */
START_TEST(merging_says_which_logs_were_thinned_out)
{
    run(run_open("every: 100"), 400);
    ck_assert_int_eq(
        stepwatch(
            "--version >/dev/null; for r in 0 1; do sed \"1s/\\\"rank\\\":0,\\\"world_size\\\":1"
            "/\\\"rank\\\":$r,\\\"world_size\\\":2/\" thin.jsonl >rank$r.jsonl; done #"),
        0);
    ck_assert_int_eq(stepwatch("merge --steps rank0.jsonl rank1.jsonl"), 0);
    assert_printed("Ranks 0, 1 did not store each step: percentiles and deviations are not exact");
    ck_assert_int_eq(stepwatch("merge --steps --json rank0.jsonl rank1.jsonl"), 0);
    json_t *merged = json_loads(command_output(), 0, NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(merged, "thinned")), 2);
    json_decref(merged);
}
END_TEST

/* The logs of two ranks that ran the same. */
static json_t *merged_rows_of(const char *log)
{
    char line[600];
    snprintf(line, sizeof line,
             "--version >/dev/null; for r in 0 1; do sed \"1s/\\\"rank\\\":0,\\\"world_size\\\":1"
             "/\\\"rank\\\":$r,\\\"world_size\\\":2/\" %s >rank$r.jsonl; done #",
             log);
    ck_assert_int_eq(stepwatch(line), 0);
    ck_assert_int_eq(stepwatch("merge --steps --json rank0.jsonl rank1.jsonl 2>/dev/null #"), 0);
    json_t *all = json_loads(command_output(), 0, NULL);
    json_t *rows = json_incref(json_object_get(all, "rows"));
    json_decref(all);
    ck_assert_uint_gt(json_array_size(rows), 5);
    return rows;
}

START_TEST(merging_has_the_numbers_totals_and_limits_of_each_step)
{
    static const char *const keys[] = {"phase",        "action",      "calls",      "mean_ns",
                                       "call_mean_ns", "call_min_ns", "call_max_ns"};
    run(run_open(ways[_i]), 400);
    json_t *dense = merged_rows_of("dense.jsonl"), *thin = merged_rows_of("thin.jsonl");
    ck_assert_uint_eq(json_array_size(dense), json_array_size(thin));
    for (size_t i = 0; i < json_array_size(dense); i++) {
        const json_t *row = json_array_get(dense, i), *same = json_array_get(thin, i);
        const char *action = json_string_value(json_object_get(row, "action"));
        for (size_t k = 0; k < (strcmp(action, "step") ? 7 : 5); k++)
            assert_same(row, same, action, keys[k]);
    }
    json_decref(dense);
    json_decref(thin);
}
END_TEST

/* ---- a log of a month ---- */

enum { MONTH_LINES = 2600, LINE_STEPS = 1000000 };

/* Each line stands for a million steps, with draws of 100 us and batches of 900 us. */
static void month_write(const char *path, int rank)
{
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fprintf(out,
            "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"rank\":%d,"
            "\"world_size\":2,\"detail\":\"steps\"}\n"
            "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\",\"thread\":0}\n"
            "{\"type\":\"step\",\"t\":1000000,\"step\":0,\"phase\":\"train\",\"samples\":8,"
            "\"durations\":{\"draw\":100000,\"batch\":900000}}\n",
            rank);
    for (long long i = 0; i < MONTH_LINES; i++)
        fprintf(out,
                "{\"type\":\"steps\",\"t\":%lld,\"from\":%lld,\"first\":%lld,\"step\":%lld,"
                "\"phase\":\"train\",\"steps\":1000000,\"samples\":8000000,"
                "\"sum\":{\"durations\":{\"draw\":100000000000,\"batch\":900000000000}},"
                "\"min\":{\"durations\":{\"draw\":90000,\"batch\":800000}},"
                "\"max\":{\"durations\":{\"draw\":110000,\"batch\":1000000}}}\n",
                1000000 + (i + 1) * 1000000000000LL, 1000000 + i * 1000000000000LL,
                1 + i * LINE_STEPS, (i + 1) * LINE_STEPS);
    fprintf(out, "{\"type\":\"end\",\"t\":%lld,\"action\":\"fit\",\"thread\":0}\n",
            1000000 + MONTH_LINES * 1000000000000LL);
    ck_assert_int_eq(fclose(out), 0);
}

/* It takes as long as its lines. Step by step, each command would take an hour. */
START_TEST(each_command_reads_the_log_of_a_month)
{
    static const struct {
        const char *command, *printed;
    } commands[] = {
        {"report --json rank0.jsonl", "\"calls\": 2600000000,"},
        {"report --format csv --columns calls,min,max rank0.jsonl", "train,step,2600000000,"},
        {"report --html page.html rank0.jsonl", ""},
        {"replay rank0.jsonl", "2600000000"},
        {"replay --verify rank0.jsonl", ", 0 differ"},
        {"explain --json rank0.jsonl", "\"steps\": 2600000001"},
        {"compare --json rank0.jsonl rank1.jsonl", "2600000000"},
        {"merge --steps --json rank0.jsonl rank1.jsonl", "5200000002"},
        {"watch --once rank0.jsonl", "step 2,600,000,001"},
    };
    scratch_enter();
    month_write("rank0.jsonl", 0);
    month_write("rank1.jsonl", 1);
    stepwatch(commands[_i].command);
    assert_printed(commands[_i].printed);
}
END_TEST

/* ---- played into sinks ---- */

/* What a batch took by itself is not in a line `step`. */
static void assert_sums(const json_t *one, const json_t *other, bool times)
{
    static const char *const keys[] = {"calls", "mean_ns", "total_ns", "min_ns", "max_ns"};
    const json_t *rows = json_object_get(one, "rows"), *others = json_object_get(other, "rows");
    ck_assert_uint_eq(json_array_size(rows), json_array_size(others));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i), *same = json_array_get(others, i);
        const char *action = json_string_value(json_object_get(row, "action"));
        for (size_t k = 0; k < (times ? strcmp(action, "step") ? 5 : 3 : 1); k++)
            assert_same(row, same, action, keys[k]);
    }
    assert_same(one, other, "", "steps");
}

/* A sum stays a sum, also where the log of the replay has fewer points or none. */
START_TEST(a_replay_into_a_log_has_the_same_numbers_totals_and_limits)
{
    static const char *const again[] = {"", ", every: 7", ", thin_after: 40", ", thin_after: 0",
                                        ", detail: regions"};
    char yaml[300];
    snprintf(yaml, sizeof yaml,
             "profiler: { mode: simple, show_report: false }\n"
             "logger_callback: { runlog: { path: again.jsonl%s } }\n",
             again[_i]);
    bool regions = strstr(again[_i], "regions");
    run(run_open("every: 50"), 400);
    file_write("again.yaml", yaml);
    ck_assert_int_eq(stepwatch("replay --config again.yaml thin.jsonl"), 0);
    ck_assert(regions == !strstr(host_file("again.jsonl"), "{\"type\":\"steps\""));
    json_t *thin = reports_of("thin.jsonl"), *same = reports_of("again.jsonl");
    ck_assert_uint_eq(json_array_size(thin), json_array_size(same));
    for (size_t i = 0; i < json_array_size(thin); i++)
        assert_sums(json_array_get(thin, i), json_array_get(same, i), !regions);
    json_decref(thin);
    json_decref(same);
}
END_TEST

/* ---- a log in several files ---- */

/* They are read as a log that another program has truncated. */
START_TEST(files_of_a_log_that_rotates_are_read_together_or_alone)
{
    run(run_open("max_size: 200kB, when_full: rotate"), 400);
    ck_assert_int_eq(stepwatch("--version >/dev/null; cat thin.0*.jsonl >all.jsonl #"), 0);
    ck_assert_int_eq(stepwatch("report all.jsonl"), 0);
    assert_printed("all.jsonl: its beginning is missing");
    assert_printed("backward");
    ck_assert_int_eq(
        stepwatch("--version >/dev/null; cp $(ls thin.0*.jsonl | tail -1) last.jsonl #"), 0);
    ck_assert_int_eq(stepwatch("report last.jsonl"), 0);
    assert_printed("last.jsonl: its beginning is missing");
}
END_TEST

/* ---- a log that is damaged ---- */

START_TEST(a_wrong_number_of_steps_is_a_damaged_line)
{
    static const char *const wrong[] = {
        "\"steps\":0,\"sum\":{\"durations\":{\"batch\":5}}",
        "\"steps\":-1,\"sum\":{\"durations\":{\"batch\":5}}",
        "\"steps\":1000001,\"sum\":{\"durations\":{\"batch\":5}}",
        "\"steps\":9000000000000000000,\"sum\":{\"durations\":{\"batch\":5}}",
        "\"sum\":{\"durations\":{\"batch\":5}}",
        "\"steps\":3",
        "\"steps\":3,\"sum\":{}",
        "\"steps\":3,\"sum\":[1]",
    };
    char text[600];
    scratch_enter();
    snprintf(text, sizeof text,
             "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"detail\":"
             "\"steps\"}\n{\"type\":\"steps\",\"t\":100,\"from\":0,\"first\":0,\"step\":2,%s}\n",
             wrong[_i]);
    file_write("run.jsonl", text);
    ck_assert_int_eq(stepwatch("report run.jsonl"), 1);
    assert_printed("run.jsonl:2: \"steps\" ");
    assert_printed(strstr(wrong[_i], "\"steps\":3") ? "without durations"
                                                    : "is not a number from 1 to 1000000");
}
END_TEST

/* Members named like those of a step, more than a step has, and values of other kinds. */
START_TEST(odd_members_of_the_sums_are_passed_over)
{
    struct swi_text log = {0};
    swi_text_put(&log,
                 "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"detail\":"
                 "\"steps\"}\n{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n"
                 "{\"type\":\"steps\",\"t\":9000,\"from\":0,\"first\":0,\"step\":2,\"steps\":3,"
                 "\"sum\":{\"t\":{},\"step\":{},\"steps\":{\"a\":1},\"type\":{},\"samples\":{},"
                 "\"durations\":{\"batch\":6000,\"loss\":[{\"a\":[7]},null,\"x\"],"
                 "\"forward\":[[3000]]},\"counters\":{\"batch\":[{\"a\":1},2.5,true]},\"self\":3");
    for (int i = 0; i < 40; i++)
        swi_text_format(&log, ",\"m%d\":{\"batch\":{\"a\":[1,2]}}", i);
    swi_text_put(&log, "}}\n{\"type\":\"end\",\"t\":9000,\"action\":\"fit\"}\n");
    scratch_enter();
    file_write("run.jsonl", log.data);
    swi_text_free(&log);
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    assert_printed("\"steps\": 3");
    assert_printed("\"total_ns\": 6000.0");
}
END_TEST

SUITE(thinned_log)
{
    int count = (int)(sizeof ways / sizeof *ways);
    tcase_add_loop_test(tc, its_report_has_the_numbers_totals_and_limits_of_each_row, 0, count);
    tcase_add_loop_test(tc, random_calls_have_the_same_numbers_and_totals, 0, 20);
    tcase_add_loop_test(tc, a_replay_finds_the_results_of_the_run, 0, count);
    tcase_add_test(tc, commands_say_that_the_log_was_thinned_out);
    tcase_add_test(tc, the_table_of_a_run_that_ended_is_its_own);
    tcase_add_test(tc, the_report_of_a_killed_run_is_made_of_its_sums);
    tcase_add_loop_test(tc, findings_are_those_of_as_many_steps, 0, count);
    tcase_add_test(tc, commands_see_as_many_steps);
    tcase_add_test(tc, merging_says_which_logs_were_thinned_out);
    tcase_add_loop_test(tc, merging_has_the_numbers_totals_and_limits_of_each_step, 0,
                        count - OF_REGIONS);
    tcase_add_loop_test(tc, each_command_reads_the_log_of_a_month, 0, 9);
    tcase_add_loop_test(tc, a_replay_into_a_log_has_the_same_numbers_totals_and_limits, 0, 5);
    tcase_add_test(tc, files_of_a_log_that_rotates_are_read_together_or_alone);
    tcase_add_loop_test(tc, a_wrong_number_of_steps_is_a_damaged_line, 0, 8);
    tcase_add_test(tc, odd_members_of_the_sums_are_passed_over);
}
