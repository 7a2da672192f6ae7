/* SPDX-License-Identifier: MIT */
/* stepwatch explain: the cases of tests/golden/advice, whose findings an independent program made
 * (text and next are ours), and logs that cannot be explained. */
#include "tests/support/golden.h"
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GOLDEN SRCDIR "/tests/golden/advice/"
#define GAIN_TOLERANCE 2e-6
#define TOLERANCE 1e-6

/* ---- the cases ------------------------------------------------------------------------------- */

/* Unpacks NAME.jsonl.gz into the scratch folder as NAME.jsonl. */
static void case_unpack(const char *name)
{
    char line[600];
    snprintf(line, sizeof line, "gzip -dc " GOLDEN "%s.jsonl.gz >%s.jsonl", name, name);
    ck_assert_int_eq(system(line), 0);
}

static json_t *explained(const char *arguments)
{
    char line[600];
    snprintf(line, sizeof line,
             BUILDDIR "/tests/tools/stepwatch explain --json %s >found.json 2>said.txt", arguments);
    ck_assert_int_eq(system(line), 0);
    json_error_t wrong;
    json_t *found = json_load_file("found.json", JSON_REJECT_DUPLICATES, &wrong);
    ck_assert_msg(found != NULL, "found.json:%d: %s", wrong.line, wrong.text);
    return found;
}

static bool is_text(const char *key)
{
    return strcmp(key, "text") == 0 || strcmp(key, "next") == 0 || strcmp(key, "why") == 0;
}

static bool is_close(const char *key, const json_t *a, const json_t *b)
{
    double x = json_number_value(a), y = json_number_value(b);
    if (!json_is_number(a))
        return json_equal(a, b);
    double most = strcmp(key, "gain") == 0 ? GAIN_TOLERANCE : TOLERANCE * fmax(fabs(x), fabs(y));
    return json_is_number(b) && fabs(x - y) <= most;
}

static void object_compare(const char *name, const json_t *expected, const json_t *found)
{
    const char *key, *id = json_string_value(json_object_get(expected, "id"));
    json_t *value;
    json_object_foreach((json_t *)expected, key, value)
    {
        const json_t *other = json_object_get(found, key);
        ck_assert_msg(other != NULL, "%s: %s has no %s", name, id, key);
        char *text = json_dumps(other, JSON_ENCODE_ANY);
        ck_assert_msg(is_text(key) || is_close(key, value, other), "%s: %s: %s is %s", name, id,
                      key, text);
        free(text);
    }
}

static void list_compare(const char *name, const char *what, const json_t *expected,
                         const json_t *found)
{
    size_t i;
    json_t *value;
    const json_t *a = json_object_get(expected, what), *b = json_object_get(found, what);
    ck_assert_msg(json_array_size(a) == json_array_size(b), "%s: %zu %s", name, json_array_size(b),
                  what);
    json_array_foreach(a, i, value) object_compare(name, value, json_array_get(b, i));
}

/* Rules that are newer than the reference may have looked, too. */
static void checks_compare(const char *name, const json_t *expected, const json_t *found)
{
    size_t i, known = 0;
    json_t *value;
    json_array_foreach(found, i, value)
    {
        const json_t *next = json_array_get(expected, known);
        if (json_equal(json_object_get(next, "id"), json_object_get(value, "id")))
            object_compare(name, json_array_get(expected, known++), value);
    }
    ck_assert_msg(known == json_array_size(expected), "%s: %zu checked of %zu", name, known,
                  json_array_size(expected));
}

static void case_compare(const char *name, const json_t *run)
{
    size_t i;
    json_t *fit, *expected = golden_json("advice/%s.json", name);
    const json_t *fits = json_object_get(expected, "fits"), *found = json_object_get(run, "fits");
    ck_assert_msg(json_array_size(fits) == json_array_size(found), "%s: %zu fits", name,
                  json_array_size(found));
    json_array_foreach(fits, i, fit)
    {
        list_compare(name, "findings", fit, json_array_get(found, i));
        checks_compare(name, json_object_get(fit, "checked"),
                       json_object_get(json_array_get(found, i), "checked"));
    }
    json_decref(expected);
}

