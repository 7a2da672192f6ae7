/* SPDX-License-Identifier: MIT */
/* Reports of a run log that has only results: they are those of the run, to the byte. */
#include "tests/support/host.h"
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run that prints its own report in every form ---- */

/* The options of a sink of the run, and those of `stepwatch report` that ask for the same. */
static const struct {
    const char *sink, *options, *arguments;
} forms[] = {
    {"table", "live: off", ""},
    {"table", "live: off, plain: true", "--format plain"},
    {"markdown", "", "--format markdown"},
    {"csv", "", "--format csv"},
    {"table", "style: torch", "--style torch"},
    {"table", "style: lightning", "--style lightning"},
    {"table", "style: hannah", "--style hannah"},
    {"table", "sort: p99, limit: 3", "--sort p99 --limit 3"},
    {"table", "columns: all", "--columns all"},
    {"csv", "columns: [standard, counter/tokens, tokens_per_s]",
     "--format csv --columns standard,counter/tokens,tokens_per_s"},
    {"markdown", "style: lightning, sort: mean", "--format markdown --style lightning --sort mean"},
    {"table", "group_by: shape", "--group-by shape"},
    {"table", "style: torch, group_by: shape", "--style torch --group-by shape"},
    {"csv", "group_by: shape, columns: [calls, total]",
     "--format csv --group-by shape --columns calls,total"},
};
enum { FORMS = sizeof forms / sizeof *forms };

static void configuration_write(FILE *out, const char *logs)
{
    fprintf(out,
            "profiler: { mode: simple, show_report: false, signals: false,\n"
            "            peak_flops: 1T, counters: [page_faults: steps] }\n"
            "logger_callback:\n%s",
            logs);
    for (int i = 0; i < FORMS; i++)
        fprintf(out, "  - %s: { path: \"%d.txt\"%s%s }\n", forms[i].sink, i,
                *forms[i].options ? ", " : "", forms[i].options);
}

static struct sw_profiler *run_open(const char *logs)
{
    SW_ERROR_SCOPE(err);
    char *yaml = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&yaml, &size);
    configuration_write(out, logs);
    fclose(out);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s in\n%s", sw_error_text(&err), yaml);
    free(yaml);
    probe_attach(sw);
    return sw;
}

static void region(struct sw_profiler *sw, int action, int64_t ns)
{
    sw_begin(sw, action);
    probe_wait(ns);
    sw_count(sw, sw_counter("tokens"), ns / 1000);
    sw_count(sw, sw_counter("flops"), 100 * ns);
    sw_end(sw, action);
}

/* Forward has two shapes; the own action is between steps. */
static void step(struct sw_profiler *sw, int i)
{
    int shaped = sw_action_shaped(SW_FORWARD, i % 3 ? "[[64, 128]]" : "[[7, 128]]");
    region(sw, SW_DRAW, 1000000 + 1000 * i);
    sw_begin(sw, SW_BATCH);
    region(sw, shaped, 2500000 + 70000 * (i % 4));
    region(sw, SW_BACKWARD, 5000000);
    sw_end_batch(sw, 64);
    region(sw, sw_action("checkpoint"), 300000);
}

/* With mistakes, so that there are findings and lines below the table. */
static void fit(struct sw_profiler *sw, int steps)
{
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < steps; i++)
        step(sw, i);
    sw_end(sw, SW_LOSS);
    sw_begin(sw, SW_DRAW);
    sw_cancel(sw, SW_DRAW);
    sw_end(sw, SW_TRAIN);
    sw_begin(sw, SW_VALID);
    step(sw, 0);
    sw_end(sw, SW_VALID);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
}

static void run_with(const char *logs, int steps)
{
    scratch_enter();
    struct sw_profiler *sw = run_open(logs);
    region(sw, sw_action("prepare"), 4000);
    fit(sw, steps);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}

#define LOG "  - runlog: { path: run.jsonl, detail: metrics }\n"

/* Runs "stepwatch ARGUMENTS" and compares what it prints to stdout with a file of the run. */
static void assert_prints(const char *command, const char *path, const char *name)
{
    char line[256];
    snprintf(line, sizeof line, "%s 2>messages.txt #", command);
    ck_assert_int_eq(stepwatch(line), 0);
    const char *expected = host_file(path);
    ck_assert_msg(strcmp(command_output(), expected) == 0, "%s printed\n%s\nthe run printed\n%s",
                  name, command_output(), expected);
    ck_assert_str_eq(host_file("messages.txt"), "");
}

