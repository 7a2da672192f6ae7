/* SPDX-License-Identifier: MIT */
/* Logs of many steps and of many fits: explain and compare find in them what they find in shorter
 * ones, in memory that does not grow with the log, and watch --tail reads little of them. */
#include "tests/support/host.h"
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"
#include "tools/watch/follow.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* Every 400th step takes 40 ms more, in forward. */
enum { EPOCH = 40000, PERIOD = 400, SAMPLES = 32, SAMPLE_EVERY = 100 };

struct written {
    FILE *file;
    int64_t t;
};

static struct written log_begin_of(const char *path, const char *detail)
{
    struct written log = {.file = fopen(path, "w")};
    ck_assert_ptr_nonnull(log.file);
    fprintf(log.file,
            "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"detail\":\"%s\","
            "\"drop_first_batch\":false}\n",
            detail);
    return log;
}

static struct written log_begin(const char *path)
{
    return log_begin_of(path, "steps");
}

static void mark(struct written *log, const char *type, const char *action)
{
    fprintf(log->file, "{\"type\":\"%s\",\"t\":%" PRId64 ",\"action\":\"%s\"}\n", type, log->t,
            action);
}

static void step(struct written *log, int64_t i, const char *action)
{
    int64_t noise = i * 7919 % 1009 * 20, draw = 250000 + noise / 4, forward = 700000 + noise;
    if (i % PERIOD == PERIOD - 1)
        forward += 40000000;
    log->t += draw + forward + 50000;
    fprintf(log->file,
            "{\"type\":\"step\",\"t\":%" PRId64 ",\"step\":%" PRId64
            ",\"phase\":\"train\",\"samples\":%d,\"durations\":{\"draw\":%" PRId64
            ",\"%s\":%" PRId64 ",\"batch\":%" PRId64 "}}\n",
            log->t, i, SAMPLES, draw, action, forward, forward + 50000);
    if (i % SAMPLE_EVERY == 0)
        fprintf(log->file,
                "{\"type\":\"metric\",\"t\":%" PRId64 ",\"step\":%" PRId64
                ",\"name\":\"process/rss_bytes\",\"value\":%" PRId64 ",\"by\":\"monitor\"}\n",
                log->t, i, INT64_C(1000000000) + 5000 * i);
}

static void log_end(struct written *log)
{
    fprintf(log->file, "{\"type\":\"finish\",\"t\":%" PRId64 ",\"exit_status\":0}\n", log->t);
    ck_assert_int_eq(fclose(log->file), 0);
}

static void long_log_write(const char *path, int64_t steps)
{
    struct written log = log_begin(path);
    mark(&log, "begin", "fit");
    for (int64_t i = 0; i < steps; i++) {
        if (i % EPOCH == 0)
            mark(&log, "begin", "epoch");
        step(&log, i, "forward");
        if (i % EPOCH == EPOCH - 1)
            mark(&log, "end", "epoch");
    }
    mark(&log, "end", "fit");
    log_end(&log);
}

/* Of all commands of this test, the most. */
static void assert_little_memory(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    if (!SANITIZED)
        ck_assert_msg(usage.ru_maxrss < 64 * 1024, "it took %ld KiB", usage.ru_maxrss);
}

START_TEST(findings_of_a_long_run_are_those_of_a_shorter_one_and_say_of_which_steps)
{
    scratch_enter();
    long_log_write("long.jsonl", 700000);
    ck_assert_int_eq(stepwatch("explain long.jsonl"), 0);
    assert_printed("fit 1, 700,000 steps of training, of which 90,112 are judged\n");
    assert_printed("draw takes 23 % of a step, over 90,112 of the 700,000 steps.");
    assert_printed("every 400 steps");
    assert_printed("This is of 90,112 of the 700,000 steps.");
    assert_printed("memory grew all the time, by ");
    long_log_write("short.jsonl", 100000);
    ck_assert_int_eq(stepwatch("explain short.jsonl"), 0);
    assert_printed("fit 1, 100,000 steps of training\n");
    assert_printed("draw takes 23 % of a step. If");
    assert_printed("every 400 steps");
    assert_printed("memory grew all the time, by ");
    assert_not_printed("of the 100,000 steps");
    assert_little_memory();
}
END_TEST

