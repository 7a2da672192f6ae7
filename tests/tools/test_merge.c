/* SPDX-License-Identifier: MIT */
/* test_merge.c - one answer from the run logs of all ranks: tests/golden/ranks. */
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void enter(void)
{
    char folder[] = "/tmp/stepwatch-check-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void leave(void)
{
    char line[512];
    char *here = getcwd(NULL, 0);
    snprintf(line, sizeof line, "rm -rf '%s'", here);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(system(line), 0);
    free(here);
}

static json_t *load(const char *path)
{
    json_error_t err;
    json_t *json = json_load_file(path, 0, &err);
    ck_assert_msg(json != NULL, "%s: %s", path, err.text);
    return json;
}

static json_t *merge(const char *arguments)
{
    char line[1024];
    json_error_t err;
    snprintf(line, sizeof line, "merge %s --json", arguments);
    ck_assert_int_eq(stepwatch(line), 0);
    json_t *json = json_loads(command_output(), 0, &err);
    ck_assert_msg(json != NULL, "%s:\n%s", err.text, command_output());
    return json;
}

/* Whether everything that is expected is there; numbers within 1e-9 of their size. */
static void same(const json_t *expected, const json_t *found, const char *where)
{
    char at[512];
    const char *key;
    json_t *value;
    size_t index;
    ck_assert_msg(found != NULL, "%s is missing", where);
    if (json_is_object(expected)) {
        json_object_foreach((json_t *)expected, key, value)
        {
            snprintf(at, sizeof at, "%.400s.%.80s", where, key);
            same(value, json_object_get(found, key), at);
        }
    } else if (json_is_array(expected)) {
        ck_assert_msg(json_array_size(expected) == json_array_size(found), "%s: other size", where);
        json_array_foreach(expected, index, value)
        {
            snprintf(at, sizeof at, "%.400s[%zu]", where, index);
            same(value, json_array_get(found, index), at);
        }
    } else if (json_is_number(expected)) {
        double a = json_number_value(expected), b = json_number_value(found);
        ck_assert_msg(fabs(a - b) <= fmax(1e-12, 1e-9 * fabs(a)), "%s is %.17g, expected %.17g",
                      where, b, a);
    } else {
        ck_assert_msg(json_equal(expected, found), "%s differs", where);
    }
}

START_TEST(five_logs_of_six_ranks_are_merged_as_expected)
{
    json_t *expected = load(SRCDIR "/tests/golden/ranks/merge/expected.json");
    json_t *found = merge(SRCDIR "/tests/golden/ranks/merge");
    same(expected, found, "merge");
    json_decref(expected);
    json_decref(found);
}
END_TEST

START_TEST(the_order_of_the_logs_does_not_matter)
{
#define LOG(n) SRCDIR "/tests/golden/ranks/merge/RUN." #n ".jsonl "
    json_t *one = merge(LOG(0) LOG(1) LOG(2) LOG(3) LOG(5));
    json_t *other = merge(LOG(5) LOG(3) LOG(0) LOG(2) LOG(1));
    ck_assert(json_equal(one, other));
    json_decref(one);
    json_decref(other);
}
END_TEST

START_TEST(the_table_names_the_culprit_and_who_is_missing)
{
    ck_assert_int_eq(stepwatch("merge " SRCDIR "/tests/golden/ranks/merge"), 0);
    printed("88.12 ms@3");
    printed("Perfect balance would save 15.8 %");
    printed("rank 3 (node n001): backward takes ");
    printed(" more a step than the median; everybody waits for it in allreduce; without it: +");
    printed("Rank 4 of 6: no log");
    printed("Rank 2 did not finish: the last line of the log is not whole");
    ck_assert_int_eq(stepwatch("merge --strict " SRCDIR "/tests/golden/ranks/merge"), 1);
    ck_assert_int_eq(stepwatch("merge --format markdown " SRCDIR "/tests/golden/ranks/merge"), 0);
    printed("| train | allreduce ");
    ck_assert_int_eq(stepwatch("merge --format csv " SRCDIR "/tests/golden/ranks/merge"), 0);
    printed("\ntrain,allreduce,5,55,88120000,3,280036600,332200000,2,");
}
END_TEST

/* ---- who keeps the others waiting --------------------------------------------------------------
 */

static void step_write(FILE *file, const json_t *durations, size_t rank, size_t step)
{
    const char *action;
    json_t *value;
    long long batch = 0;
    fprintf(file,
            "{\"type\":\"step\",\"t\":0,\"step\":%zu,\"phase\":\"train\",\"samples\":64,"
            "\"durations\":{",
            step);
    json_object_foreach((json_t *)durations, action, value)
    {
        const json_t *us = json_array_get(json_array_get(value, rank), step);
        long long ns = (long long)json_number_value(us) * 1000;
        batch += strcmp(action, "draw") == 0 ? 0 : ns;
        fprintf(file, "\"%s\":%lld,", action, ns);
    }
    fprintf(file, "\"batch\":%lld}}\n", batch);
}

static void rank_write(const json_t *one, size_t rank)
{
    char path[64];
    size_t steps = (size_t)json_integer_value(json_object_get(one, "steps"));
    json_t *head = json_pack("{s:s, s:i, s:s, s:s, s:i, s:O, s:O, s:b}", "type", "run", "version",
                             1, "detail", "steps", "host",
                             json_string_value(json_array_get(json_object_get(one, "hosts"), rank)),
                             "rank", (int)rank, "world_size", json_object_get(one, "ranks"), "wait",
                             json_object_get(one, "wait"), "drop_first_batch", 0);
    snprintf(path, sizeof path, "case/%zu.jsonl", rank);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    json_dumpf(head, file, JSON_COMPACT);
    fputc('\n', file);
    for (size_t s = 0; s < steps; s++)
        step_write(file, json_object_get(one, "durations_us"), rank, s);
    fputs("{\"type\":\"finish\",\"t\":0}\n", file);
    fclose(file);
    json_decref(head);
}

static void between(const json_t *one, const json_t *found)
{
    const char *key;
    json_t *range;
    json_object_foreach(json_object_get(one, "between"), key, range)
    {
        double value = json_number_value(json_object_get(found, key));
        ck_assert_msg(value >= json_number_value(json_array_get(range, 0)) &&
                          value <= json_number_value(json_array_get(range, 1)),
                      "%s is %g", key, value);
    }
}

static void case_check(const json_t *one)
{
    const char *id = json_string_value(json_object_get(one, "id"));
    ck_assert_int_eq(system("rm -rf case"), 0);
    ck_assert_int_eq(mkdir("case", 0700), 0);
    size_t ranks = (size_t)json_integer_value(json_object_get(one, "ranks"));
    for (size_t r = 0; r < ranks; r++)
        rank_write(one, r);
    json_t *found = merge("case");
    same(json_object_get(one, "expect"), json_object_get(found, "straggler"), id);
    between(one, json_object_get(found, "straggler"));
    json_decref(found);
}

START_TEST(the_straggler_is_found_and_nobody_else_is_named)
{
    size_t index;
    json_t *one, *all = load(SRCDIR "/tests/golden/ranks/straggler_cases.json");
    ck_assert_uint_ge(json_array_size(json_object_get(all, "cases")), 16);
    json_array_foreach(json_object_get(all, "cases"), index, one) case_check(one);
    json_decref(all);
}
END_TEST

/* ---- logs that do not belong together ----------------------------------------------------------
 */

/* A log of one step. */
static void log_write(const char *path, const char *fields)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"type\":\"run\",\"version\":1,\"detail\":\"steps\",\"host\":\"h\"%s}\n"
             "{\"type\":\"step\",\"t\":0,\"step\":0,\"phase\":\"train\",\"samples\":1,"
             "\"durations\":{\"draw\":1,\"batch\":2}}\n{\"type\":\"finish\",\"t\":1}\n",
             fields);
    file_write(path, text);
}