START_TEST(every_case_has_the_findings_the_verdicts_and_the_numbers_of_the_reference)
{
    glob_t cases;
    char name[200];
    run_record("steps"); /* the scratch folder is there now */
    ck_assert_int_eq(glob(GOLDEN "*.json", 0, NULL, &cases), 0);
    for (size_t i = 0; i < cases.gl_pathc; i++) {
        snprintf(name, sizeof name, "%s", cases.gl_pathv[i] + sizeof GOLDEN - 1);
        *strrchr(name, '.') = '\0';
        case_unpack(name);
    }
    remove("run.jsonl");
    json_t *all = explained("*.jsonl");
    json_t *runs = json_object_get(all, "runs");
    ck_assert_uint_eq(json_array_size(runs), cases.gl_pathc);
    ck_assert_uint_gt(cases.gl_pathc, 50);
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const char *path = json_string_value(json_object_get(json_object_get(run, "log"), "path"));
        snprintf(name, sizeof name, "%.*s", (int)(strlen(path) - sizeof "jsonl"), path);
        case_compare(name, run);
    }
    json_decref(all);
    globfree(&cases);
}
END_TEST

/* ---- what people read ------------------------------------------------------------------------ */

static void finding_print(const char *name)
{
    char line[200];
    run_record("steps");
    case_unpack(name);
    snprintf(line, sizeof line, "explain %s.jsonl", name);
    ck_assert_int_eq(stepwatch(line), 0);
}

START_TEST(a_finding_has_its_effect_its_evidence_its_formula_and_what_to_try)
{
    finding_print("edge-gpu");
    assert_printed("medium  input-bound\n"
                   "        Training waits for data: draw takes 29 % of a step. If draw took no "
                   "time, the loop would do\n"
                   "        13,531 samples/s instead of 9,623 (+41 %). The program uses a GPU: if "
                   "draw waits for the\n"
                   "        GPU, this time is not loading.\n");
    assert_printed("Evidence: share 28.9 %, low 26.8 %, high 30.9 %, share typical 28.0 %\n");
    assert_printed("Found by: sum of draw / sum of draw + batch: ");
    assert_printed("Try: Load and prepare data ahead");
    assert_printed("        two-kinds         abstained  something else explains it\n");
    assert_printed("Nothing else stands out.\n");
}
END_TEST

START_TEST(a_healthy_run_has_no_finding_and_says_what_was_looked_at)
{
    finding_print("healthy-1");
    assert_printed("\nAlso looked at:\n        drift ");
    assert_printed("Nothing stands out.\n");
    assert_not_printed("Try: ");
}
END_TEST

START_TEST(fail_on_is_the_level_from_which_on_the_status_is_1)
{
    finding_print("edge-gpu"); /* medium */
    ck_assert_int_eq(stepwatch("explain edge-gpu.jsonl --fail-on high"), 0);
    ck_assert_int_eq(stepwatch("explain edge-gpu.jsonl --fail-on medium"), 1);
    ck_assert_int_eq(stepwatch("explain edge-gpu.jsonl --fail-on note"), 1);
    finding_print("healthy-1");
    ck_assert_int_eq(stepwatch("explain healthy-1.jsonl --fail-on note"), 0);
}
END_TEST

/* ---- other logs ------------------------------------------------------------------------------ */

/* A loop that waits for its data, with or without its regions one by one. */
/* Waits so long that the cost of stepwatch itself is never a finding, even with a sanitizer. */
static void waiting_record(const char *detail)
{
    struct host *host = host_open_log(detail, "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 60; i++) {
        sw_begin(sw, SW_DRAW);
        host_wait(host, 300000000 + 100000 * (i * 7 % 11));
        sw_end(sw, SW_DRAW);
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        host_wait(host, 600000000 + 100000 * (i * 5 % 13));
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 64);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
}

static char *findings_of(const char *path)
{
    json_t *all = explained(path);
    json_t *fit =
        json_array_get(json_object_get(json_array_get(json_object_get(all, "runs"), 0), "fits"), 0);
    char *text = json_dumps(json_object_get(fit, "findings"), JSON_REAL_PRECISION(9));
    json_decref(all);
    return text;
}

START_TEST(a_log_of_regions_has_the_findings_of_a_log_of_steps)
{
    waiting_record("steps");
    char *steps = findings_of("run.jsonl");
    ck_assert_msg(strstr(steps, "\"id\": \"input-bound\"") != NULL, "found %s", steps);
    waiting_record("regions");
    char *regions = findings_of("run.jsonl");
    ck_assert_str_eq(regions, steps);
    free(steps);
    free(regions);
}
END_TEST

