/* SPDX-License-Identifier: MIT */
/* test_ranks.c - which process of a distributed run this is, by the environments that launchers
 * make: tests/golden/ranks/rank_cases.json. */
#include "core/ranks/rank.h"
#include "tests/support/golden.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct swi_rank_given nothing = {0};

/* ---- the golden cases ------------------------------------------------------------------------ */

static const char *of_case(const void *arg, const char *name)
{
    return json_string_value(json_object_get(arg, name));
}

static void number_is(const json_t *expect, const char *key, int64_t found, const char *id)
{
    const json_t *value = json_object_get(expect, key);
    int64_t expected = json_is_integer(value) ? json_integer_value(value) : -1;
    /* Below hydra nobody can say the node: such cases do not. */
    ck_assert_msg(!value || found == expected, "%s: %s is %lld, expected %lld", id, key,
                  (long long)found, (long long)expected);
}

static void text_is(const json_t *expect, const char *key, const char *found, const char *id)
{
    const char *expected = json_string_value(json_object_get(expect, key));
    ck_assert_msg(strcmp(found, expected ? expected : "") == 0, "%s: %s is \"%s\", expected \"%s\"",
                  id, key, found, expected ? expected : "");
}

static void case_check(const json_t *one)
{
    struct swi_rank rank;
    const char *id = json_string_value(json_object_get(one, "id"));
    const json_t *expect = json_object_get(one, "expect");
    swi_rank_find(&rank, &nothing, &(struct swi_variables){of_case, json_object_get(one, "env")});
    number_is(expect, "rank", rank.rank, id);
    number_is(expect, "size", rank.size, id);
    number_is(expect, "local_rank", rank.local_rank, id);
    number_is(expect, "local_size", rank.local_size, id);
    number_is(expect, "node", rank.node, id);
    text_is(expect, "job", rank.job, id);
    text_is(expect, "source", rank.source, id);
    ck_assert_msg(rank.certain == json_is_true(json_object_get(expect, "certain")),
                  "%s: certain is %d", id, rank.certain);
}

START_TEST(each_launchers_environment_gives_the_right_rank)
{
    size_t index;
    json_t *one, *all = golden_json("ranks/rank_cases.json");
    ck_assert_uint_ge(json_array_size(json_object_get(all, "cases")), 157);
    json_array_foreach(json_object_get(all, "cases"), index, one) case_check(one);
    json_decref(all);
}
END_TEST

/* ---- one rule each --------------------------------------------------------------------------- */

/* A list of names and values. */
static const char *of_list(const void *arg, const char *name)
{
    for (const char *const *pair = arg; *pair; pair += 2)
        if (strcmp(pair[0], name) == 0)
            return pair[1];
    return NULL;
}

#define FIND(rank, given, ...)                                                                     \
    swi_rank_find(rank, given,                                                                     \
                  &(struct swi_variables){of_list, (const char *const[]){__VA_ARGS__, NULL}})

START_TEST(the_configuration_counts_more_than_every_launcher)
{
    struct swi_rank rank;
    const struct swi_rank_given given = {3, 5};
    FIND(&rank, &given, "STEPWATCH_RANK", "1", "STEPWATCH_WORLD_SIZE", "2", "RANK", "0",
         "WORLD_SIZE", "8");
    ck_assert_int_eq(rank.rank, 3);
    ck_assert_int_eq(rank.size, 5);
    ck_assert_str_eq(rank.source, "configuration");
    ck_assert(rank.certain);
}
END_TEST

START_TEST(an_empty_variable_is_not_set)
{
    struct swi_rank rank;
    FIND(&rank, &nothing, "OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "", "PMI_RANK", "",
         "PMI_SIZE", "4");
    ck_assert_str_eq(rank.source, "none");
    ck_assert(rank.certain);
}
END_TEST

START_TEST(local_numbers_that_contradict_each_other_are_dropped)
{
    struct swi_rank rank;
    FIND(&rank, &nothing, "RANK", "2", "WORLD_SIZE", "4", "LOCAL_RANK", "2", "LOCAL_WORLD_SIZE",
         "2");
    ck_assert_int_eq(rank.local_rank, -1);
    ck_assert_int_eq(rank.local_size, -1);
    FIND(&rank, &nothing, "RANK", "2", "WORLD_SIZE", "4", "LOCAL_RANK", "2", "LOCAL_WORLD_SIZE",
         "9");
    ck_assert_int_eq(rank.local_rank, 2);
    ck_assert_int_eq(rank.local_size, -1);
}
END_TEST

START_TEST(a_rank_that_is_not_below_its_size_is_reported)
{
    struct swi_rank rank;
    FIND(&rank, &nothing, "RANK", "4", "WORLD_SIZE", "4");
    ck_assert_int_eq(rank.rank, 0);
    ck_assert(!rank.certain);
    ck_assert_ptr_nonnull(strstr(rank.warning, "RANK is 4"));
}
END_TEST