static const struct {
    const char *fields, *said;
} odd[] = {
    {",\"rank\":0,\"world_size\":2", "b.jsonl: is of rank 0, as a.jsonl is; it is left out"},
    {",\"rank\":1,\"world_size\":3", "b.jsonl: is of 3 ranks, and a.jsonl of 2 ranks"},
    {",\"rank\":1,\"world_size\":2,\"job\":\"8\"", "b.jsonl: is of job \"8\", and a.jsonl of job"},
    {",\"rank\":1,\"world_size\":2,\"drop_first_batch\":true",
     "b.jsonl: has another drop_first_batch than a.jsonl"},
};

START_TEST(a_log_that_does_not_belong_to_the_others_is_left_out_and_named)
{
    log_write("a.jsonl", ",\"rank\":0,\"world_size\":2");
    log_write("b.jsonl", odd[_i].fields);
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl"), 1);
    printed(odd[_i].said);
    printed("1 of 2 ranks, 1 training steps");
}
END_TEST

START_TEST(a_file_that_is_not_a_run_log_is_named_and_the_others_are_merged)
{
    log_write("a.jsonl", ",\"rank\":0,\"world_size\":2");
    file_write("b.jsonl", "{\"type\":\"step\"}\n");
    ck_assert_int_eq(stepwatch("merge a.jsonl b.jsonl c.jsonl"), 1);
    printed("b.jsonl:1: a run log begins with a line of type \"run\"; it is left out");
    printed("c.jsonl: ");
    printed("1 of 2 ranks");
    ck_assert_int_eq(stepwatch("merge b.jsonl"), 1);
    printed("there is no run log to merge");
}
END_TEST

START_TEST(of_two_attempts_of_a_rank_the_later_one_counts)
{
    log_write("a.jsonl", ",\"rank\":0,\"world_size\":1,\"attempt\":1");
    log_write("b.jsonl", ",\"rank\":0,\"world_size\":1");
    ck_assert_int_eq(stepwatch("merge b.jsonl a.jsonl"), 0);
    printed("1 of 1 ranks");
    not_printed("left out");
}
END_TEST

SUITE(merge)
{
    tcase_add_checked_fixture(tc, enter, leave);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, five_logs_of_six_ranks_are_merged_as_expected);
    tcase_add_test(tc, the_order_of_the_logs_does_not_matter);
    tcase_add_test(tc, the_table_names_the_culprit_and_who_is_missing);
    tcase_add_test(tc, the_straggler_is_found_and_nobody_else_is_named);
    tcase_add_loop_test(tc, a_log_that_does_not_belong_to_the_others_is_left_out_and_named, 0,
                        sizeof odd / sizeof *odd);
    tcase_add_test(tc, a_file_that_is_not_a_run_log_is_named_and_the_others_are_merged);
    tcase_add_test(tc, of_two_attempts_of_a_rank_the_later_one_counts);
}
