/* SPDX-License-Identifier: MIT */
/* stepwatch compare, on run logs whose truth is known. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a run is made. Durations are microseconds. */
struct made {
    uint32_t seed;
    int forward; /* mean */
    int first;   /* more, in the first step */
    int augment; /* each so many steps; 0: never */
    int samples;
    int steps;
    const char *host;
};
static const struct made usual = {
    .seed = 1, .forward = 1000, .samples = 64, .steps = 600, .host = "box"};

/* mean, give or take a tenth; slow and fast stretches in turn, as on a real machine. */
static int around(uint32_t *state, int mean, int step)
{
    double sum = -2;
    for (int i = 0; i < 4; i++) {
        *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
        sum += (*state >> 8) / 16777216.0;
    }
    return (int)(1000 * mean * (1 + 0.1 * sum + (step / 8 % 2 ? 0.02 : -0.02)));
}

static void write_step(FILE *file, const struct made *made, int i, uint32_t *state, long *t)
{
    int draw = around(state, 200, i), forward = around(state, made->forward, i);
    int loss = around(state, 100, i), augment = 0;
    forward += i == 0 ? 1000 * made->first : 0;
    if (made->augment && i % made->augment == 0)
        augment = around(state, 500, i);
    *t += draw + forward + loss + augment;
    fprintf(file,
            "{\"type\":\"step\",\"t\":%ld,\"step\":%d,\"phase\":\"train\",\"samples\":%d,"
            "\"durations\":{\"draw\":%d,\"forward\":%d,\"loss\":%d,",
            *t, i, made->samples, draw, forward, loss);
    if (augment)
        fprintf(file, "\"augment\":[%d,%d],", augment / 2, augment - augment / 2);
    fprintf(file, "\"batch\":%d}}\n", forward + loss + augment);
}

static void write_run(const char *path, struct made made)
{
    FILE *file = fopen(path, "w");
    uint32_t state = made.seed;
    long t = 0;
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "{\"type\":\"run\",\"version\":1,\"started\":0,\"host\":\"%s\",\"mode\":\"simple\","
            "\"drop_first_batch\":true,\"detail\":\"steps\"}\n",
            made.host);
    for (int i = 0; i < made.steps; i++)
        write_step(file, &made, i, &state, &t);
    fprintf(file, "{\"type\":\"finish\",\"t\":%ld}\n", t);
    fclose(file);
}

/* Into the scratch folder: the usual run a.jsonl, and b.jsonl. */
static void write_runs(struct made b)
{
    run_record("steps");
    write_run("a.jsonl", usual);
    write_run("b.jsonl", b);
}

/* b.jsonl of another seed, and with another mean of forward. */
static void write_forward(int mean)
{
    struct made b = usual;
    b.seed = 2;
    b.forward = mean;
    write_runs(b);
}

/* compare --json of them, and the value of a row's field. */
static json_t *compared(const char *options)
{
    char line[256];
    json_error_t wrong;
    snprintf(line, sizeof line, "compare a.jsonl b.jsonl --json %s", options);
    stepwatch(line);
    json_t *whole = json_loads(command_output(), 0, &wrong);
    ck_assert_msg(whole != NULL, "%s in:\n%s", wrong.text, command_output());
    return whole;
}

static const json_t *field(const json_t *whole, const char *action, const char *key)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(whole, "rows"), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "action")), action) == 0)
            return json_object_get(row, key);
    }
    ck_abort_msg("there is no row %s in:\n%s", action, command_output());
}

static void verdict_is(const json_t *whole, const char *action, const char *verdict)
{
    const char *found = json_string_value(field(whole, action, "verdict"));
    ck_assert_msg(strcmp(found, verdict) == 0, "%s is %s, expected %s:\n%s", action, found, verdict,
                  command_output());
}

/* 20 runs of the same kind: none is better or worse. */
START_TEST(the_same_distribution_is_noise)
{
    struct made b = usual;
    b.seed = (uint32_t)_i + 2;
    write_runs(b);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 0%"), 0);
    assert_printed("train / step ");
    assert_printed("noise\n");
    assert_not_printed("worse");
    assert_not_printed("better");
}
END_TEST