START_TEST(commands_need_no_more_memory_for_a_longer_log)
{
    scratch_enter();
    long_log_write("run.jsonl", 700000);
    ck_assert_int_eq(stepwatch("compare --json run.jsonl run.jsonl"), 0);
    assert_printed("input-bound");
    ck_assert_int_eq(stepwatch("report run.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report run.jsonl --json"), 0);
    ck_assert_int_eq(stepwatch("explain --json - <run.jsonl"), 0);
    assert_printed("\"steps\": 700000");
    assert_printed("\"judged\": 90112");
    assert_little_memory();
}
END_TEST

/* It would be read into memory as one line. */
START_TEST(a_large_file_without_lines_is_not_read_to_its_end)
{
    scratch_enter();
    ck_assert_int_eq(system("truncate -s 4T none.jsonl || truncate -s 1G none.jsonl"), 0);
    ck_assert_int_eq(stepwatch("report none.jsonl"), 1);
    assert_printed("none.jsonl:1: the line is longer than 128 MiB: is it a run log?\n");
    ck_assert_int_eq(stepwatch("explain none.jsonl"), 1);
    assert_printed("none.jsonl:1: the line is longer than 128 MiB: is it a run log?\n");
}
END_TEST

START_TEST(each_of_many_fits_has_its_findings)
{
    scratch_enter();
    struct written log = log_begin("run.jsonl");
    for (int fit = 0; fit < 1500; fit++) {
        mark(&log, "begin", "fit");
        for (int i = 0; i < 300; i++)
            step(&log, i, "forward");
        mark(&log, "end", "fit");
    }
    log_end(&log);
    ck_assert_int_eq(stepwatch("explain run.jsonl >found.txt && grep -c input-bound found.txt"), 0);
    assert_printed("1500\n");
    ck_assert_int_eq(stepwatch("explain run.jsonl >found.txt && grep -c '25 % of a' found.txt"), 0);
    assert_printed("1500\n");
    assert_little_memory();
}
END_TEST

/* The findings of one are printed before the next is judged, or only the largest are kept. */
START_TEST(findings_of_many_fits_take_no_more_memory)
{
    enum { FITS = 12000, OF_FIT = 12 };
    scratch_enter();
    struct written log = log_begin("run.jsonl");
    for (int fit = 1; fit <= FITS; fit++) {
        mark(&log, "begin", "fit");
        for (int i = 0; i < OF_FIT; i++)
            step(&log, i, "forward");
        mark(&log, "end", "fit");
        fprintf(log.file,
                "{\"type\":\"report\",\"t\":%" PRId64 ",\"fit\":%d,\"by\":\"profiler\","
                "\"own_ns\":%d,\"rows\":[]}\n",
                log.t, fit, fit == FITS / 2 ? 5000000 : 1000);
    }
    log_end(&log);
    ck_assert_int_eq(
        stepwatch("explain run.jsonl >found.txt && grep -c '^run.jsonl: fit' found.txt"), 0);
    assert_printed("12000\n");
    ck_assert_int_eq(
        stepwatch("explain --json run.jsonl >found.json && grep -c '\"fit\": ' found.json"), 0);
    assert_printed("12000\n");
    ck_assert_int_eq(stepwatch("compare --json run.jsonl run.jsonl"), 0);
    ck_assert_int_eq(
        stepwatch("report --json run.jsonl >found.json && grep -c '\"fit\": ' found.json"), 0);
    assert_printed("12000\n");
    ck_assert_int_eq(
        stepwatch(
            "report --json run.jsonl >found.json && grep -c '\"own_ns\": 5000000' found.json"),
        0);
    assert_printed("1\n");
    assert_little_memory();
}
END_TEST