START_TEST(each_form_is_what_the_run_printed)
{
    run_with(LOG, 40);
    for (int i = 0; i < FORMS; i++) {
        char line[200], path[16];
        snprintf(line, sizeof line, "report run.jsonl %s", forms[i].arguments);
        snprintf(path, sizeof path, "%d.txt", i);
        ck_assert_uint_gt(strlen(host_file(path)), 100);
        assert_prints(line, path, line);
    }
}
END_TEST

/* The same fit is in a log of every region, from which the report is made again. */
START_TEST(as_json_it_has_the_numbers_that_are_made_of_all_regions)
{
    static const char *const keys[] = {"rows",    "rows_by_shape", "overall_train", "fit_ns",
                                       "misuse",  "discarded",     "steps",         "own_ns",
                                       "started", "accounted_ns"};
    json_t *report[2], *all[2];
    run_with(LOG "  - runlog: { path: all.jsonl, detail: regions }\n", 40);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(stepwatch(i ? "report --json all.jsonl 2>/dev/null #"
                                     : "report --json run.jsonl 2>/dev/null #"),
                         0);
        all[i] = json_loads(command_output(), 0, NULL);
        const json_t *run = json_array_get(json_object_get(all[i], "runs"), 0);
        report[i] = json_array_get(json_object_get(run, "reports"), 0);
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char *one = json_dumps(json_object_get(report[0], keys[i]),
                               JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
        char *other = json_dumps(json_object_get(report[1], keys[i]),
                                 JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
        ck_assert_msg(strcmp(one, other) == 0, "%s: %.1500s\nor %.1500s", keys[i], one, other);
        free(one);
        free(other);
    }
    const json_t *finding = json_array_get(json_object_get(report[0], "findings"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(finding, "level")), "high");
    ck_assert_uint_gt(json_object_size(finding), 5);
    json_decref(all[0]);
    json_decref(all[1]);
}
END_TEST

START_TEST(the_page_says_which_drawings_need_steps)
{
    run_with(LOG, 40);
    ck_assert_int_eq(stepwatch("report run.jsonl --format html"), 0);
    assert_printed("The log has only the results of the run.");
    assert_printed("<h3>Where it loses time</h3>");
    assert_printed("forward");
    assert_printed("<h3>Counters</h3>");
    assert_not_printed("How long the calls take");
    assert_not_printed("=\"nan");
}
END_TEST

/* A summary has histograms if it is asked for them. */
START_TEST(the_page_draws_durations_if_the_log_has_histograms)
{
    run_with("  - runlog: { path: run.jsonl, detail: summary, histograms: true }\n", 40);
    ck_assert_int_eq(stepwatch("report run.jsonl --format html"), 0);
    assert_printed("How long the calls take");
    assert_not_printed("=\"nan");
    assert_prints("report run.jsonl --format csv", "3.txt", "a summary");
}
END_TEST

/* All of a step but nothing else counts 100 operations a nanosecond. The peak is in the log, too.
 */
START_TEST(the_utilization_of_the_model_is_in_the_report_of_any_log)
{
    static const char *const details[] = {"metrics", "steps", "regions"};
    char log[100];
    snprintf(log, sizeof log,
             "  - runlog: { path: run.jsonl, detail: %s }\n"
             "  - csv: { path: mfu.csv, columns: [mfu] }\n",
             details[_i]);
    run_with(log, 40);
    ck_assert_ptr_nonnull(strstr(host_file("mfu.csv"), "\ntrain,step,10.0\n"));
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv --columns mfu"), 0);
    assert_printed("Phase,Action,MFU\n");
    assert_printed("\ntrain,step,10.0\n");
}
END_TEST

/* ---- more than one report ---- */

/* What the program did after its last fit is in a second report of it, which is the only one in a
 * summary. */
START_TEST(each_fit_has_its_report)
{
    scratch_enter();
    struct sw_profiler *sw =
        run_open(_i ? "  - runlog: { path: run.jsonl, detail: summary }\n" : LOG);
    fit(sw, 10);
    fit(sw, 20);
    region(sw, sw_action("save"), 5000);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    ck_assert_int_eq(stepwatch("report run.jsonl --format csv --columns calls"), 0);
    assert_printed("train,step,9\n");
    assert_printed("train,step,19\n");
    assert_printed("after,save,1\n");
    ck_assert_int_eq(stepwatch("report run.jsonl"), 0);
    assert_printed("After the fit:");
}
END_TEST

/* ---- what a log of results cannot do ---- */

static void log_write(const char *lines)
{
    char text[4096];
    scratch_enter();
    snprintf(text, sizeof text,
             "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"detail\":"
             "\"metrics\"}\n%s",
             lines);
    file_write("run.jsonl", text);
}

START_TEST(a_run_that_was_killed_has_no_report)
{
    log_write("{\"type\":\"metric\",\"t\":5,\"step\":0,\"name\":\"loss\",\"value\":1}\n");
    ck_assert_int_eq(stepwatch("report run.jsonl"), 1);
    assert_printed("run.jsonl: contains only results, and no report because no fit ended: record "
                   "the run with detail: steps or regions");
    ck_assert_int_eq(stepwatch("report --json run.jsonl"), 1);
    assert_printed("contains only results, and no report");
}
END_TEST

static const struct {
    const char *command;
    int status;
    const char *says;
} refused[] = {
    {"compare run.jsonl run.jsonl", 2, "run.jsonl: contains no steps to compare: record it"},
    {"replay --verify run.jsonl", 1, "run.jsonl: contains only results, and nothing to verify"},
    {"explain run.jsonl", 1, "run.jsonl: contains only results, and findings need the steps"},
    {"report --style tree run.jsonl", 1,
     "run.jsonl: was recorded with detail: metrics, which has no times"},
};

START_TEST(what_needs_steps_says_so)
{
    run_with(LOG, 3);
    ck_assert_int_eq(stepwatch(refused[_i].command), refused[_i].status);
    assert_printed(refused[_i].says);
    assert_printed("record it with ");
}
END_TEST

#define ROW                                                                                        \
    "{%s\"phase\":\"%s\",\"action\":\"fit\",\"mean_ns\":0.0,\"std_ns\":0.0,\"calls\":1,"           \
    "\"samples_per_s\":\"NaN\",\"total_ns\":1000000.0,\"share\":1.0,\"self_ns\":0.0,"              \
    "\"min_ns\":1000000.0,\"max_ns\":1000000.0,\"p50_ns\":1000000.0,\"p95_ns\":1000000.0,"         \
    "\"p99_ns\":1000000.0,\"overall_samples_per_s\":\"NaN\",\"counters\":{\"cpu\":[900000,null]}}"

#define COUNTER                                                                                    \
    "{\"name\":\"cpu\",\"kind\":\"sum\",\"unit\":\"ns\",\"standard\":1,\"reading_ns\":120000.0}"

/* A log with one report of one row. before: lines; fields: of the row. */
static void report_with(const char *before, const char *phase, const char *fields,
                        const char *counters)
{
    char lines[2048];
    snprintf(
        lines, sizeof lines,
        "%s{\"type\":\"report\",\"t\":1000000,\"fit\":1,\"mode\":\"simple\",\"drop_first_batch\":"
        "true,\"interrupted\":false,\"epochs\":1,\"step\":0,\"started\":0.0,\"fit_ns\":"
        "1000000.0,\"accounted_ns\":0.0,\"other_ns\":1000000.0,\"own_ns\":1000.0,\"steps\":0,"
        "\"misuses\":0,\"discarded\":0,\"counters\":[%s],\"rows\":[" ROW
        "],\"by\":\"profiler\"}\n{\"type\":\"finish\",\"t\":1000000}\n",
        before, counters, fields, phase);
    log_write(lines);
}

static void report_write(const char *phase)
{
    report_with("", phase, "", COUNTER);
}

START_TEST(what_reading_a_counter_cost_is_in_the_log)
{
    report_write("fit");
    ck_assert_int_eq(stepwatch("report run.jsonl"), 0);
    assert_printed("stepwatch itself: 0.100 % of fit; reading cpu cost 12.0 % of fit.\n");
    assert_printed("CPU Time");
    assert_printed("900.0");
}
END_TEST

START_TEST(a_phase_that_is_not_known_is_reported_with_its_line)
{
    report_write("teatime");
    ck_assert_int_eq(stepwatch("replay run.jsonl"), 1);
    assert_printed("run.jsonl:2: \"report\" has a row of phase teatime, which is not known");
}
END_TEST

/* `report` leaves damaged lines out, and says why none is left. */
START_TEST(a_log_whose_only_report_is_damaged_says_what_is_wrong_with_it)
{
    static const char *const forms_of_report[] = {"report run.jsonl", "report --json run.jsonl"};
    report_write("teatime");
    ck_assert_int_eq(stepwatch(forms_of_report[_i]), 1);
    assert_printed("run.jsonl:2: \"report\" has a row of phase teatime, which is not known");
    ck_assert_ptr_null(strstr(strstr(command_output(), "teatime") + 1, "teatime"));
    assert_not_printed("no report because no fit ended");
}
END_TEST

/* The number of a bin is the beginning of a double. */
static const char *const histograms[] = {
    "[[131007,1]]",          "[[9223372036854775807,1]]", "[[-1,1]]", "[[65472,0]]", "[[65472,-1]]",
    "[[65472,1],[65472,1]]", "[[65473,1],[65472,1]]",     "[7]",
};

START_TEST(a_histogram_that_cannot_be_one_is_reported_with_its_line)
{
    char field[100];
    snprintf(field, sizeof field, "\"hist\":%s,", histograms[_i]);
    report_with("", "fit", field, COUNTER);
    ck_assert_int_eq(stepwatch("replay run.jsonl"), 1);
    assert_printed(
        "run.jsonl:2: \"report\" has a row whose \"hist\" is not ascending bins from 0 to "
        "131006, with their counts");
}
END_TEST

START_TEST(a_histogram_may_have_the_first_bin_and_the_last)
{
    report_with("", "fit", "\"hist\":[[0,1],[131006,1]],", COUNTER);
    ck_assert_int_eq(stepwatch("report run.jsonl"), 0);
    assert_printed("CPU Time");
}
END_TEST

static void nulls_put(FILE *out, const char *name, int count)
{
    fprintf(out, ",\"%s\":[null", name);
    for (int i = 1; i < count; i++)
        fputs(",null", out);
    fputs("]", out);
}

/* Room for all of these counters in each row would be 640 GB, for a line of 3 MB. */
START_TEST(a_report_takes_no_memory_for_counters_that_no_run_can_have)
{
    log_write("");
    FILE *out = fopen("run.jsonl", "a");
    ck_assert_ptr_nonnull(out);
    fputs("{\"type\":\"report\",\"by\":\"profiler\"", out);
    nulls_put(out, "rows", 20000);
    nulls_put(out, "counters", 500000);
    fputs("}\n", out);
    fclose(out);
    ck_assert_int_eq(stepwatch("replay run.jsonl"), 1);
    assert_printed("run.jsonl:2: \"report\" has a row of phase ?, which is not known");
}
END_TEST

START_TEST(the_first_line_says_what_the_log_has)
{
    report_with("{\"type\":\"run\",\"version\":1,\"detail\":\"steps\"}\n", "fit", "", COUNTER);
    ck_assert_int_eq(stepwatch("report run.jsonl"), 0);
    assert_printed("CPU Time");
}
END_TEST

/* Infinity is not a number that a configuration may have. */
START_TEST(a_peak_that_is_not_finite_is_left_out)
{
    report_write("fit");
    scratch_patch("run.jsonl", "\"started\":0,\"mode\":\"simple\"",
                  "\"peak_flops\":\"Infinity\"    ");
    ck_assert_int_eq(stepwatch("report run.jsonl"), 0);
    assert_printed("CPU Time");
}
END_TEST

SUITE(results_log)
{
    tcase_add_test(tc, each_form_is_what_the_run_printed);
    tcase_add_test(tc, as_json_it_has_the_numbers_that_are_made_of_all_regions);
    tcase_add_test(tc, the_page_says_which_drawings_need_steps);
    tcase_add_test(tc, the_page_draws_durations_if_the_log_has_histograms);
    tcase_add_loop_test(tc, the_utilization_of_the_model_is_in_the_report_of_any_log, 0, 3);
    tcase_add_loop_test(tc, each_fit_has_its_report, 0, 2);
    tcase_add_test(tc, a_run_that_was_killed_has_no_report);
    tcase_add_loop_test(tc, what_needs_steps_says_so, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tc, what_reading_a_counter_cost_is_in_the_log);
    tcase_add_test(tc, a_phase_that_is_not_known_is_reported_with_its_line);
    tcase_add_loop_test(tc, a_log_whose_only_report_is_damaged_says_what_is_wrong_with_it, 0, 2);
    tcase_add_loop_test(tc, a_histogram_that_cannot_be_one_is_reported_with_its_line, 0,
                        sizeof histograms / sizeof *histograms);
    tcase_add_test(tc, a_histogram_may_have_the_first_bin_and_the_last);
    tcase_add_test(tc, a_report_takes_no_memory_for_counters_that_no_run_can_have);
    tcase_add_test(tc, the_first_line_says_what_the_log_has);
    tcase_add_test(tc, a_peak_that_is_not_finite_is_left_out);
}