START_TEST(ten_percent_more_is_worse)
{
    write_forward(1100);
    json_t *whole = compared("");
    verdict_is(whole, "forward", "worse");
    verdict_is(whole, "batch", "worse");
    verdict_is(whole, "step", "worse");
    verdict_is(whole, "loss", "noise");
    verdict_is(whole, "draw", "noise");
    ck_assert_double_eq_tol(json_number_value(field(whole, "forward", "difference")), 0.1, 0.02);
    ck_assert_double_le(json_number_value(field(whole, "forward", "low")), 0.1);
    ck_assert_double_ge(json_number_value(field(whole, "forward", "high")), 0.1);
    json_decref(whole);
}
END_TEST

START_TEST(ten_percent_less_is_better_and_fails_nothing)
{
    write_forward(900);
    json_t *whole = compared("");
    verdict_is(whole, "forward", "better");
    verdict_is(whole, "step", "better");
    json_decref(whole);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 0%"), 0);
}
END_TEST

START_TEST(the_exit_status_is_1_only_beyond_the_bound)
{
    write_forward(1100);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl"), 0);
    assert_printed("worse\n");
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 5%"), 1);
    assert_printed("worse, over the bound");
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over=20%"), 0);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 5% --action loss"), 0);
    assert_not_printed("forward");
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 5% --action train/step"), 1);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --action valid/step"), 2);
    assert_printed("--action valid/step: no action in the steps of either run has that name");
}
END_TEST

/* Beside one that is there: left out in silence, it would guard nothing. */
START_TEST(an_action_that_is_misspelt_is_reported)
{
    write_runs(usual);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --action step --action forwrad"), 2);
    assert_printed(
        "--action forwrad: no action in the steps of either run has that name; a.jsonl has "
        "train/step, train/draw, ");
    assert_not_printed("noise");
}
END_TEST

START_TEST(from_tenfold_on_the_difference_is_a_factor)
{
    write_forward(_i ? 20000 : 5000);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --action forward"), 0);
    assert_printed(_i ? "  × 20." : "  +40");
    (_i ? assert_not_printed : assert_printed)(" %  worse\n");
}
END_TEST

START_TEST(a_run_is_as_fast_as_itself)
{
    write_runs(usual);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 0%"), 0);
    assert_printed("+0.0 %");
    assert_not_printed("worse");
}
END_TEST

START_TEST(an_action_costs_what_it_costs_per_step)
{
    struct made a = usual, b = usual;
    a.augment = 10;
    b.augment = 5;
    write_runs(b);
    write_run("a.jsonl", a);
    json_t *whole = compared("");
    /* As long each time, twice as often. */
    ck_assert_double_eq_tol(json_number_value(field(whole, "augment", "difference")), 1, 0.1);
    verdict_is(whole, "augment", "worse");
    ck_assert_double_eq_tol(json_number_value(field(whole, "augment", "a_ns")), 50000, 5000);
    json_decref(whole);
}
END_TEST

START_TEST(the_first_step_is_left_out_as_in_the_report)
{
    struct made b = usual;
    b.first = 1000000;
    write_runs(b);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 0%"), 0);
    assert_not_printed("worse");
    assert_printed("599 steps of training");
}
END_TEST

START_TEST(what_only_one_has_is_reported)
{
    struct made b = usual;
    b.augment = 3;
    write_runs(b);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl"), 0);
    assert_printed("only in B: train / augment");
    json_t *whole = compared("");
    ck_assert_int_eq(json_array_size(json_object_get(whole, "only_in_a")), 0);
    ck_assert_int_eq(json_array_size(json_object_get(whole, "only_in_b")), 1);
    json_decref(whole);
}
END_TEST

START_TEST(unlike_steps_and_hosts_are_reported)
{
    struct made b = usual;
    b.samples = 32;
    b.host = "other";
    write_runs(b);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl"), 0);
    assert_printed("A has 64 samples a step and B has 32");
    assert_printed("ran on different hosts");
}
END_TEST

START_TEST(few_steps_give_no_verdict)
{
    struct made b = usual;
    b.steps = 2;
    b.forward = 5000;
    write_runs(b);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 0%"), 0);
    assert_printed("unknown  noise");
}
END_TEST