/* They are judged while the log is replayed, each with its own report. */
START_TEST(each_of_many_fits_of_regions_has_its_findings)
{
    enum { FITS = 600, OF_FIT = 1800 };
    scratch_enter();
    struct written log = log_begin_of("run.jsonl", "regions");
    for (int fit = 1; fit <= FITS; fit++) {
        mark(&log, "begin", "fit");
        for (int i = 0; i < OF_FIT; i++) {
            mark(&log, "begin", "batch");
            log.t += 1000000;
            mark(&log, "end", "batch");
        }
        mark(&log, "end", "fit");
        fprintf(log.file,
                "{\"type\":\"report\",\"t\":%" PRId64 ",\"fit\":%d,\"by\":\"profiler\","
                "\"fit_ns\":%d000000,\"own_ns\":1000000,\"rows\":[]}\n",
                log.t, fit, OF_FIT);
    }
    log_end(&log);
    ck_assert_int_eq(
        stepwatch("explain run.jsonl >found.txt && grep -c '1,800 steps of training' found.txt"),
        0);
    assert_printed("600\n");
    ck_assert_int_eq(
        stepwatch("explain run.jsonl >found.txt && grep -c 'overhead *none' found.txt"), 0);
    assert_printed("600\n");
    assert_little_memory();
}
END_TEST

START_TEST(of_too_many_actions_the_rest_is_one)
{
    scratch_enter();
    struct written log = log_begin("run.jsonl");
    mark(&log, "begin", "fit");
    for (int i = 0; i < 200000; i++) {
        char action[32];
        snprintf(action, sizeof action, "own_%d", i % 500);
        step(&log, i, action);
    }
    mark(&log, "end", "fit");
    log_end(&log);
    ck_assert_int_eq(stepwatch("explain run.jsonl"), 0);
    assert_printed("over 27,968 of the 200,000 steps");
    assert_little_memory();
}
END_TEST

/* ---- watch --tail ---------------------------------------------------------------------------- */

/* An epoch has about 60 MiB, and the last one less; or there is a single one, and what was written
 * last is shown of it. */
enum { STEPS = 240000, QUICK = 100, NAMES = 8, MIB = 1 << 20 };
static const struct {
    const char *options;
    int epochs;
    int64_t read_most; /* bytes; 0: anything is little */
} tails[] = {{"path: run.jsonl\n", 5, 160 * MIB},
             {"path: run.jsonl\n", 1, 160 * MIB},
             {"path: run.jsonl\ncompress: gzip\n", 5, 0}};

/* The last steps are quick. */
static void run_write(const char *options, int epochs)
{
    char name[NAMES][64];
    for (int k = 0; k < NAMES; k++)
        snprintf(name[k], sizeof name[k], "train/metric_%d_with_a_long_name_that_fills_the_log", k);
    struct host *host = host_open_with("runlog", options, "mode: simple\n");
    struct sw_profiler *sw = host_profiler(host);
    sw_expect_steps(sw, STEPS + 7);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < STEPS; i++) {
        if (i * (int64_t)epochs % STEPS < epochs)
            sw_begin(sw, SW_EPOCH);
        if (i == 5)
            sw_alert(sw, SW_WARNING, "diverged", "look");
        sw_begin(sw, SW_DRAW);
        host_wait(host, i < STEPS - QUICK ? 4000000 : 1000000);
        sw_next(sw, SW_BATCH);
        host_wait(host, 6000000);
        for (int k = 0; k < NAMES; k++)
            sw_log(sw, name[k], i / 3.0);
        sw_end_batch(sw, 64);
        if ((i + 1) * (int64_t)epochs % STEPS < epochs)
            sw_end(sw, SW_EPOCH);
        if (i % 1000 == 0)
            sw_flush(sw, INT64_C(60000000000));
    }
    host_close(host);
}

/* Returns what this process and the commands that have ended have read, or -1 if it is not known.
 */
