/* SPDX-License-Identifier: MIT */
/* stepwatch watch: following a log in whatever state it is, and what is shown of it. */
#include "tests/support/host.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"
#include "tools/watch/follow.h"
#include "tools/watch/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- following ------------------------------------------------------------------------------- */

static struct follow follow;
static char got[1 << 16];

static void line_keep(void *arg, char *line, size_t size)
{
    (void)arg;
    size_t used = strlen(got);
    snprintf(got + used, sizeof got - used, "%.*s|", (int)size, line);
}

static void event_keep(void *arg, enum follow_event event)
{
    static const char *const names[] = {"(damaged)", "(new run)", "(shorter)"};
    (void)arg;
    strcat(got, names[event]);
}

static void append(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "ae");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static void add(const char *text)
{
    append("run.jsonl", text, strlen(text));
}

/* All that is new, as text. */
static void assert_new(const char *expected)
{
    got[0] = '\0';
    size_t again = 2; /* a new file is found when the old one was read to its end */
    while (follow_turn(&follow) > 0 || again-- > 0)
        follow.compared_ns = 0;
    ck_assert_str_eq(got, expected);
}

static void follow_begin(void)
{
    host_close(host_open("runlog", "path: /dev/null\n")); /* enters the scratch folder */
    ck_assert(follow_init(&follow, "run.jsonl"));
    follow.line = line_keep;
    follow.event = event_keep;
}

START_TEST(a_line_is_handed_over_when_its_end_is_there)
{
    follow_begin();
    assert_new("");
    add("{\"a\":1}\n{\"a\":");
    assert_new("{\"a\":1}|");
    add("2}\n");
    assert_new("{\"a\":2}|");
    add("{broken\n\n{\"a\":3}\n");
    assert_new("{broken||{\"a\":3}|");
    follow_fini(&follow);
}
END_TEST

START_TEST(lines_that_are_torn_everywhere_are_whole)
{
    char text[64], expected[sizeof got] = "";
    follow_begin();
    got[0] = '\0';
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof text, "{\"n\":%d}\n", i);
        snprintf(expected + strlen(expected), 32, "{\"n\":%d}|", i);
        for (const char *c = text; *c; c += 7) {
            append("run.jsonl", c, strnlen(c, 7));
            follow_turn(&follow);
            if (strnlen(c, 7) < 7)
                break;
        }
    }
    follow_turn(&follow);
    ck_assert_str_eq(got, expected);
    follow_fini(&follow);
}
END_TEST

START_TEST(a_line_that_is_too_long_is_damaged_and_the_next_is_read)
{
    char *line = malloc(3 << 20);
    follow_begin();
    memset(line, 'x', 3 << 20);
    append("run.jsonl", line, 3 << 20);
    add("\n{\"a\":4}\n");
    assert_new("(damaged){\"a\":4}|");
    free(line);
    follow_fini(&follow);
}
END_TEST

START_TEST(a_log_that_is_replaced_cut_or_removed_is_followed)
{
    follow_begin();
    add("{\"a\":1}\n");
    assert_new("{\"a\":1}|");
    append("new", "{\"b\":1}\n", 8);
    add("{\"a\":5}\n");
    ck_assert_int_eq(rename("new", "run.jsonl"), 0);
    assert_new("{\"a\":5}|(new run){\"b\":1}|");
    ck_assert_int_eq(truncate("run.jsonl", 0), 0);
    add("{\"c\"");
    assert_new("(shorter)");
    add(":1}\n");
    assert_new("{\"c\":1}|");
    ck_assert_int_eq(unlink("run.jsonl"), 0);
    assert_new("");
    add("{\"d\":1}\n");
    assert_new("(new run){\"d\":1}|");
    follow_fini(&follow);
}
END_TEST

/* ---- reading --------------------------------------------------------------------------------- */

START_TEST(a_curve_keeps_its_shape_in_constant_memory)
{
    static struct series series;
    double point[4];
    for (int i = 0; i < 100000; i++)
        series_add(&series, i, 1);
    ck_assert_uint_le(series.count, SERIES_POINTS);
    ck_assert_uint_eq(series_points(&series, point, 4), 4);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(point[i], 12500 + 25000 * i, 600);
}
END_TEST

/* ---- the command ----------------------------------------------------------------------------- */