START_TEST(every_region_gives_the_same_as_every_step)
{
    run_record("regions");
    ck_assert_int_eq(stepwatch("compare run.jsonl run.jsonl"), 0);
    assert_printed("100.0 ms");
    assert_printed("train / draw ");
    assert_printed("19 steps of training, 0 of validation");
}
END_TEST

START_TEST(what_cannot_be_compared_is_2)
{
    write_runs(usual);
    ck_assert_int_eq(stepwatch("compare a.jsonl"), 2);
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over 5"), 2);
    assert_printed("expected a percentage, like 5%");
    ck_assert_int_eq(stepwatch("compare a.jsonl b.jsonl --fail-over -5%"), 2);
    ck_assert_int_eq(stepwatch("compare a.jsonl nowhere.jsonl"), 2);
    assert_printed("nowhere.jsonl: cannot be read");
    file_write("bad.jsonl", "{\"type\":\"run\",\"version\":1,\"started\":0}\n{\"type\":\n{}\n");
    ck_assert_int_eq(stepwatch("compare a.jsonl bad.jsonl"), 2);
    assert_printed("bad.jsonl:2: ");
    file_write("none.jsonl", "{\"type\":\"run\",\"version\":1,\"started\":0}\n");
    ck_assert_int_eq(stepwatch("compare none.jsonl a.jsonl"), 2);
    assert_printed("none.jsonl: contains no steps to compare: none ended");
}
END_TEST

START_TEST(a_cut_log_is_compared_as_far_as_it_goes)
{
    write_runs(usual);
    char *text = strdup(host_file("b.jsonl"));
    text[strlen(text) / 2] = '\0';
    file_write("cut.jsonl", text);
    free(text);
    ck_assert_int_eq(stepwatch("compare a.jsonl cut.jsonl"), 0);
    assert_printed("cut.jsonl: the run did not finish; its log ends within line ");
    assert_printed("train / forward ");
}
END_TEST

/* Two epochs of 10 steps of training and 3 of validation, of which every fifth draws twice, and a
 * report of what there was. left_out: a step of training that the log lacks; -1: none. */
static void write_epochs(const char *path, int left_out)
{
    FILE *file = fopen(path, "w");
    long t = 0;
    ck_assert_ptr_nonnull(file);
    fputs("{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\","
          "\"drop_first_batch\":true,\"detail\":\"steps\"}\n"
          "{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n",
          file);
    for (int i = 0; i < 26; i++) {
        bool valid = i % 13 >= 10;
        if (i % 13 == 0 || i % 13 == 10)
            fprintf(file, "{\"type\":\"begin\",\"t\":%ld,\"action\":\"%s\"}\n", t,
                    valid ? "valid" : "train");
        t += 1000;
        if (i != left_out)
            fprintf(file,
                    "{\"type\":\"step\",\"t\":%ld,\"step\":%d,\"phase\":\"%s\",\"samples\":4,"
                    "\"durations\":{\"draw\":%s,\"forward\":%d,\"batch\":800}}\n",
                    t, i, valid ? "valid" : "train", i % 5 ? "200" : "[100,100]", 600 + i);
        if (i % 13 == 9 || i % 13 == 12)
            fprintf(file, "{\"type\":\"end\",\"t\":%ld,\"action\":\"%s\"}\n", t,
                    valid ? "valid" : "train");
    }
    fprintf(file,
            "{\"type\":\"report\",\"t\":%ld,\"fit\":1,\"by\":\"profiler\",\"steps\":26,\"rows\":["
            "{\"phase\":\"train\",\"action\":\"draw\",\"calls\":22},"
            "{\"phase\":\"train\",\"action\":\"batch\",\"calls\":19},"
            "{\"phase\":\"train\",\"action\":\"forward\",\"calls\":19},"
            "{\"phase\":\"valid\",\"action\":\"draw\",\"calls\":6},"
            "{\"phase\":\"valid\",\"action\":\"forward\",\"calls\":5}]}\n"
            "{\"type\":\"end\",\"t\":%ld,\"action\":\"fit\"}\n{\"type\":\"finish\",\"t\":%ld}\n",
            t, t, t);
    fclose(file);
}