static int64_t bytes_read(void)
{
    char line[200];
    long long bytes = -1;
    FILE *file = fopen("/proc/self/io", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "rchar: %lld", &bytes) == 1)
            break;
    if (file)
        fclose(file);
    return bytes;
}

START_TEST(tail_of_a_long_log_reads_little_and_knows_what_was_before)
{
    char epoch[32];
    struct stat log;
    run_write(tails[_i].options, tails[_i].epochs);
    ck_assert_int_eq(stat("run.jsonl", &log), 0);
    ck_assert_int_gt(tail_find("run.jsonl").jump, log.st_size / 4);
    int64_t before = bytes_read();
    ck_assert_int_eq(stepwatch("watch --once --json --tail run.jsonl"), 0);
    int64_t read = bytes_read() - before;
    snprintf(epoch, sizeof epoch, "\"epoch\": %d,", tails[_i].epochs);
    assert_printed(epoch);
    assert_printed("\"step\": 240000,");
    assert_printed("\"steps_expected\": 240007,");
    assert_printed("\"state\": \"finished\"");
    assert_printed("\"train/metric_7_with_a_long_name_that_fills_the_log\": 79999.66");
    ck_assert_int_eq(stepwatch("watch --once --tail run.jsonl"), 0);
    assert_printed("diverged: look");
    if (before < 0 || !tails[_i].read_most)
        return;
    ck_assert_int_gt(log.st_size, 220 * MIB);
    ck_assert_msg(read < tails[_i].read_most, "%" PRId64 " bytes were read", read);
}
END_TEST

/* A mean of each tenth step, as the run has it, of a step that takes as long as all others. */
START_TEST(a_long_log_is_verified_in_little_memory)
{
    enum { ALL = 300000, OWN = 12, WINDOW = 10 };
    scratch_enter();
    struct written log = log_begin("run.jsonl");
    mark(&log, "begin", "fit");
    for (int i = 0; i < ALL; i++) {
        log.t += 1000000;
        fprintf(log.file,
                "{\"type\":\"step\",\"t\":%" PRId64 ",\"step\":%d,\"samples\":8,\"durations\":{",
                log.t, i);
        for (int k = 0; k < OWN; k++)
            fprintf(log.file, "\"own_%d\":10000,", k);
        fprintf(log.file, "\"batch\":1000000}}\n");
        for (int k = 0; i && i % WINDOW == 0 && k < OWN; k++)
            fprintf(log.file,
                    "{\"type\":\"metric\",\"t\":%" PRId64 ",\"step\":%d,\"by\":\"profiler\","
                    "\"name\":\"time_ms/own_%d\",\"value\":%s}\n",
                    log.t, i, k, i == ALL / 2 && k == 3 ? "0.02" : "0.01");
    }
    mark(&log, "end", "fit");
    log_end(&log);
    ck_assert_int_eq(stepwatch("replay --verify run.jsonl"), 1);
    assert_printed("step 150000 time_ms/own_3: recorded 0.02, replayed 0.01\n");
    assert_printed("run.jsonl: 359988 results compared, 1 differ\n");
    assert_little_memory();
}
END_TEST

LONG_SUITE(long_logs)
{
    tcase_add_test(tc, a_long_log_is_verified_in_little_memory);
    tcase_set_timeout(tc, 240);
    tcase_add_test(tc, findings_of_a_long_run_are_those_of_a_shorter_one_and_say_of_which_steps);
    tcase_add_test(tc, commands_need_no_more_memory_for_a_longer_log);
    tcase_add_test(tc, a_large_file_without_lines_is_not_read_to_its_end);
    tcase_add_test(tc, each_of_many_fits_has_its_findings);
    tcase_add_test(tc, findings_of_many_fits_take_no_more_memory);
    tcase_add_test(tc, each_of_many_fits_of_regions_has_its_findings);
    tcase_add_test(tc, of_too_many_actions_the_rest_is_one);
    tcase_add_loop_test(tc, tail_of_a_long_log_reads_little_and_knows_what_was_before, 0, 3);
}
