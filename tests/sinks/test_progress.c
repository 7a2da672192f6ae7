/* SPDX-License-Identifier: MIT */
/* How far the loop is, as lines of a log: when, and what. */
#include "sinks/table/table_sink.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* ---- when ------------------------------------------------------------------------------------ */

START_TEST(lines_come_at_the_times_of_the_specification)
{
    static const int seconds[] = {10, 30, 60, 120, 300, 600, 1200, 1800, 2400, 3000, 3600};
    struct swi_progress_times times;
    size_t at = 0, day = 0;
    swi_progress_times_init(&times, SWI_PROGRESS_AUTO);
    for (int second = 0; second <= 24 * 3600; second++) {
        if (!swi_progress_due(&times, second * SECOND, false))
            continue;
        day++;
        if (second <= 3600)
            ck_assert_int_eq(second, seconds[at++]);
    }
    ck_assert_uint_eq(at, sizeof seconds / sizeof *seconds);
    ck_assert_uint_eq(day, 149);
}
END_TEST

/* The record that comes first after the time makes the line. */
START_TEST(a_late_record_does_not_shift_the_lines_that_follow)
{
    struct swi_progress_times times;
    swi_progress_times_init(&times, SWI_PROGRESS_AUTO);
    ck_assert(!swi_progress_due(&times, 9 * SECOND, false));
    ck_assert(swi_progress_due(&times, 29 * SECOND, false));
    ck_assert(swi_progress_due(&times, 30 * SECOND, false));
    ck_assert(swi_progress_due(&times, 1000 * SECOND, false));
    ck_assert(!swi_progress_due(&times, 1199 * SECOND, false));
    ck_assert(swi_progress_due(&times, 1200 * SECOND, false));
}
END_TEST

START_TEST(an_epoch_has_a_line_if_the_last_one_is_long_ago)
{
    struct swi_progress_times times;
    swi_progress_times_init(&times, SWI_PROGRESS_AUTO);
    ck_assert(!swi_progress_due(&times, 5 * SECOND, true));
    ck_assert(swi_progress_due(&times, 125 * SECOND, false));
    ck_assert(!swi_progress_due(&times, 184 * SECOND, true)); /* 59 s ago */
    ck_assert(swi_progress_due(&times, 185 * SECOND, true));
    ck_assert(swi_progress_due(&times, 600 * SECOND, false));
    ck_assert(!swi_progress_due(&times, 799 * SECOND, true)); /* less than a quarter of the run */
    ck_assert(swi_progress_due(&times, 800 * SECOND, true));
}
END_TEST

START_TEST(a_fixed_interval_has_only_its_own_times)
{
    struct swi_progress_times times;
    swi_progress_times_init(&times, 5 * SECOND);
    ck_assert(swi_progress_due(&times, 5 * SECOND, false));
    ck_assert(!swi_progress_due(&times, 9 * SECOND, true));
    ck_assert(swi_progress_due(&times, 11 * SECOND, false));
    ck_assert(!swi_progress_due(&times, 14 * SECOND, false));
    swi_progress_times_init(&times, 0);
    ck_assert(!swi_progress_due(&times, 5000 * SECOND, false));
    ck_assert(swi_progress_due(&times, 5001 * SECOND, true));
}
END_TEST

/* ---- what ------------------------------------------------------------------------------------ */

static void assert_line(const struct swi_progress_line *line, const char *expected)
{
    struct swi_text text = {0};
    swi_progress_line_log(&text, line, 120);
    ck_assert_str_eq(text.data, expected);
    ck_assert_uint_le(swi_text_width(text.data), 120);
    swi_text_free(&text);
}

START_TEST(a_line_is_that_of_the_specification)
{
    struct swi_shown_metric metric[] = {{"train/loss", 0, 0.3127}, {"valid/accuracy", 1, 0.9471}};
    struct swi_progress_line line = {.prefix = "stepwatch: ",
                                     .elapsed_s = 754,
                                     .epoch = 3,
                                     .step = 1250,
                                     .total = 4000,
                                     .metric = metric,
                                     .metrics = 2,
                                     .rate = 42041,
                                     .step_ns = 1.5e6,
                                     .eta_s = 1660,
                                     .phase = "",
                                     .utf8 = true};
    assert_line(&line, "stepwatch: 12:34  epoch 3  step 1,250/4,000  train/loss 0.3127  "
                       "42,041 samples/s  1.50 ms/step  eta 27:40");
}
END_TEST

static void assert_live(const struct swi_progress_line *line, size_t width, const char *expected)
{
    struct swi_text text = {0};
    swi_progress_line_live(&text, line, width);
    ck_assert_str_eq(text.data, expected);
    swi_text_free(&text);
}

