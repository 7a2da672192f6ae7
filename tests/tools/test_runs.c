/* SPDX-License-Identifier: MIT */
/* test_runs.c - stepwatch runs: which runs there are, and how they are. */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first line of a log; FIELDS begin with a comma. */
#define HEAD(started, fields)                                                                      \
    "{\"type\":\"run\",\"version\":1,\"started\":" started ",\"name\":\"net\",\"program\":\"p\","  \
    "\"host\":\"box\",\"pid\":7,\"detail\":\"steps\"" fields "}\n"
#define STEP(number, t)                                                                            \
    "{\"type\":\"step\",\"t\":" t ",\"step\":" number ",\"phase\":\"train\",\"samples\":32,"       \
    "\"durations\":{\"draw\":1000000,\"forward\":5,\"batch\":[2000000,1000000]}}\n"
#define LOSS(step, value)                                                                          \
    "{\"type\":\"metric\",\"t\":1,\"step\":" step ",\"name\":\"loss\",\"value\":" value "}\n"
#define FINISH(fields) "{\"type\":\"finish\",\"t\":9000000000" fields "}\n"

/* The runs that the command lists; the caller frees them. */
static json_t *runs_of(const char *arguments)
{
    char line[256];
    json_error_t wrong;
    snprintf(line, sizeof line, "runs %s --json 2>messages.txt #", arguments);
    ck_assert_int_eq(stepwatch(line), 0);
    json_t *whole = json_loads(command_output(), JSON_REJECT_DUPLICATES, &wrong);
    ck_assert_msg(whole != NULL, "%s in:\n%s", wrong.text, command_output());
    json_t *runs = json_incref(json_object_get(whole, "runs"));
    json_decref(whole);
    return runs;
}

/* Enters the scratch folder, and makes an empty folder in it. */
static void folder_make(void)
{
    host_close(host_open("table", "path: first.txt\n"));
    ck_assert_int_eq(mkdir("logs", 0777), 0);
}

static void assert_text(const json_t *runs, size_t i, const char *key, const char *expected)
{
    const char *text = json_string_value(json_object_get(json_array_get(runs, i), key));
    ck_assert_msg(text && strcmp(text, expected) == 0, "%s of run %zu is %s, expected %s", key, i,
                  text ? text : "no text", expected);
}

static void assert_number(const json_t *runs, size_t i, const char *key, double expected)
{
    const json_t *number = json_object_get(json_array_get(runs, i), key);
    ck_assert_msg(json_is_number(number), "%s of run %zu is no number", key, i);
    ck_assert_double_eq_tol(json_number_value(number), expected, 1e-6 * fabs(expected) + 1e-9);
}

START_TEST(a_run_is_described_by_the_first_and_the_last_lines_of_its_log)
{
    folder_make();
    file_write("logs/a.jsonl", HEAD("1700000000.5", "") STEP("0", "4000000") LOSS("0", "2.5") STEP(
                                   "1", "8000000") LOSS("1", "1.25") FINISH(",\"exit_status\":0"));
    json_t *runs = runs_of("logs");
    ck_assert_uint_eq(json_array_size(runs), 1);
    assert_text(runs, 0, "path", "logs/a.jsonl");
    assert_text(runs, 0, "name", "net");
    assert_text(runs, 0, "state", "finished");
    assert_number(runs, 0, "steps", 2);
    assert_number(runs, 0, "samples_per_s", 8000);
    assert_number(runs, 0, "started_s", 1700000000.5);
    assert_number(runs, 0, "duration_s", 9);
    const json_t *values = json_object_get(json_array_get(runs, 0), "values");
    ck_assert_double_eq(json_number_value(json_object_get(values, "loss")), 1.25);
    json_decref(runs);
    ck_assert_int_eq(stepwatch("runs logs"), 0);
    assert_printed("NAME  STATE     STEPS  SAMPLES/S  DURATION  STARTED ");
    assert_printed("net   finished      2      8,000   9.000 s  2023-11-");
    assert_printed("  loss=1.25  logs/a.jsonl\n");
}
END_TEST

/* ---- states ---------------------------------------------------------------------------------- */

START_TEST(the_last_line_says_how_a_run_ended)
{
    static const struct {
        const char *end, *state;
    } ends[] = {
        {FINISH(",\"exit_status\":0"), "finished"},
        {FINISH(",\"exit_status\":3"), "failed"},
        {FINISH(",\"exit_status\":143,\"interrupted\":true,\"cause\":\"SIGTERM\""), "interrupted"},
        {"", "killed"},
        {"{\"type\":\"finish\",\"t\":90", "killed"}, /* torn */
    };
    char text[1024];
    folder_make();
    snprintf(text, sizeof text, "%s%s", HEAD("1", "") STEP("0", "4"), ends[_i].end);
    file_write("logs/a.jsonl", text);
    json_t *runs = runs_of("logs");
    assert_text(runs, 0, "state", ends[_i].state);
    if (_i == 2)
        assert_text(runs, 0, "cause", "SIGTERM");
    ck_assert_int_eq(json_is_true(json_object_get(json_array_get(runs, 0), "torn")), _i == 4);
    json_decref(runs);
}
END_TEST

