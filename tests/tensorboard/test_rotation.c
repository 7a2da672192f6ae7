/* SPDX-License-Identifier: MIT */
/* test_rotation.c - event files of the sink tensorboard with when_full: rotate. */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>
#include <stepwatch/tensorboard.h>
#include <stepwatch/values.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SIZE = 200000, FILE_VERSION = 3 /* of an event */ };

static int64_t now_ns;

static int64_t clock_ns(void *arg)
{
    (void)arg;
    return now_ns;
}

static struct sw_profiler *open_run(const char *options)
{
    char yaml[1024];
    struct sw_error err = {0};
    snprintf(yaml, sizeof yaml,
             "profiler: {mode: simple, show_report: false, rolling_average: 50}\n"
             "logger_callback: [{tensorboard: {logdir: \"%s\", run: a, thin_after: 0%s}}]\n",
             scratch(), options);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_clock(sw, clock_ns, NULL);
    sw_set_start(sw, BASE);
    return sw;
}

static struct sw_profiler *open_rotating(void)
{
    return open_run(", max_size: 200kB, when_full: rotate");
}

/* A fit of one epoch. The loss is the step. */
static void fit(struct sw_profiler *sw, int64_t first, int64_t steps)
{
    sw_set_step(sw, first);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int64_t i = first; i < first + steps; i++) {
        sw_begin(sw, SW_BATCH);
        now_ns += 1000000;
        sw_log(sw, "train/loss", (double)i);
        sw_end_batch(sw, 100);
        if (i % 500 == 0)
            sw_flush(sw, INT64_C(10000000000));
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
}

static void close_run(struct sw_profiler *sw)
{
    struct sw_error err = {0};
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
}

/* ---- what the folder has --------------------------------------------------------------------- */

/* The values of a tag in all files, in the order of their names. */
struct found {
    size_t files, count;
    int64_t first, last; /* steps */
    bool ascends;
};

static struct found find(const char *tag)
{
    struct found found = {.ascends = true};
    char **path = event_files(in_scratch("a"), &found.files);
    for (size_t i = 0; i < found.files; i++) {
        struct events *events = events_read(path[i]);
        const struct swi_tb_event_message *event;
        for (size_t n = 0; n < values_of(events, tag); n++) {
            value_of(events, tag, n, &event);
            found.ascends = found.ascends && (!found.count || event->step > found.last);
            found.first = found.count++ ? found.first : event->step;
            found.last = event->step;
        }
        events_free(events);
    }
    return found;
}

static int64_t bytes_of_run(void)
{
    size_t files;
    struct stat st;
    int64_t bytes = 0;
    char **path = event_files(in_scratch("a"), &files);
    for (size_t i = 0; i < files; i++) {
        ck_assert_int_eq(stat(path[i], &st), 0);
        bytes += st.st_size;
    }
    return bytes;
}

START_TEST(the_newest_steps_stay_and_the_oldest_are_removed)
{
    struct sw_profiler *sw = open_rotating();
    fit(sw, 0, 30000);
    close_run(sw);
    struct found loss = find("train/loss");
    ck_assert_int_gt(loss.first, 20000);
    ck_assert_int_eq(loss.last, 29999);
    ck_assert_uint_eq(loss.count, (size_t)(30000 - loss.first));
    ck_assert(loss.ascends);
    ck_assert_uint_ge(loss.files, 4);
    ck_assert_uint_le(loss.files, 5);
    ck_assert_int_lt(bytes_of_run(), MAX_SIZE);
    ck_assert_int_gt(bytes_of_run(), MAX_SIZE / 2);
}
END_TEST

START_TEST(results_of_removed_files_stay)
{
    struct sw_profiler *sw = open_rotating();
    sw_hparam_float(sw, "lr", 0.1);
    sw_alert(sw, SW_WARNING, "early", "it began");
    sw_log_text(sw, "plan", "what is tried");
    fit(sw, 0, 1000);
    fit(sw, 1000, 1000);
    fit(sw, 2000, 30000);
    close_run(sw);
    ck_assert_int_gt(find("train/loss").first, 20000);
    ck_assert_uint_eq(find("profile_report").count, 3);
    ck_assert_uint_eq(find("profile_results").count, 3);
    ck_assert_uint_eq(find("~whole_fit/fit_duration_ms").count, 3);
    ck_assert_uint_eq(find("~time_ms_histogram/train_batch").count, 3);
    ck_assert_uint_eq(find("~time_ms_epoch/epoch").count, 3);
    ck_assert_uint_ge(find("custom_scalars__config__").count, 1);
    ck_assert_uint_eq(find("_hparams_/session_start_info").count, 1);
    ck_assert_uint_eq(find("_hparams_/session_end_info").count, 1);
    ck_assert_uint_eq(find("alerts").count, 1);
    ck_assert_uint_eq(find("plan").count, 1);
    ck_assert(find("profile_report").ascends && find("~time_ms_histogram/train_batch").ascends);
}
END_TEST

/* Steps may not go back in what readers see, and a marker would hide points. */
START_TEST(each_file_can_be_read_by_itself)
{
    size_t files, markers = 0;
    struct sw_profiler *sw = open_rotating();
    fit(sw, 0, 30000);
    close_run(sw);
    char **path = event_files(in_scratch("a"), &files);
    for (size_t i = 0; i < files; i++) {
        struct events *events = events_read(path[i]);
        ck_assert(!events->torn);
        ck_assert_str_eq(events->event[0]->file_version, "brain.Event:2");
        for (size_t k = 1; k < events->count; k++) {
            ck_assert_uint_ne(events->event[k]->what, FILE_VERSION);
            markers += events->event[k]->what == TB_EVENT_SESSION_LOG;
        }
        const struct swi_tb_value_message *loss = value_of(events, "train/loss", 0, NULL);
        ck_assert(!loss || loss->metadata);
        events_free(events);
    }
    ck_assert_uint_eq(markers, 1);
}
END_TEST