/* "2(x3),1" is 2, 2, 2, 1: the task is the first of node 3. */
START_TEST(repeated_nodes_of_slurm_are_counted)
{
    struct swi_rank rank;
#define STEP                                                                                       \
    "SLURM_STEP_ID", "0", "SLURM_PROCID", "6", "SLURM_STEP_NUM_TASKS", "7", "SLURM_LOCALID", "0",  \
        "SLURM_NODEID", "3"
    FIND(&rank, &nothing, STEP, "SLURM_GTIDS", "6", "SLURM_STEP_TASKS_PER_NODE", "2(x3),1");
    ck_assert_int_eq(rank.rank, 6);
    ck_assert_int_eq(rank.local_size, 1);
    FIND(&rank, &nothing, STEP, "SLURM_GTIDS", "6", "SLURM_STEP_TASKS_PER_NODE", "2(x4)");
    ck_assert_str_eq(rank.source, "none");
    FIND(&rank, &nothing, STEP, "SLURM_GTIDS", "6", "SLURM_STEP_TASKS_PER_NODE", "2(x");
    ck_assert_str_eq(rank.source, "none");
}
END_TEST

START_TEST(the_runs_name_is_the_same_in_all_ranks)
{
    struct swi_rank rank;
    FIND(&rank, &nothing, "SLURM_JOB_ID", "7", STEP);
    ck_assert_str_eq(rank.run, "7-0");
    FIND(&rank, &nothing, "RANK", "0", "WORLD_SIZE", "2", "TORCHELASTIC_RUN_ID", "abc",
         "TORCHELASTIC_RESTART_COUNT", "2");
    ck_assert_str_eq(rank.run, "abc-a2");
    FIND(&rank, &nothing, "PMI_RANK", "0", "PMI_SIZE", "2", "STEPWATCH_RUN", "mine");
    ck_assert_str_eq(rank.run, "mine");
    FIND(&rank, &nothing, "PMI_RANK", "0", "PMI_SIZE", "2");
    ck_assert_str_eq(rank.run, "");
}
END_TEST

START_TEST(a_description_says_what_was_found_and_from_where)
{
    struct swi_rank rank;
    char text[512];
    FIND(&rank, &nothing, "RANK", "3", "WORLD_SIZE", "8", "LOCAL_RANK", "1", "LOCAL_WORLD_SIZE",
         "4", "GROUP_RANK", "0", "SLURM_JOB_ID", "7");
    ck_assert_str_eq(swi_rank_describe(&rank, text, sizeof text),
                     "rank 3 of 8 (torch: RANK), local rank 1 of 4, node 0, job 7");
    FIND(&rank, &nothing, "HOME", "/");
    ck_assert_str_eq(swi_rank_describe(&rank, text, sizeof text),
                     "rank 0 of 1: no launcher was found");
    FIND(&rank, &nothing, "JOB_COMPLETION_INDEX", "2");
    ck_assert_str_eq(swi_rank_describe(&rank, text, sizeof text),
                     "rank 2 of an unknown number (kubernetes: JOB_COMPLETION_INDEX)");
}
END_TEST

START_TEST(the_run_log_says_the_rank_and_where_it_is_from)
{
    setenv("STEPWATCH_RANK", "2", 1);
    setenv("STEPWATCH_WORLD_SIZE", "4", 1);
    setenv("SLURM_JOB_ID", "7", 1);
    struct host *host = host_open("runlog", "path: run.jsonl\n");
    host_close(host);
    json_t *run = json_loads(host_file("run.2.jsonl"), JSON_DISABLE_EOF_CHECK, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(run, "rank")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(run, "world_size")), 4);
    ck_assert_str_eq(json_string_value(json_object_get(run, "job")), "7");
    ck_assert_str_eq(json_string_value(json_object_get(run, "rank_source")), "stepwatch");
    ck_assert(json_is_true(json_object_get(run, "rank_certain")));
    ck_assert_ptr_null(json_object_get(run, "local_rank"));
    json_decref(run);
}
END_TEST

SUITE(ranks)
{
    tcase_add_test(tc, each_launchers_environment_gives_the_right_rank);
    tcase_add_test(tc, the_configuration_counts_more_than_every_launcher);
    tcase_add_test(tc, an_empty_variable_is_not_set);
    tcase_add_test(tc, local_numbers_that_contradict_each_other_are_dropped);
    tcase_add_test(tc, a_rank_that_is_not_below_its_size_is_reported);
    tcase_add_test(tc, repeated_nodes_of_slurm_are_counted);
    tcase_add_test(tc, the_runs_name_is_the_same_in_all_ranks);
    tcase_add_test(tc, a_description_says_what_was_found_and_from_where);
    tcase_add_test(tc, the_run_log_says_the_rank_and_where_it_is_from);
}