/* A loop of steps of 10 ms: 4 ms of draw, 6 of batch, of which 5 are forward. */
static void run_make(const char *options)
{
    struct host *host = host_open_with("runlog", options, "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_expect_steps(sw, 400);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 200; i++) {
        sw_begin(sw, SW_DRAW);
        host_wait(host, i == 150 ? 400000000 : 4000000);
        sw_next(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        host_wait(host, 5000000);
        sw_end(sw, SW_FORWARD);
        host_wait(host, 1000000);
        sw_log(sw, "train/loss", 1.0 / (i + 1));
        sw_end_batch(sw, 64);
    }
    sw_alert(sw, SW_WARNING, "diverged", "look");
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    host_close(host);
}

static const char *const details[] = {"path: run.jsonl\n", "path: run.jsonl\ndetail: regions\n"};

START_TEST(once_prints_the_run_as_plain_lines)
{
    setenv("LC_ALL", "C.UTF-8", 1);
    host_name("digits");
    run_make(details[_i]);
    ck_assert_int_eq(stepwatch("watch --once run.jsonl"), 0);
    assert_printed("digits  finished  0:02  epoch 1  200/400  50 %");
    assert_printed("step 12.0 ms: draw 50 %, forward 42 %\n"
                   "slowest: step 150, 406 ms, of which draw 400 ms\n");
    assert_printed("train/loss 0.005\n");
    assert_printed("diverged: look\n");
    assert_printed("Training waits for data: ");
    host_name("");
}
END_TEST

/* Two epochs of steps of 10 ms, with a batch that is cancelled after 50 ms and a pause of 1 s. */
static void stops_make(const char *options)
{
    struct host *host = host_open_with("runlog", options, "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 40; i++) {
        if (i % 20 == 0)
            sw_begin(sw, SW_EPOCH);
        sw_begin(sw, SW_BATCH);
        sw_next(sw, SW_FORWARD);
        host_wait(host, 50000000);
        sw_end(sw, SW_FORWARD);
        sw_cancel(sw, SW_BATCH);
        sw_begin(sw, SW_BATCH);
        sw_next(sw, SW_FORWARD);
        sw_pause(sw);
        host_wait(host, 1000000000);
        sw_resume(sw);
        host_wait(host, 10000000);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 64);
        if (i % 20 == 19)
            sw_end(sw, SW_EPOCH);
    }
    sw_end(sw, SW_FIT);
    host_close(host);
}

START_TEST(once_tells_the_same_of_regions_as_of_steps)
{
    static const char *const options[] = {"path: run.jsonl\n", "path: run.jsonl\ndetail: regions\n",
                                          "path: run.jsonl\ndetail: regions\nthin_after: 8\n"};
    host_name("digits");
    stops_make(options[_i]);
    ck_assert_int_eq(stepwatch("watch --once run.jsonl"), 0);
    assert_printed("  epoch 2  step 40  \n");
    assert_printed("\nstep 10.0 ms: forward 100 %\n");
    ck_assert_int_eq(stepwatch("watch --once --tail --json run.jsonl"), 0);
    assert_printed("\"epoch\": 2,");
    host_name("");
}
END_TEST

START_TEST(once_prints_the_numbers_as_json)
{
    run_make(details[0]);
    ck_assert_int_eq(stepwatch("watch --once --json run.jsonl"), 0);
    assert_printed("\"state\": \"finished\"");
    assert_printed("\"steps_expected\": 400");
    assert_printed("\"train/loss\": 0.005");
    assert_printed("\"step_mean_ns\": 11980000.0");
}
END_TEST

static void epoch_write(FILE *log, int first, int steps, int ms)
{
    fprintf(log, "{\"type\":\"begin\",\"t\":%d000000,\"action\":\"epoch\"}\n", first + 1);
    for (int i = first; i < first + steps; i++)
        fprintf(log,
                "{\"type\":\"step\",\"t\":%d000000,\"step\":%d,\"phase\":\"train\","
                "\"samples\":64,\"durations\":{\"batch\":%d000000}}\n"
                "{\"type\":\"metric\",\"t\":%d000000,\"step\":%d,\"name\":\"epoch_of_%d\","
                "\"value\":1}\n",
                i + 1, i, ms, i + 1, i, first);
}