START_TEST(the_live_line_says_what_monitors_know_of_process_and_gpu)
{
    struct swi_run_progress progress;
    struct sw_metric metric[] = {{"process/cpu_percent", 87.4, SW_BY_MONITOR},
                                 {"process/rss_bytes", 1536.0 * 1048576, SW_BY_MONITOR},
                                 {"gpu/0/utilization_percent", 90, SW_BY_MONITOR},
                                 {"gpu/1/utilization_percent", 50, SW_BY_MONITOR},
                                 {"gpu/1/memory_percent", 3, SW_BY_MONITOR}};
    struct sw_record record = {.size = sizeof record, .type = SW_RECORD_METRICS, .step = 7};
    record.metrics.item = metric;
    record.metrics.count = sizeof metric / sizeof *metric;
    record.metrics.stride = sizeof *metric;
    swi_progress_init(&progress, NULL);
    swi_progress_take(&progress, &record);
    ck_assert(!progress.begun); /* it is no step */
    struct swi_progress_line line = {.prefix = "", .epoch = 1, .step = 5, .eta_s = 60, .phase = ""};
    line.machine = progress.machine;
    assert_live(&line, 80, "0:00  epoch 1  step 5  eta 1:00  CPU 87 %  1.50 GB  GPU 70 %");
    assert_live(&line, 50, "0:00  epoch 1  step 5  eta 1:00");
    record.metrics.count = 1;
    metric[0].value = 12;
    swi_progress_take(&progress, &record);
    line.machine = progress.machine;
    assert_live(&line, 80, "0:00  epoch 1  step 5  eta 1:00  CPU 12 %  1.50 GB  GPU 70 %");
}
END_TEST

START_TEST(what_has_no_room_falls_away_and_no_name_steers_the_terminal)
{
    struct swi_shown_metric metric[3] = {{"", 0, 1.5}, {"", 1, NAN}, {"c\n\033[31m", 2, 1e-9}};
    memset(metric[0].name, 'a', 40);
    memset(metric[1].name, 'b', 40);
    struct swi_progress_line line = {.prefix = "stepwatch: ",
                                     .elapsed_s = 75400,
                                     .epoch = 12,
                                     .step = 1234567,
                                     .total = INT64_C(9876543210),
                                     .metric = metric,
                                     .metrics = 3,
                                     .rate = 42041,
                                     .step_ns = 1.5e6,
                                     .eta_s = 166000,
                                     .phase = "validating",
                                     .utf8 = true};
    assert_line(&line, "stepwatch: 20:56:40  epoch 12  step 1,234,567/9,876,543,210  "
                       "42,041 samples/s  1.50 ms/step  eta 46:06:40  validating");
    line.metric = &metric[1];
    line.metrics = 2;
    line.total = 0;
    line.phase = "";
    line.rate = line.step_ns = 0;
    assert_line(&line, "stepwatch: 20:56:40  epoch 12  step 1,234,567  "
                       "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb nan  c??[31m 1e-09  eta 46:06:40");
}
END_TEST

START_TEST(a_latin_1_terminal_gets_no_micro_sign)
{
    struct swi_shown_metric metric[] = {{"gr\xc3\xb6\xc3\x9f"
                                         "e",
                                         0, INFINITY}};
    struct swi_progress_line line = {.prefix = "",
                                     .elapsed_s = 5,
                                     .epoch = 1,
                                     .step = 1,
                                     .metric = metric,
                                     .metrics = 1,
                                     .step_ns = 12300,
                                     .eta_s = -1,
                                     .phase = ""};
    assert_line(&line, "0:05  epoch 1  step 1  gr??e inf  12.3 us/step");
    line.utf8 = true;
    assert_line(&line, "0:05  epoch 1  step 1  gr\xc3\xb6\xc3\x9f"
                       "e inf  12.3 µs/step");
}
END_TEST

/* As the live line: 54 columns, 39, and hardly any. */
START_TEST(a_narrow_terminal_keeps_the_step_and_the_loss_longest)
{
    static const struct {
        size_t width;
        const char *expected;
    } lines[] = {
        {90, "1:02  epoch 3  step 189/4,000  loss 0.684  109 samples/s  588 ms/step  eta 37:21"},
        {79, "1:02  epoch 3  step 189/4,000  loss 0.684  109 samples/s  eta 37:21"},
        {65, "epoch 3  step 189/4,000  loss 0.684  109 samples/s  eta 37:21"},
        {54, "epoch 3  step 189/4,000  loss 0.684  eta 37:21"},
        {39, "epoch 3  step 189/4,000  eta 37:21"},
        {30, "epoch 3  step 189/4,000"},
        {10, "epoch 3  s"},
    };
    struct swi_shown_metric metric[] = {{"loss", 0, 0.684}};
    struct swi_progress_line line = {.prefix = "",
                                     .elapsed_s = 62,
                                     .epoch = 3,
                                     .step = 189,
                                     .total = 4000,
                                     .metric = metric,
                                     .metrics = 1,
                                     .rate = 109,
                                     .step_ns = 588e6,
                                     .eta_s = 2241,
                                     .phase = "",
                                     .utf8 = true};
    struct swi_text text = {0};
    swi_progress_line_live(&text, &line, lines[_i].width);
    ck_assert_str_eq(text.data, lines[_i].expected);
    swi_text_free(&text);
}
END_TEST