START_TEST(a_run_is_running_while_it_holds_the_lock_of_its_log)
{
    struct host *host = host_open("runlog", "path: run-2.jsonl\n");
    host_metric(host, 0, "loss", 2);
    ck_assert_int_eq(sw_flush(host_profiler(host), 60000000000), 0);
    ck_assert_int_eq(system("cp run-2.jsonl copy.jsonl"), 0);
    json_t *runs = runs_of(". --sort path");
    assert_text(runs, 0, "path", "./copy.jsonl");
    assert_text(runs, 0, "state", "killed");
    assert_text(runs, 1, "state", "running");
    json_decref(runs);
    host_close(host);
    runs = runs_of("run-2.jsonl");
    assert_text(runs, 0, "state", "finished");
    json_decref(runs);
}
END_TEST

/* ---- finding --------------------------------------------------------------------------------- */

START_TEST(a_folder_is_searched_with_those_in_it_and_other_files_are_no_runs)
{
    folder_make();
    ck_assert_int_eq(mkdir("logs/deep", 0777), 0);
    ck_assert_int_eq(mkdir("logs/a.jsonl.files", 0777), 0);
    ck_assert_int_eq(mkfifo("logs/pipe.jsonl", 0777), 0);
    ck_assert_int_eq(symlink("..", "logs/deep/circle"), 0);
    file_write("logs/deep/a.jsonl", HEAD("1", ""));
    file_write("logs/a.jsonl.files/b.jsonl", HEAD("1", ""));
    file_write("logs/other.jsonl", "{\"a\":1}\n");
    file_write("logs/empty.jsonl", "");
    file_write("logs/words.jsonl", "no JSON\n");
    file_write("logs/no.db", "no database");
    json_t *runs = runs_of("logs");
    ck_assert_uint_eq(json_array_size(runs), 1);
    assert_text(runs, 0, "path", "logs/deep/a.jsonl");
    json_decref(runs);
}
END_TEST

START_TEST(a_path_that_is_no_run_is_an_error_and_the_others_are_listed)
{
    folder_make();
    file_write("logs/a.jsonl", HEAD("1", ""));
    file_write("words.txt", "no JSON\n");
    ck_assert_int_eq(stepwatch("runs missing.jsonl logs"), 1);
    assert_printed("stepwatch runs: missing.jsonl: No such file or directory\n");
    assert_printed("logs/a.jsonl\n");
    ck_assert_int_eq(stepwatch("runs words.txt"), 1);
    assert_printed("words.txt: expected a run log, a database of the sink sqlite, or a folder");
    ck_assert_int_eq(mkdir("none", 0777), 0);
    ck_assert_int_eq(stepwatch("runs none"), 0);
    assert_printed("none: has no run log (*.jsonl) and no database of the sink sqlite\n");
}
END_TEST

START_TEST(a_log_of_another_version_is_an_error_and_the_others_are_listed)
{
    folder_make();
    file_write("logs/new.jsonl", "{\"type\":\"run\",\"version\":2}\n");
    file_write("logs/other.jsonl", "{\"type\":\"run\",\"id\":7}\n");
    file_write("logs/old.jsonl", HEAD("1", "") FINISH(""));
    ck_assert_int_eq(stepwatch("runs logs"), 1);
    assert_printed("stepwatch runs: logs/new.jsonl:1: version 2 is not known, expected 1\n");
    assert_printed("logs/old.jsonl\n");
    assert_not_printed("other.jsonl");
}
END_TEST

START_TEST(without_a_path_it_is_the_folder_runs)
{
    folder_make();
    file_write("here.jsonl", HEAD("1", ""));
    json_t *runs = runs_of("");
    assert_text(runs, 0, "path", "./here.jsonl");
    json_decref(runs);
    ck_assert_int_eq(mkdir("runs", 0777), 0);
    file_write("runs/there.jsonl", HEAD("1", ""));
    runs = runs_of("");
    ck_assert_uint_eq(json_array_size(runs), 1);
    assert_text(runs, 0, "path", "runs/there.jsonl");
    json_decref(runs);
}
END_TEST