/* Four epochs, of which the last has so many steps: the blocks that are read end anywhere. */
START_TEST(tail_reads_the_last_epoch_of_a_long_log)
{
    static const int lengths[] = {0, 1, 10, 4000, 4637, 20000};
    host_close(host_open("runlog", "path: /dev/null\n"));
    FILE *log = fopen("run.jsonl", "w");
    fprintf(log, "{\"type\":\"run\",\"version\":1,\"name\":\"n\",\"host\":\"h\",\"pid\":1}\n"
                 "{\"type\":\"expect\",\"t\":0,\"steps\":90000}\n");
    for (int i = 0; i < 3; i++)
        epoch_write(log, 10000 * i, 10000, 10);
    epoch_write(log, 30000, lengths[_i], 20);
    fclose(log);
    ck_assert_int_eq(stepwatch("watch --once --json --tail run.jsonl"), 0);
    assert_printed("\"epoch\": 4,");
    assert_printed("\"steps_expected\": 90000");
    assert_not_printed("epoch_of_0");
    assert_not_printed("epoch_of_20000");
    if (lengths[_i])
        assert_printed("\"step_mean_ns\": 20000000.0");
    ck_assert_int_eq(stepwatch("watch --once --json run.jsonl"), 0);
    assert_printed("\"epoch\": 4,");
    assert_printed("epoch_of_20000");
}
END_TEST

/* Names with escapes, more parts than fit on a screen, and another order. */
START_TEST(steps_and_values_count_however_they_are_written)
{
    static const char head[] =
        "{\"type\":\"run\",\"version\":1}\n"
        "{\"type\":\"step\",\"t\":10,\"step\":0,\"phase\":\"train\",\"samples\":1,"
        "\"durations\":{\"augment \\\"x\\\"\":[1,2],\"batch\":10}}\n"
        "{\"durations\": {\"batch\": 20}, \"samples\": 1, \"step\": 1, \"t\": 30, \"type\": "
        "\"step\"}\n"
        "{\"type\":\"metric\",\"t\":30,\"step\":1,\"name\":\"a\\\"b\",\"value\":0.5}\n"
        "{\"type\":\"step\",\"t\":60,\"step\":2,\"phase\":\"train\",\"samples\":1,\"durations\":{";
    host_close(host_open("runlog", "path: /dev/null\n"));
    add(head);
    for (int i = 0; i < 100; i++) {
        char part[32];
        snprintf(part, sizeof part, "\"part %d\":0,", i);
        add(part);
    }
    add("\"batch\":30}}\n{\"type\":\"step\",\"t\":61,\"durations\":{\"batch\":1}\n");
    ck_assert_int_eq(stepwatch("watch --once --json run.jsonl"), 0);
    assert_printed("\"step_mean_ns\": 20.0");
    assert_printed("\"a\\\"b\": 0.5");
    assert_printed("\"augment \\\"x\\\"\"");
    assert_printed("\"damaged\": 1");
}
END_TEST

/* As long as the library's may be, and different at the end only. */
START_TEST(long_names_are_told_apart)
{
    char name[255], line[1024], expected[512];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    host_close(host_open("runlog", "path: /dev/null\n"));
    add("{\"type\":\"run\",\"version\":1}\n");
    snprintf(line, sizeof line,
             "{\"type\":\"step\",\"t\":10,\"step\":0,\"samples\":1,"
             "\"durations\":{\"%s1\":1,\"%s2\":2,\"batch\":10}}\n",
             name, name);
    add(line);
    ck_assert_int_eq(stepwatch("watch --once --json run.jsonl"), 0);
    for (int i = 1; i <= 2; i++) {
        snprintf(expected, sizeof expected, "\"%s%d\",\n          \"mean_ns\": %d.0", name, i, i);
        assert_printed(expected);
    }
}
END_TEST

START_TEST(tail_of_a_log_without_epochs_is_the_whole_log)
{
    static const char text[] =
        "{\"type\":\"run\",\"version\":1}\n"
        "{\"type\":\"step\",\"t\":10,\"step\":0,\"phase\":\"train\",\"samples\":1,"
        "\"durations\":{\"batch\":10}}\n";
    run_make(details[0]);
    ck_assert_int_eq(stepwatch("watch --once --json --tail run.jsonl"), 0);
    assert_printed("\"step_mean_ns\": 11980000.0");
    ck_assert_int_eq(stepwatch("watch --once --tail none.jsonl"), 1);
    append("short.jsonl", text, sizeof text - 1);
    ck_assert_int_eq(stepwatch("watch --once --json --tail short.jsonl"), 0);
    assert_printed("\"step_mean_ns\": 10.0");
}
END_TEST

START_TEST(a_log_of_another_version_is_named)
{
    scratch_enter();
    append("new.jsonl", "{\"type\":\"run\",\"version\":2}\n", 27);
    ck_assert_int_eq(stepwatch("watch --once new.jsonl"), 0);
    assert_printed("new.jsonl:1: version 2 is not known, expected 1\n");
}
END_TEST

