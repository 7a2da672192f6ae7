/* SPDX-License-Identifier: MIT */
/* test_variables.c - variables of the environment that the SDK obeys: what the run is, what is
 * recorded, what is said. Those that have an option are in test_run.c. */
#include "sinks/wandb/file/reader.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

/* Nothing of whoever runs the tests. */
static void forget(void)
{
    static const char *const names[] = {
        "RANK",           "WANDB_NAME", "WANDB_NOTES",      "WANDB_TAGS",
        "WANDB_JOB_TYPE", "WANDB_DIR",  "WANDB_DISABLE_GIT"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("WANDB_CONFIG_DIR", "/nonexistent", 1);
    setenv("WANDB_MODE", "offline", 1);
    setenv("WANDB_RUN_ID", "abc", 1);
}

/* What the run's file has. */
static struct {
    char name[64], notes[64], job_type[64], tags[64], repo[64], commit[64], program[64];
    int samples, lines;
} found;

static void copy(char to[64], const char *text)
{
    snprintf(to, 64, "%s", text);
}

static void run_take(const struct swi_run_message *run)
{
    copy(found.name, run->display_name);
    copy(found.notes, run->notes);
    copy(found.job_type, run->job_type);
    for (size_t i = 0; i < run->n_tags; i++)
        strncat(strncat(found.tags, run->tags[i], 20), " ", 2);
    copy(found.repo, run->git ? run->git->remote_url : "");
    copy(found.commit, run->git ? run->git->commit : "");
}

static void record_take(const struct swi_record_message *record)
{
    found.samples += record->what == SWI_RECORD_STATS;
    found.lines += record->what == SWI_RECORD_OUTPUT_RAW;
    if (record->what == SWI_RECORD_RUN)
        run_take(record->run);
    if (record->what == SWI_RECORD_ENVIRONMENT)
        copy(found.program, record->environment->program);
}

static void file_read(void)
{
    static struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    struct sw_error err;
    int rc;
    ck_assert_int_eq(swi_wandb_reader_open(&reader, "wandb/latest-run/run-abc.wandb", &err), 0);
    while ((rc = swi_wandb_reader_next(&reader, &record, &err)) == 1)
        record_take(record);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    swi_wandb_reader_close(&reader);
}

/* A whole run, and what it said. */
static const char *run(void)
{
    struct host *host = host_open("wandb", "");
    host_fit(host, 3);
    host_close(host);
    file_read();
    return host_messages(host);
}

START_TEST(what_a_run_is_has_second_names)
{
    forget();
    setenv("WANDB_RUN_NAME", "a name", 1);
    setenv("WANDB_RUN_NOTES", "some notes", 1);
    setenv("WANDB_RUN_JOB_TYPE", "train", 1);
    setenv("WANDB_RUN_TAGS", "a,b c", 1);
    run();
    ck_assert_str_eq(found.name, "a name");
    ck_assert_str_eq(found.notes, "some notes");
    ck_assert_str_eq(found.job_type, "train");
    ck_assert_str_eq(found.tags, "a b c ");
}
END_TEST

START_TEST(the_first_name_counts_before_the_second)
{
    forget();
    setenv("WANDB_NAME", "first", 1);
    setenv("WANDB_RUN_NAME", "second", 1);
    run();
    ck_assert_str_eq(found.name, "first");
}
END_TEST

START_TEST(where_the_code_comes_from_can_be_set)
{
    forget();
    setenv("WANDB_PROGRAM", "src/train.sh", 1);
    setenv("WANDB_GIT_REMOTE_URL", "https://user:SECRET@example.org/a.git", 1);
    setenv("WANDB_GIT_COMMIT", COMMIT, 1);
    setenv("WANDB_DISABLE_GIT", "true", 1);
    run();
    ck_assert_str_eq(found.program, "src/train.sh");
    ck_assert_str_eq(found.repo, "https://example.org/a.git");
    ck_assert_str_eq(found.commit, COMMIT);
}
END_TEST

static const struct {
    const char *name, *value;
    bool measured;
} stats[] = {{"WANDB_X_DISABLE_STATS", "true", false},
             {"WANDB__DISABLE_STATS", "1", false},
             {"WANDB_X_DISABLE_STATS", "false", true},
             {"WANDB_X_DISABLE_STATS", "", true}};

START_TEST(the_machine_is_left_out_where_statistics_are_off)
{
    forget();
    setenv(stats[_i].name, stats[_i].value, 1);
    run();
    ck_assert_int_eq(found.samples > 0, stats[_i].measured);
}
END_TEST

START_TEST(without_a_console_the_run_has_no_lines)
{
    forget();
    setenv("WANDB_CONSOLE", "off", 1);
    run();
    ck_assert_int_eq(found.lines, 0);
    ck_assert(!host_has("wandb/latest-run/files/output.log"));
    ck_assert(host_has("wandb/latest-run/files/config.yaml"));
}
END_TEST

START_TEST(an_invalid_console_is_reported_and_costs_nothing)
{
    forget();
    setenv("WANDB_CONSOLE", "loud", 1);
    const char *said = run();
    ck_assert_msg(strstr(said, "WANDB_CONSOLE \"loud\": expected off, auto"), "%s", said);
    ck_assert_int_gt(found.lines, 0);
}
END_TEST

/* As the SDK, which has all of it in this file then. */
START_TEST(a_silent_run_says_all_to_a_file)
{
    forget();
    setenv("WANDB_SILENT", "true", 1);
    setenv("WANDB_CONSOLE", "loud", 1);
    ck_assert_str_eq(run(), "");
    const char *log = host_file("wandb/latest-run/logs/debug.log");
    ck_assert_msg(strstr(log, " WARNING WANDB_CONSOLE \"loud\""), "%s", log);
    ck_assert_msg(strstr(log, " INFO offline run abc in /"), "%s", log);
    ck_assert_msg(strstr(log, " INFO upload the run with: stepwatch sync"), "%s", log);
}
END_TEST

START_TEST(a_quiet_run_says_where_it_is_and_what_went_wrong)
{
    forget();
    setenv("WANDB_QUIET", "on", 1);
    setenv("WANDB_CONSOLE", "loud", 1);
    const char *said = run();
    ck_assert_msg(strstr(said, "offline run abc in /"), "%s", said);
    ck_assert_msg(strstr(said, "WANDB_CONSOLE \"loud\""), "%s", said);
    ck_assert_msg(!strstr(said, "stepwatch sync"), "%s", said);
    ck_assert(!host_has("wandb/latest-run/logs"));
}
END_TEST

SUITE(wandb_variables)
{
    tcase_add_test(tc, what_a_run_is_has_second_names);
    tcase_add_test(tc, the_first_name_counts_before_the_second);
    tcase_add_test(tc, where_the_code_comes_from_can_be_set);
    tcase_add_loop_test(tc, the_machine_is_left_out_where_statistics_are_off, 0,
                        sizeof stats / sizeof *stats);
    tcase_add_test(tc, without_a_console_the_run_has_no_lines);
    tcase_add_test(tc, an_invalid_console_is_reported_and_costs_nothing);
    tcase_add_test(tc, a_silent_run_says_all_to_a_file);
    tcase_add_test(tc, a_quiet_run_says_where_it_is_and_what_went_wrong);
}