START_TEST(the_ranks_of_a_run_are_one_run)
{
    folder_make();
    file_write("logs/1.jsonl",
               HEAD("5", ",\"rank\":1,\"world_size\":3,\"run\":\"r\"") STEP("0", "4"));
    file_write("logs/0.jsonl", HEAD("4", ",\"rank\":0,\"world_size\":3,\"run\":\"r\"")
                                   STEP("0", "4") FINISH(",\"exit_status\":0"));
    file_write("logs/other.jsonl", HEAD("3", ",\"rank\":0,\"world_size\":3,\"run\":\"s\""));
    json_t *runs = runs_of("logs");
    ck_assert_uint_eq(json_array_size(runs), 2);
    assert_text(runs, 0, "path", "logs/0.jsonl");
    assert_text(runs, 0, "state", "killed");
    assert_number(runs, 0, "ranks", 2);
    assert_number(runs, 0, "world_size", 3);
    assert_number(runs, 0, "samples_per_s", 16000);
    json_decref(runs);
    ck_assert_int_eq(stepwatch("runs logs"), 0);
    assert_printed("killed (2/3 ranks)");
    runs = runs_of("logs --ranks");
    ck_assert_uint_eq(json_array_size(runs), 3);
    json_decref(runs);
}
END_TEST

START_TEST(a_database_has_runs_too)
{
    if (access(BUILDDIR "/sinks/.libs/sqlite.so", F_OK) != 0)
        return;
    struct host *host = host_open("sqlite", "path: all.db\n");
    host_fit(host, 20);
    host_metric(host, 20, "loss", 0.5);
    host_close(host);
    json_t *runs = runs_of("all.db");
    ck_assert_uint_eq(json_array_size(runs), 1);
    assert_text(runs, 0, "kind", "database");
    assert_text(runs, 0, "name", "test");
    assert_text(runs, 0, "state", "finished");
    assert_number(runs, 0, "steps", 21);
    const json_t *values = json_object_get(json_array_get(runs, 0), "values");
    ck_assert_double_eq(json_number_value(json_object_get(values, "loss")), 0.5);
    ck_assert_uint_eq(json_object_size(values), 1);
    json_decref(runs);
}
END_TEST

/* ---- which, and in which order --------------------------------------------------------------- */

static void three_make(void)
{
    folder_make();
    file_write("logs/a.jsonl", HEAD("10", "") LOSS("5", "0.5"));
    file_write("logs/b.jsonl", HEAD("30", "") LOSS("1", "\"NaN\"") FINISH(",\"exit_status\":0"));
    file_write("logs/c.jsonl", HEAD("20", "") LOSS("9", "0.25"));
}

START_TEST(runs_are_chosen_and_sorted)
{
    static const struct {
        const char *arguments, *paths;
    } cases[] = {
        {"", "b c a"},
        {"--reverse", "a c b"},
        {"--limit 2", "b c"},
        {"--sort steps", "c a b"},
        {"--sort path", "a b c"},
        {"--sort state", "b a c"},
        {"--sort loss", "a c b"},
        {"--sort loss --reverse", "c a b"},
        {"--state killed", "c a"},
        {"--state killed --state finished", "b c a"},
        {"--state running", ""},
        {"--name 'n?t'", "b c a"},
        {"--name other", ""},
        {"--since 1d", ""},
        {"--since 99999999d", "b c a"},
    };
    char line[256], expected[256] = "";
    three_make();
    for (const char *c = cases[_i].paths; *c; c++)
        if (*c != ' ')
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected),
                     "logs/%c.jsonl\n", *c);
    snprintf(line, sizeof line, "runs logs --paths %s", cases[_i].arguments);
    ck_assert_int_eq(stepwatch(line), 0);
    ck_assert_str_eq(command_output(), expected);
}
END_TEST

START_TEST(a_question_mark_stands_for_one_character)
{
    folder_make();
    file_write("logs/a.jsonl", "{\"type\":\"run\",\"version\":1,\"started\":1767225600.0,"
                               "\"name\":\"na\u00efve\"}\n");
    ck_assert_int_eq(stepwatch("runs logs --paths --name 'na?ve'"), 0);
    ck_assert_str_eq(command_output(), "logs/a.jsonl\n");
}
END_TEST

START_TEST(a_choice_that_makes_no_sense_is_refused)
{
    three_make();
    ck_assert_int_eq(stepwatch("runs logs --state dead"), 2);
    assert_printed("--state dead is not one of running, finished, failed, interrupted, killed");
    ck_assert_int_eq(stepwatch("runs logs --limit -1"), 2);
    ck_assert_int_eq(stepwatch("runs logs --since yesterday"), 2);
    assert_printed("--since yesterday: expected an age, like 30m, 12h or 7d");
    ck_assert_int_eq(stepwatch("runs logs --paths --json"), 2);
    ck_assert_int_eq(stepwatch("runs logs --sort nothing"), 1);
    assert_printed("--sort nothing: no run has such a value");
}
END_TEST