/* Steps that are alike are counted as one, but each of them counts. */
START_TEST(every_call_that_the_log_lacks_is_missed)
{
    scratch_enter();
    write_epochs("all.jsonl", -1);
    write_epochs("less.jsonl", 15);
    ck_assert_int_eq(stepwatch("compare all.jsonl all.jsonl"), 0);
    assert_printed("all.jsonl, 19 steps of training, 5 of validation\n");
    assert_not_printed("lacks");
    assert_not_printed("more calls than the log");
    ck_assert_int_eq(stepwatch("compare all.jsonl less.jsonl"), 0);
    assert_printed("less.jsonl: the log lacks 1 of the 26 steps of the run's own report\n");
    assert_printed("less.jsonl: the run's own report has more calls than the log in 3 rows, the "
                   "first of them train / draw: 22 instead of 20\n");
    assert_printed("less.jsonl, 18 steps of training, 5 of validation\n");
}
END_TEST

/* Mode throughput measures own actions, but not what stepwatch knows of a batch. */
START_TEST(actions_that_the_mode_leaves_out_are_not_compared)
{
    scratch_enter();
    write_epochs("all.jsonl", -1);
    ck_assert_int_eq(stepwatch("compare all.jsonl all.jsonl"), 0);
    assert_printed("train / forward ");
    ck_assert_int_eq(system("sed -i s/simple/throughput/ all.jsonl"), 0);
    ck_assert_int_eq(stepwatch("compare all.jsonl all.jsonl"), 0);
    assert_printed("train / batch ");
    assert_not_printed("train / forward ");
}
END_TEST

START_TEST(a_name_does_not_reach_the_terminal_as_it_is)
{
    static const char text[] =
        "{\"type\":\"run\",\"version\":1,\"started\":0,\"drop_first_batch\":false}\n"
        "{\"type\":\"step\",\"t\":100,\"phase\":\"train\",\"samples\":1,"
        "\"durations\":{\"\\u001b[2J\\u202e\":10,\"batch\":50}}\n"
        "{\"type\":\"finish\",\"t\":100}\n";
    run_record("steps");
    file_write("names.jsonl", text);
    ck_assert_int_eq(stepwatch("compare names.jsonl names.jsonl"), 0);
    assert_printed("train / \\x1b[2J\\u{202e} ");
    ck_assert_ptr_null(strchr(command_output(), '\033'));
}
END_TEST

/* ---- what changed by findings ---------------------------------------------------------------- */

/* Unpacks two cases of tests/golden/advice and compares them. */
static void cases_compare(const char *a, const char *b, const char *options)
{
    const char *const name[] = {a, b};
    char line[600];
    run_record("steps"); /* the scratch folder is there now */
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "gzip -dc " SRCDIR "/tests/golden/advice/%s.jsonl.gz >%c.jsonl",
                 name[i], 'a' + i);
        ck_assert_int_eq(system(line), 0);
    }
    snprintf(line, sizeof line, "compare a.jsonl b.jsonl %s", options);
    ck_assert_int_eq(stepwatch(line), 0);
}

START_TEST(a_finding_that_appeared_is_told_with_its_effect_and_what_was_there_before)
{
    cases_compare("healthy-1", "input-bound-0.3-1", "");
    assert_printed(
        "\nWhat changed:\n"
        "appeared  input-bound: B would be 41 % faster without it\n"
        "        Training waits for data: draw takes 29 % of a step. If draw took no time, "
        "the loop would do\n"
        "        13,531 samples/s instead of 9,623 (+41 %).\n"
        "        In A: draw takes 4.1 % of a step\n"
        "        Try: Load and prepare data ahead");
}
END_TEST

START_TEST(a_finding_that_went_is_told_with_what_is_there_instead)
{
    cases_compare("periodic-0.2-1", "healthy-1", "");
    assert_printed("\nWhat changed:\n"
                   "went      periodic: A would be 24 % faster without it\n"
                   "        In A: Every 22nd step takes 149 ms longer, in opt_step: 19 % of the "
                   "training time. Without\n"
                   "        that, the loop would do 2,397 samples/s instead of 1,939 (+24 %).\n"
                   "        In B: 4 slow batches cost 1.6 %\n");
    assert_not_printed("Try:");
}
END_TEST