START_TEST(the_straggler_of_the_report_of_all_ranks_is_a_finding)
{
    waiting_record("steps");
    FILE *file = fopen("run.jsonl", "a");
    ck_assert_ptr_nonnull(file);
    fputs("{\"type\":\"ranks\",\"t\":1,\"fit\":1,\"complete\":true,\"straggler\":{\"verdict\":"
          "\"rank\",\"rank\":3,\"phase\":\"backward\",\"late_ns\":2e6,\"gain\":0.2,\"confidence\":"
          "0.99,\"sentence\":\"rank 3: backward takes 2.000 ms more a step\"},\"rows\":[]}\n",
          file);
    fclose(file);
    ck_assert_int_eq(stepwatch("explain run.jsonl"), 0);
    assert_printed("high    straggler\n        rank 3: backward takes 2.000 ms more a step\n");
    assert_printed("rank 3, action backward, late 2.000 ms, share 20.0 %");
}
END_TEST

START_TEST(what_stepwatch_took_is_unknown_if_the_report_does_not_say_it)
{
    waiting_record("steps");
    FILE *file = fopen("run.jsonl", "a");
    ck_assert_ptr_nonnull(file);
    fputs("{\"type\":\"report\",\"t\":1,\"fit\":1,\"fit_ns\":1000}\n", file);
    fclose(file);
    ck_assert_int_eq(stepwatch("explain run.jsonl"), 0);
    assert_printed("overhead          abstained  the log does not say what stepwatch took\n");
}
END_TEST

/* ---- what is not the program's doing --------------------------------------------------------- */

/* A log of `steps` steps of 1 ms, some of which take `slow` ms, with a report. */
static const char *verdicts(int steps, int slow, const char *report)
{
    scratch_enter();
    FILE *file = fopen("run.jsonl", "w");
    ck_assert_ptr_nonnull(file);
    fputs(
        "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"throughput\",\"detail\":"
        "\"steps\",\"drop_first_batch\":false}\n{\"type\":\"begin\",\"t\":0,\"action\":\"fit\"}\n",
        file);
    long t = 0;
    for (int i = 0; i < steps; i++) {
        long batch = (i * i % 10 < 5 && i * i % 7 < 3 ? slow : 1) * 1000000L + i * 7 % 11 * 1000;
        t += batch;
        fprintf(file,
                "{\"type\":\"step\",\"t\":%ld,\"step\":%d,\"phase\":\"train\",\"samples\":8,"
                "\"durations\":{\"batch\":%ld}}\n",
                t, i, batch);
    }
    fprintf(file,
            "{\"type\":\"end\",\"t\":%ld,\"action\":\"fit\"}\n"
            "{\"type\":\"report\",\"t\":%ld,\"fit\":1,\"mode\":\"throughput\",%s}\n",
            t, t, report);
    fclose(file);
    ck_assert_int_eq(stepwatch("explain run.jsonl"), 0);
    return command_output();
}

START_TEST(two_kinds_of_steps_are_interrupted_if_the_loop_waited_for_a_processor)
{
    verdicts(300, 2, "\"fit_ns\":5e8,\"other_ns\":0,\"own_ns\":1000");
    assert_printed("two-kinds\n");
    verdicts(300, 2, "\"fit_ns\":5e8,\"other_ns\":0,\"own_ns\":1000,\"waited_ns\":15000000");
    assert_printed("two-kinds\n");
    verdicts(300, 2, "\"fit_ns\":5e8,\"other_ns\":0,\"own_ns\":1000,\"waited_ns\":180000000");
    assert_printed("interrupted\n");
    assert_printed("105 of 299 steps took about 2.00 ms instead of 1.01 ms. In this fit, the loop");
    assert_printed("waited 180 ms for a processor.");
    assert_not_printed("two-kinds\n");
}
END_TEST

START_TEST(what_stepwatch_took_is_not_unmeasured_time_of_the_program)
{
    verdicts(100, 1, "\"fit_ns\":1e9,\"other_ns\":9e8,\"own_ns\":1e7");
    assert_printed("unmeasured\n");
    verdicts(100, 1, "\"fit_ns\":1e9,\"other_ns\":9e8,\"own_ns\":6e8");
    assert_not_printed("unmeasured\n");
    assert_printed(
        "unmeasured        abstained  stepwatch itself takes most of it: see overhead\n");
}
END_TEST

START_TEST(overhead_is_at_most_all_of_the_run_and_its_advice_fits_the_mode)
{
    verdicts(100, 1, "\"fit_ns\":1e8,\"other_ns\":0,\"own_ns\":3e8");
    assert_printed("stepwatch itself takes 100 % of the run.\n");
    assert_not_printed("mode: throughput");
    verdicts(100, 1, "\"fit_ns\":1e8,\"other_ns\":0,\"own_ns\":3e7");
    assert_printed("stepwatch itself takes 30 % of the run. Without it, the run would do ");
    assert_not_printed("mode: throughput");
}
END_TEST