/* ---- a run without a terminal ---------------------------------------------------------------- */

static int stderr_before;

static void stderr_begin(void)
{
    fflush(stderr);
    stderr_before = dup(STDERR_FILENO);
    int fd = open("stderr.txt", O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    dup2(fd, STDERR_FILENO);
    close(fd);
}

static void stderr_end(void)
{
    dup2(stderr_before, STDERR_FILENO);
    close(stderr_before);
}

/* An epoch: steps of 64 samples, two a second; then validation of ten seconds without steps. The
 * values of a step come after it. */
static void epoch(struct host *host, int steps)
{
    struct sw_profiler *sw = host_profiler(host);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < steps; i++) {
        sw_begin(sw, SW_BATCH);
        host_wait(host, SECOND / 2);
        sw_log(sw, "lr", 0.1);
        sw_log(sw, "train/accuracy", 0.25);
        sw_log(sw, "valid/loss", 7);
        sw_log(sw, "train/loss", 1.0 / (double)(sw_get_step(sw) + 1));
        sw_end_batch(sw, 64);
    }
    sw_end(sw, SW_TRAIN);
    sw_begin(sw, SW_VALID);
    host_wait(host, 10 * SECOND);
    sw_end(sw, SW_VALID);
    sw_end(sw, SW_EPOCH);
}

static void run(const char *options, int epochs, int steps)
{
    struct host *host = host_open("table", "live: off\npath: /dev/null\n");
    host_close(host); /* enters the scratch folder */
    stderr_begin();
    host = host_open_with("table", options, "rolling_average: 2\n");
    sw_expect_steps(host_profiler(host), (int64_t)epochs * steps);
    sw_begin(host_profiler(host), SW_FIT);
    for (int i = 0; i < epochs; i++)
        epoch(host, steps);
    sw_end(host_profiler(host), SW_FIT);
    host_close(host);
    stderr_end();
}

START_TEST(a_run_without_a_terminal_writes_whole_lines)
{
    run("path: /dev/null\n", 2, 50);
    ck_assert_str_eq(host_file("stderr.txt"),
                     "stepwatch: 0:10  epoch 1  step 20/100  train/loss 0.05263  valid/loss 7  "
                     "train/accuracy 0.25  128 samples/s  500 ms/step\n"
                     "stepwatch: 0:35  epoch 1  step 50/100  train/loss 0.02  valid/loss 7  "
                     "128 samples/s  500 ms/step  eta 0:42\n"
                     "stepwatch: 1:00  epoch 2  step 100/100  train/loss 0.0101  valid/loss 7  "
                     "train/accuracy 0.25  128 samples/s  500 ms/step\n"
                     "stepwatch: 1:10  epoch 2  step 100/100  train/loss 0.01  valid/loss 7  "
                     "train/accuracy 0.25  done\n");
}
END_TEST

START_TEST(a_run_of_less_than_ten_seconds_writes_none)
{
    run("path: /dev/null\n", 1, 0);
    ck_assert_str_eq(host_file("stderr.txt"), "");
    run("path: /dev/null\nlive: off\n", 2, 50);
    ck_assert_str_eq(host_file("stderr.txt"), "");
}
END_TEST

START_TEST(each_epoch_has_a_line_if_that_is_asked_for_and_shows_what_was_chosen)
{
    run("path: /dev/null\nprogress: 0s\nmetrics: [lr, none]\nlive: lines\n", 3, 2);
    ck_assert_str_eq(host_file("stderr.txt"),
                     "stepwatch: 0:11  epoch 1  step 2/6  lr 0.1  128 samples/s  500 ms/step\n"
                     "stepwatch: 0:22  epoch 2  step 4/6  lr 0.1  128 samples/s  500 ms/step"
                     "  eta 0:11\n"
                     "stepwatch: 0:33  epoch 3  step 6/6  lr 0.1  128 samples/s  500 ms/step\n");
}
END_TEST

SUITE(progress_lines)
{
    tcase_add_test(tc, lines_come_at_the_times_of_the_specification);
    tcase_add_test(tc, a_late_record_does_not_shift_the_lines_that_follow);
    tcase_add_test(tc, an_epoch_has_a_line_if_the_last_one_is_long_ago);
    tcase_add_test(tc, a_fixed_interval_has_only_its_own_times);
    tcase_add_test(tc, a_line_is_that_of_the_specification);
    tcase_add_test(tc, the_live_line_says_what_monitors_know_of_process_and_gpu);
    tcase_add_test(tc, what_has_no_room_falls_away_and_no_name_steers_the_terminal);
    tcase_add_test(tc, a_latin_1_terminal_gets_no_micro_sign);
    tcase_add_loop_test(tc, a_narrow_terminal_keeps_the_step_and_the_loss_longest, 0, 7);
    tcase_add_test(tc, a_run_without_a_terminal_writes_whole_lines);
    tcase_add_test(tc, a_run_of_less_than_ten_seconds_writes_none);
    tcase_add_test(tc, each_epoch_has_a_line_if_that_is_asked_for_and_shows_what_was_chosen);
}