START_TEST(a_finding_that_grew_or_shrank_is_told_with_both_effects)
{
    cases_compare("drift-0.2-1", "drift-0.4-1", "");
    assert_printed("\ngrew      drift: A would be 11 % faster without it, B 16 %\n");
    cases_compare("drift-0.4-1", "drift-0.2-1", "");
    assert_printed("\nshrank    drift: A would be 16 % faster without it, B 11 %\n");
}
END_TEST

START_TEST(findings_of_a_log_from_standard_input_are_compared)
{
    cases_compare("drift-0.2-1", "drift-0.4-1", "");
    ck_assert_int_eq(stepwatch("compare - b.jsonl <a.jsonl"), 0);
    assert_printed("\ngrew      drift: A would be 11 % faster without it, B 16 %\n");
}
END_TEST

START_TEST(a_finding_that_stayed_is_told_only_in_the_json)
{
    cases_compare("drift-0.4-1", "drift-0.4-1", "");
    assert_not_printed("What changed");
    cases_compare("drift-0.4-1", "drift-0.4-1", "--json");
    assert_printed("\"change\": \"stayed\"");
}
END_TEST

START_TEST(the_json_has_the_findings_of_both_or_the_verdict_that_there_is_none)
{
    cases_compare("healthy-1", "input-bound-0.3-1", "--json");
    json_t *whole = json_loads(command_output(), 0, NULL);
    const json_t *list = json_object_get(whole, "findings"), *change = json_array_get(list, 0);
    ck_assert_uint_eq(json_array_size(list), 1);
    ck_assert_str_eq(json_string_value(json_object_get(change, "change")), "appeared");
    const json_t *a = json_object_get(change, "a"), *b = json_object_get(change, "b");
    ck_assert_str_eq(json_string_value(json_object_get(a, "verdict")), "none");
    ck_assert_str_eq(json_string_value(json_object_get(a, "why")), "draw takes 4.1 % of a step");
    ck_assert_str_eq(json_string_value(json_object_get(b, "level")), "high");
    ck_assert_double_eq_tol(json_number_value(json_object_get(b, "gain")), 0.406077, 2e-3);
    json_decref(whole);
}
END_TEST

SUITE(compare)
{
    tcase_add_test(tc, a_finding_that_appeared_is_told_with_its_effect_and_what_was_there_before);
    tcase_add_test(tc, a_finding_that_went_is_told_with_what_is_there_instead);
    tcase_add_test(tc, a_finding_that_grew_or_shrank_is_told_with_both_effects);
    tcase_add_test(tc, a_finding_that_stayed_is_told_only_in_the_json);
    tcase_add_test(tc, findings_of_a_log_from_standard_input_are_compared);
    tcase_add_test(tc, the_json_has_the_findings_of_both_or_the_verdict_that_there_is_none);
    tcase_add_loop_test(tc, the_same_distribution_is_noise, 0, 20);
    tcase_add_test(tc, ten_percent_more_is_worse);
    tcase_add_test(tc, ten_percent_less_is_better_and_fails_nothing);
    tcase_add_test(tc, the_exit_status_is_1_only_beyond_the_bound);
    tcase_add_test(tc, an_action_that_is_misspelt_is_reported);
    tcase_add_loop_test(tc, from_tenfold_on_the_difference_is_a_factor, 0, 2);
    tcase_add_test(tc, a_run_is_as_fast_as_itself);
    tcase_add_test(tc, an_action_costs_what_it_costs_per_step);
    tcase_add_test(tc, the_first_step_is_left_out_as_in_the_report);
    tcase_add_test(tc, what_only_one_has_is_reported);
    tcase_add_test(tc, unlike_steps_and_hosts_are_reported);
    tcase_add_test(tc, few_steps_give_no_verdict);
    tcase_add_test(tc, every_region_gives_the_same_as_every_step);
    tcase_add_test(tc, what_cannot_be_compared_is_2);
    tcase_add_test(tc, a_cut_log_is_compared_as_far_as_it_goes);
    tcase_add_test(tc, every_call_that_the_log_lacks_is_missed);
    tcase_add_test(tc, actions_that_the_mode_leaves_out_are_not_compared);
    tcase_add_test(tc, a_name_does_not_reach_the_terminal_as_it_is);
}