START_TEST(texts_and_histograms_of_the_program_take_a_quarter_at_most)
{
    char text[1001];
    struct sw_profiler *sw = open_rotating();
    memset(text, 'x', sizeof text);
    text[1000] = '\0';
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 1000; i++) {
        sw_begin(sw, SW_BATCH);
        now_ns += 1000000;
        sw_log_text(sw, "sample", text);
        sw_end_batch(sw, 1);
        sw_flush(sw, INT64_C(10000000000));
    }
    sw_end(sw, SW_FIT);
    close_run(sw);
    struct found found = find("sample");
    ck_assert_int_eq(found.first, 0);
    ck_assert_int_eq(found.last, 999);
    ck_assert_int_lt(bytes_of_run(), MAX_SIZE);
    ck_assert_uint_eq(find("profile_report").count, 1);
}
END_TEST

/* ---- several processes ----------------------------------------------------------------------- */

START_TEST(a_resumed_run_has_one_limit_with_the_earlier_ones)
{
    for (int i = 0; i < 4; i++) {
        struct sw_profiler *sw = open_rotating();
        fit(sw, 5000 * i, 5000);
        close_run(sw);
        ck_assert_int_lt(bytes_of_run(), MAX_SIZE);
    }
    ck_assert_int_gt(find("train/loss").first, 10000);
    ck_assert_int_eq(find("train/loss").last, 19999);
    ck_assert_uint_eq(find("profile_report").count, 4);
    ck_assert(find("train/loss").ascends);
}
END_TEST

/* As a process leaves them that was killed while it wrote a value and copied results. */
START_TEST(damaged_ends_of_a_killed_process_do_no_harm)
{
    size_t files;
    struct sw_profiler *sw = open_rotating();
    fit(sw, 0, 5000);
    close_run(sw);
    char **path = event_files(in_scratch("a"), &files);
    FILE *file = fopen(path[files - 1], "a");
    fputs("\x40\x00\x00", file);
    fclose(file);
    file = fopen(in_scratch("a/.part-results"), "w");
    fputs("half", file);
    fclose(file);
    sw = open_rotating();
    fit(sw, 5000, 30000);
    close_run(sw);
    ck_assert_int_eq(access(in_scratch("a/.part-results"), F_OK), -1);
    ck_assert_int_lt(bytes_of_run(), MAX_SIZE);
    ck_assert_uint_eq(find("profile_report").count, 2);
    ck_assert_int_eq(find("train/loss").last, 34999);
}
END_TEST

START_TEST(files_that_are_not_of_a_rotating_run_stay_as_they_are)
{
    struct stat before, after;
    size_t files;
    struct sw_profiler *sw = open_run("");
    fit(sw, 0, 5000);
    close_run(sw);
    struct sw_tb *tb = sw_tb_open(in_scratch("a"), NULL, NULL);
    sw_tb_scalar(tb, "other", 1, 1);
    ck_assert_int_eq(sw_tb_close(tb, NULL), 0);
    ck_assert_int_eq(stat(event_files(in_scratch("a"), &files)[0], &before), 0);
    sw = open_rotating();
    fit(sw, 5000, 30000);
    close_run(sw);
    ck_assert_int_eq(stat(event_files(in_scratch("a"), &files)[0], &after), 0);
    ck_assert_int_eq(before.st_ino, after.st_ino);
    ck_assert_int_eq(before.st_size, after.st_size);
    ck_assert_uint_eq(find("other").count, 1);
    ck_assert_int_eq(find("train/loss").first, 0);
}
END_TEST

/* ---- other options --------------------------------------------------------------------------- */

START_TEST(split_runs_have_the_limit_together)
{
    struct sw_profiler *sw = open_run(", max_size: 200kB, when_full: rotate, split_runs: true");
    fit(sw, 0, 1000);
    fit(sw, 1000, 30000);
    close_run(sw);
    ck_assert_int_lt(bytes_of_run(), MAX_SIZE);
    ck_assert_int_gt(find("loss").first, 20000);
    ck_assert_int_eq(find("loss").last, 30999);
    ck_assert_uint_eq(find("profile_report").count, 2);
    ck_assert_uint_eq(find("~time_ms_histogram/batch").count, 2);
}
END_TEST

START_TEST(rotating_needs_a_limit)
{
    struct sw_error err = {0};
    ck_assert_ptr_null(sw_open_text("logger_callback: [{tensorboard: {when_full: rotate}}]", &err));
    ck_assert_ptr_nonnull(
        strstr(sw_error_text(&err), "when_full: rotate needs a limit: set max_size"));
}
END_TEST

SUITE(tensorboard_rotation)
{
    tcase_add_checked_fixture(tc, NULL, scratch_remove);
    tcase_add_test(tc, the_newest_steps_stay_and_the_oldest_are_removed);
    tcase_add_test(tc, results_of_removed_files_stay);
    tcase_add_test(tc, each_file_can_be_read_by_itself);
    tcase_add_test(tc, texts_and_histograms_of_the_program_take_a_quarter_at_most);
    tcase_add_test(tc, a_resumed_run_has_one_limit_with_the_earlier_ones);
    tcase_add_test(tc, damaged_ends_of_a_killed_process_do_no_harm);
    tcase_add_test(tc, files_that_are_not_of_a_rotating_run_stay_as_they_are);
    tcase_add_test(tc, split_runs_have_the_limit_together);
    tcase_add_test(tc, rotating_needs_a_limit);
}