START_TEST(what_cannot_be_explained_is_an_error_that_says_why)
{
    run_record("metrics");
    ck_assert_int_eq(stepwatch("explain run.jsonl"), 1);
    assert_printed("stepwatch explain: run.jsonl: contains only results, and findings need the "
                   "steps: record it with detail: steps or regions\n");
    ck_assert_int_eq(stepwatch("explain missing.jsonl"), 1);
    assert_printed("missing.jsonl: cannot be read: No such file or directory\n");
    file_write("other.jsonl", "{\"type\":\"step\"}\n");
    ck_assert_int_eq(stepwatch("explain other.jsonl"), 1);
    assert_printed("other.jsonl:1: a run log must begin with a line of type \"run\"\n");
    file_write("text.jsonl", "hello\n");
    ck_assert_int_eq(stepwatch("explain text.jsonl"), 1);
    assert_printed("text.jsonl:1: ");
    ck_assert_int_eq(stepwatch("explain"), 2);
    assert_printed("stepwatch explain: expected at least one RUN.jsonl\n");
    ck_assert_int_eq(stepwatch("explain run.jsonl --fail-on low"), 2);
    assert_printed("--fail-on low is not one of high, medium, note\n");
}
END_TEST

START_TEST(one_step_is_one_step)
{
    FILE *file = fopen("one.jsonl", "w");
    ck_assert_ptr_nonnull(file);
    fputs("{\"type\":\"run\",\"version\":1,\"name\":\"x\",\"detail\":\"steps\",\"t\":0}\n"
          "{\"type\":\"step\",\"t\":100,\"step\":0,\"phase\":\"train\",\"samples\":8,"
          "\"durations\":{\"draw\":9,\"batch\":90}}\n",
          file);
    fclose(file);
    ck_assert_int_eq(stepwatch("explain one.jsonl"), 0);
    assert_printed("one.jsonl: fit 1, 1 step of training");
    remove("one.jsonl");
}
END_TEST

/* As of <(zcat run.jsonl.gz) in a shell. */
START_TEST(what_reads_a_log_twice_refuses_a_pipe)
{
    static const char *const commands[] = {"explain pipe", "export pipe",
                                           "report --style tree pipe"};
    run_record("regions");
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    ck_assert_int_eq(system("cat run.jsonl >pipe &"), 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        ck_assert_int_eq(stepwatch(commands[i]), 1);
        assert_printed("pipe: a log ");
        assert_printed(" is read twice: name a file, not a pipe\n");
    }
}
END_TEST

START_TEST(an_empty_log_has_no_fits)
{
    run_record("steps");
    file_write("empty.jsonl", "");
    ck_assert_int_eq(stepwatch("explain empty.jsonl"), 0);
    assert_printed("empty.jsonl: contains no steps of training: nothing to explain\n");
    ck_assert_int_eq(stepwatch("explain empty.jsonl run.jsonl --fail-on high"), 1);
    assert_printed("empty.jsonl: contains no steps of training: nothing to explain\n");
    ck_assert_int_eq(stepwatch("explain run.jsonl --fail-on high"), 0);
}
END_TEST

SUITE(explain)
{
    tcase_add_test(tc, every_case_has_the_findings_the_verdicts_and_the_numbers_of_the_reference);
    tcase_add_test(tc, a_finding_has_its_effect_its_evidence_its_formula_and_what_to_try);
    tcase_add_test(tc, a_healthy_run_has_no_finding_and_says_what_was_looked_at);
    tcase_add_test(tc, fail_on_is_the_level_from_which_on_the_status_is_1);
    tcase_add_test(tc, a_log_of_regions_has_the_findings_of_a_log_of_steps);
    tcase_add_test(tc, the_straggler_of_the_report_of_all_ranks_is_a_finding);
    tcase_add_test(tc, what_stepwatch_took_is_unknown_if_the_report_does_not_say_it);
    tcase_add_test(tc, two_kinds_of_steps_are_interrupted_if_the_loop_waited_for_a_processor);
    tcase_add_test(tc, what_stepwatch_took_is_not_unmeasured_time_of_the_program);
    tcase_add_test(tc, overhead_is_at_most_all_of_the_run_and_its_advice_fits_the_mode);
    tcase_add_test(tc, what_cannot_be_explained_is_an_error_that_says_why);
    tcase_add_test(tc, one_step_is_one_step);
    tcase_add_test(tc, what_reads_a_log_twice_refuses_a_pipe);
    tcase_add_test(tc, an_empty_log_has_no_fits);
}