START_TEST(a_run_whose_start_is_no_number_is_listed_last)
{
    three_make();
    file_write("logs/d.jsonl", HEAD("\"NaN\"", ""));
    ck_assert_int_eq(stepwatch("runs logs --paths"), 0);
    ck_assert_str_eq(command_output(), "logs/b.jsonl\nlogs/c.jsonl\nlogs/a.jsonl\nlogs/d.jsonl\n");
}
END_TEST

/* ---- how much is read ------------------------------------------------------------------------ */

/* The bytes that this process and the children that it waited for have read, or -1. */
static long long bytes_read(void)
{
    long long bytes = -1;
    FILE *io = fopen("/proc/self/io", "re");
    if (io && fscanf(io, "rchar: %lld", &bytes) != 1)
        bytes = -1;
    if (io)
        fclose(io);
    return bytes;
}

static long long bytes_of(const char *path, double loss)
{
    char line[64];
    long long before = bytes_read();
    snprintf(line, sizeof line, "runs %s", path);
    ck_assert_int_eq(stepwatch(line), 0);
    snprintf(line, sizeof line, "loss=%g ", loss);
    assert_printed(line);
    return bytes_read() - before;
}

START_TEST(of_a_large_log_no_more_than_its_ends_is_read)
{
    enum { HEAD_MOST = 64 << 10, TAIL_MOST = 64 << 10 };
    folder_make();
    file_write("small.jsonl", HEAD("1", "") LOSS("1", "0.25"));
    FILE *large = fopen("large.jsonl", "w");
    ck_assert_ptr_nonnull(large);
    fputs(HEAD("1", ""), large);
    ck_assert_int_eq(fseeko(large, (off_t)1 << 34, SEEK_SET), 0); /* a hole of 16 GiB */
    fputs("\n" LOSS("1", "0.5"), large);
    ck_assert_int_eq(fclose(large), 0);
    if (bytes_read() < 0) {
        printf("SKIP: runs: this kernel does not count what is read\n");
        return;
    }
    long long small = bytes_of("small.jsonl", 0.25), of_large = bytes_of("large.jsonl", 0.5);
    ck_assert_int_gt(of_large, small);
    ck_assert_int_le(of_large - small, HEAD_MOST + TAIL_MOST);
}
END_TEST

/* Then no line of the newest is a step, and none the profiler's own rate. */
START_TEST(the_rate_of_a_killed_run_is_that_of_its_steps_behind_many_values)
{
    static const char begin[] = HEAD("1.0", "") STEP("7", "3"), value[] = LOSS("8", "0.5");
    char text[sizeof begin + 100 * sizeof value];
    folder_make();
    strcpy(text, begin);
    for (size_t i = 0; i < 100; i++)
        strcat(text, value);
    file_write("logs/a.jsonl", text);
    json_t *runs = runs_of("logs");
    assert_number(runs, 0, "samples_per_s", 32 / 4e-3);
    assert_number(runs, 0, "steps", 9);
    json_decref(runs);
}
END_TEST

SUITE(runs)
{
    tcase_add_test(tc, a_run_is_described_by_the_first_and_the_last_lines_of_its_log);
    tcase_add_loop_test(tc, the_last_line_says_how_a_run_ended, 0, 5);
    tcase_add_test(tc, a_run_is_running_while_it_holds_the_lock_of_its_log);
    tcase_add_test(tc, a_folder_is_searched_with_those_in_it_and_other_files_are_no_runs);
    tcase_add_test(tc, a_path_that_is_no_run_is_an_error_and_the_others_are_listed);
    tcase_add_test(tc, a_log_of_another_version_is_an_error_and_the_others_are_listed);
    tcase_add_test(tc, without_a_path_it_is_the_folder_runs);
    tcase_add_test(tc, the_ranks_of_a_run_are_one_run);
    tcase_add_test(tc, a_database_has_runs_too);
    tcase_add_loop_test(tc, runs_are_chosen_and_sorted, 0, 15);
    tcase_add_test(tc, a_run_whose_start_is_no_number_is_listed_last);
    tcase_add_test(tc, a_question_mark_stands_for_one_character);
    tcase_add_test(tc, a_choice_that_makes_no_sense_is_refused);
    tcase_add_test(tc, of_a_large_log_no_more_than_its_ends_is_read);
    tcase_add_test(tc, the_rate_of_a_killed_run_is_that_of_its_steps_behind_many_values);
}