START_TEST(a_folder_shows_all_its_runs_and_nothing_else)
{
    run_make("path: a.jsonl\n");
    run_make("path: b.jsonl\n");
    append("c.jsonl", "{\"other\":1}\n", 12);
    ck_assert_int_eq(stepwatch("watch --once --json ."), 0);
    assert_printed("a.jsonl");
    assert_printed("b.jsonl");
    ck_assert_int_eq(stepwatch("watch --once --json . | grep -c '\"log\"' | grep -qx 2"), 0);
}
END_TEST

START_TEST(a_name_in_a_log_cannot_steer_the_terminal)
{
    static const char line[] =
        "{\"type\":\"run\",\"version\":1,\"name\":\"a\\u001b[2J\",\"host\":\"h\",\"pid\":1}\n"
        "{\"type\":\"metric\",\"t\":1,\"step\":0,\"name\":\"m\\u001b]0;x\\u0007\",\"value\":1}\n";
    host_close(host_open("runlog", "path: /dev/null\n"));
    append("run.jsonl", line, sizeof line - 1);
    ck_assert_int_eq(stepwatch("watch --once run.jsonl | grep -q \"$(printf '\\033')\""), 1);
}
END_TEST

/* A run that has not written anything yet is shown, another kind of file is not. */
START_TEST(once_refuses_what_is_not_a_log)
{
    host_close(host_open("runlog", "path: /dev/null\n"));
    file_write("new.jsonl", "");
    ck_assert_int_eq(stepwatch("watch --once new.jsonl"), 0);
    assert_printed("new.jsonl  waiting");
    ck_assert_int_eq(stepwatch("watch --once --json /etc/passwd"), 1);
    assert_printed("stepwatch watch: /etc/passwd: does not begin as a run log does\n");
    file_write("loop.sh", "rm -f loop; ln -s loop loop\n");
    ck_assert_int_eq(system("sh loop.sh"), 0);
    ck_assert_int_eq(stepwatch("watch --once loop"), 1);
    assert_printed("stepwatch watch: loop: Too many levels of symbolic links\n");
}
END_TEST

START_TEST(a_log_that_is_not_there_is_a_failure_once)
{
    host_close(host_open("runlog", "path: /dev/null\n"));
    ck_assert_int_eq(stepwatch("watch --once none.jsonl"), 1);
    ck_assert_int_eq(stepwatch("watch"), 2);
}
END_TEST

START_TEST(a_stream_of_json_has_an_object_a_line_and_ends_with_the_run)
{
    run_record("steps");
    ck_assert_int_eq(stepwatch("watch --json run.jsonl"), 0);
    assert_printed("{\"runs\":[{\"log\":\"run.jsonl\"");
    assert_printed("\"state\":\"finished\"");
    ck_assert_ptr_eq(strchr(command_output(), '\n') + 1,
                     command_output() + strlen(command_output()));
}
END_TEST

SUITE(watch)
{
    tcase_add_test(tc, a_line_is_handed_over_when_its_end_is_there);
    tcase_add_test(tc, lines_that_are_torn_everywhere_are_whole);
    tcase_add_test(tc, a_line_that_is_too_long_is_damaged_and_the_next_is_read);
    tcase_add_test(tc, a_log_that_is_replaced_cut_or_removed_is_followed);
    tcase_add_test(tc, a_curve_keeps_its_shape_in_constant_memory);
    tcase_add_loop_test(tc, once_prints_the_run_as_plain_lines, 0, 2);
    tcase_add_loop_test(tc, once_tells_the_same_of_regions_as_of_steps, 0, 3);
    tcase_add_test(tc, once_prints_the_numbers_as_json);
    tcase_add_loop_test(tc, tail_reads_the_last_epoch_of_a_long_log, 0, 6);
    tcase_add_test(tc, steps_and_values_count_however_they_are_written);
    tcase_add_test(tc, long_names_are_told_apart);
    tcase_add_test(tc, tail_of_a_log_without_epochs_is_the_whole_log);
    tcase_add_test(tc, a_log_of_another_version_is_named);
    tcase_add_test(tc, a_folder_shows_all_its_runs_and_nothing_else);
    tcase_add_test(tc, a_name_in_a_log_cannot_steer_the_terminal);
    tcase_add_test(tc, once_refuses_what_is_not_a_log);
    tcase_add_test(tc, a_log_that_is_not_there_is_a_failure_once);
    tcase_add_test(tc, a_stream_of_json_has_an_object_a_line_and_ends_with_the_run);
}
