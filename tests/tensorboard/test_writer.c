/* SPDX-License-Identifier: MIT */
/* test_writer.c - files and their names, flushing, tags, and what happens when something is wrong.
 */
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stepwatch/tensorboard.h>

#include <math.h>
#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

static struct sw_error err;

static struct sw_tb *open_run(const char *run)
{
    struct sw_tb *tb = sw_tb_open(in_scratch("%s", run), NULL, &err);
    ck_assert_msg(tb != NULL, "%s", sw_error_text(&err));
    return tb;
}

static void close_run(struct sw_tb *tb)
{
    ck_assert_msg(sw_tb_close(tb, &err) == 0, "%s", sw_error_text(&err));
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool name_matches(const char *path, const char *pattern)
{
    regex_t regex;
    ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool matches = regexec(&regex, strrchr(path, '/') + 1, 0, NULL, 0) == 0;
    regfree(&regex);
    return matches;
}

START_TEST(a_file_is_named_by_time_host_process_and_counter)
{
    char pattern[128];
    snprintf(pattern, sizeof pattern,
             "^events\\.out\\.tfevents\\.0000001234\\.[A-Za-z0-9._-]+\\.%ld\\.0\\.v2$",
             (long)getpid());
    struct sw_tb_options options = {.size = sizeof options, .suffix = ".v2", .wall_s = 1234.9};
    struct sw_tb *tb = sw_tb_open(in_scratch("a/b/run"), &options, &err);
    ck_assert_msg(name_matches(sw_tb_path(tb), pattern), "%s", sw_tb_path(tb));
    close_run(tb);
}
END_TEST

START_TEST(a_new_file_sorts_after_every_older_one_whatever_the_clock_says)
{
    struct sw_tb_options options = {.size = sizeof options, .wall_s = 5000};
    static const char *const expected[] = {"0000005000", "0000005001", "0000005002"};
    for (int i = 0; i < 3; i++, options.wall_s -= 1000) {
        struct sw_tb *tb = sw_tb_open(in_scratch("run"), &options, &err);
        ck_assert_ptr_nonnull(strstr(sw_tb_path(tb), expected[i]));
        close_run(tb);
    }
}
END_TEST

START_TEST(the_first_record_is_in_the_file_at_once)
{
    struct sw_tb *tb = open_run("run");
    struct events *events = events_read(sw_tb_path(tb));
    ck_assert_uint_eq(events->count, 1);
    ck_assert_str_eq(events->event[0]->file_version, "brain.Event:2");
    ck_assert_str_eq(events->event[0]->source->writer, "stepwatch/0.1.0");
    events_free(events);
    close_run(tb);
}
END_TEST

static const struct {
    const char *dir;
    const char *message; /* with the scratch folder before it */
} bad_dirs[] = {
    {"file", "%s/file is not a directory: event files need one"},
    {"file/run", "cannot create the directory %s/file/run: Not a directory"},
};

START_TEST(a_directory_that_cannot_be_made_is_reported)
{
    char expected[512];
    fclose(fopen(in_scratch("file"), "w"));
    snprintf(expected, sizeof expected, bad_dirs[_i].message, scratch());
    ck_assert_ptr_null(sw_tb_open(in_scratch("%s", bad_dirs[_i].dir), NULL, &err));
    ck_assert_int_eq(err.code, SW_EIO);
    ck_assert_str_eq(sw_error_text(&err), expected);
    ck_assert_ptr_null(sw_tb_open("", NULL, &err));
    ck_assert_str_eq(
        sw_error_text(&err),
        "the directory of the event file is missing: expected the directory of the run");
    ck_assert_ptr_null(sw_tb_open(NULL, NULL, NULL));
}
END_TEST

static const char *const bad_suffixes[] = {"/../../x", ".profile-empty", "\xff"};

START_TEST(a_suffix_that_would_lead_astray_is_refused)
{
    struct sw_tb_options options = {.size = sizeof options, .suffix = bad_suffixes[_i]};
    ck_assert_ptr_null(sw_tb_open(in_scratch("run"), &options, &err));
    ck_assert_int_eq(err.code, SW_EINVAL);
}
END_TEST

START_TEST(an_older_program_with_smaller_options_is_understood)
{
    struct sw_tb_options options = {.size = 2 * sizeof(void *), .suffix = ".old", .flush_s = -1};
    struct sw_tb *tb = sw_tb_open(in_scratch("run"), &options, &err);
    ck_assert_msg(name_matches(sw_tb_path(tb), "\\.old$"), "%s", sw_tb_path(tb));
    close_run(tb);
}
END_TEST

START_TEST(options_that_do_not_say_their_size_are_refused)
{
    struct sw_tb_options options = {.suffix = ".v2"};
    ck_assert_ptr_null(sw_tb_open(in_scratch("run"), &options, &err));
    ck_assert_int_eq(err.code, SW_EINVAL);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "have size 0"));
}
END_TEST

START_TEST(a_null_writer_does_nothing)
{
    struct sw_tb_stats stats;
    ck_assert_int_eq(sw_tb_scalar(NULL, "a", 0, 1), 0);
    ck_assert_int_eq(sw_tb_scalars(NULL, 0, NULL, 3), 0);
    ck_assert_int_eq(sw_tb_histogram(NULL, "a", 0, NULL, 3), 0);
    ck_assert_int_eq(sw_tb_histogram_values(NULL, "a", 0, NULL, 0), 0);
    ck_assert_int_eq(sw_tb_text(NULL, "a", 0, "b"), 0);
    ck_assert_int_eq(sw_tb_table(NULL, "a", 0, NULL, 1, 1), 0);
    ck_assert_int_eq(sw_tb_image(NULL, "a", 0, 1, 1, NULL, 0), 0);
    ck_assert_int_eq(sw_tb_layout(NULL, 0, NULL, 1), 0);
    ck_assert_int_eq(sw_tb_hparams(NULL, NULL, 1, NULL), 0);
    ck_assert_int_eq(sw_tb_hparams_end(NULL, SW_TB_SUCCESS), 0);
    ck_assert_int_eq(sw_tb_experiment(NULL, NULL), 0);
    ck_assert_int_eq(sw_tb_describe(NULL, "a", "b"), 0);
    ck_assert_int_eq(sw_tb_start(NULL, 0), 0);
    ck_assert_int_eq(sw_tb_set_time(NULL, 0), 0);
    ck_assert_int_eq(sw_tb_flush(NULL, NULL), 0);
    ck_assert_int_eq(sw_tb_close(NULL, NULL), 0);
    ck_assert_str_eq(sw_tb_path(NULL), "");
    sw_tb_stats(NULL, &stats);
    ck_assert_int_eq(stats.records, 0);
}
END_TEST

/* ---- flushing -------------------------------------------------------------------------------- */

static size_t records_in(const struct sw_tb *tb)
{
    struct events *events = events_read(sw_tb_path(tb));
    size_t count = events->count;
    ck_assert(!events->torn);
    events_free(events);
    return count;
}

START_TEST(what_waits_is_written_when_the_interval_has_passed)
{
    struct sw_tb_options options = {.size = sizeof options, .flush_s = 2, .wall_s = 1000};
    struct sw_tb *tb = sw_tb_open(in_scratch("run"), &options, &err);
    static const double seconds[] = {1000.5, 1001.9, 1002.0, 1003.9, 1004.1};
    static const size_t written[] = {1, 1, 4, 4, 6};
    for (int i = 0; i < 5; i++) {
        sw_tb_set_time(tb, seconds[i]);
        sw_tb_scalar(tb, "a", i, 1);
        ck_assert_uint_eq(records_in(tb), written[i]);
    }
    close_run(tb);
}
END_TEST

START_TEST(a_clock_that_is_set_back_delays_no_flush)
{
    struct sw_tb_options options = {.size = sizeof options, .flush_s = 2, .wall_s = 1000};
    struct sw_tb *tb = sw_tb_open(in_scratch("run"), &options, &err);
    sw_tb_set_time(tb, 10);
    sw_tb_scalar(tb, "a", 0, 1);
    ck_assert_uint_eq(records_in(tb), 2);
    close_run(tb);
}
END_TEST

START_TEST(flush_writes_what_waits)
{
    struct sw_tb *tb = open_run("run");
    sw_tb_scalar(tb, "a", 0, 1);
    ck_assert_int_eq(sw_tb_flush(tb, &err), 0);
    ck_assert_uint_eq(records_in(tb), 2);
    close_run(tb);
}
END_TEST

/* The file has this many records; of what waits it gets them within a second or so. */
static bool records_come(const char *path, size_t count)
{
    size_t found = 0;
    for (int i = 0; i < 20000 && found < count; i++) {
        struct events *events = events_read(path);
        found = events->count;
        events_free(events);
        usleep(1000);
    }
    return found == count;
}

static struct sw_tb *open_flushed(double flush_s)
{
    struct sw_tb_options options = {.size = sizeof options, .flush_s = flush_s};
    struct sw_tb *tb = sw_tb_open(in_scratch("run"), &options, &err);
    ck_assert_msg(tb != NULL, "%s", sw_error_text(&err));
    return tb;
}

START_TEST(what_waits_is_written_while_the_program_calls_nothing)
{
    struct sw_tb *tb = open_flushed(0.05);
    for (size_t i = 0; i < 3; i++) {
        sw_tb_scalar(tb, "a", (int64_t)i, 1);
        ck_assert(records_come(sw_tb_path(tb), i + 2));
        usleep(150000); /* the thread has ended meanwhile */
    }
    close_run(tb);
}
END_TEST

START_TEST(without_an_interval_only_a_flush_writes)
{
    struct sw_tb *tb = open_flushed(INFINITY);
    sw_tb_scalar(tb, "a", 0, 1);
    usleep(50000);
    ck_assert_uint_eq(records_in(tb), 1);
    ck_assert_int_eq(sw_tb_flush(tb, &err), 0);
    ck_assert_uint_eq(records_in(tb), 2);
    close_run(tb);
}
END_TEST

START_TEST(a_killed_process_loses_no_more_than_the_interval)
{
    char *path = strdup(in_scratch("path"));
    pid_t child = fork();
    if (child == 0) {
        struct sw_tb *tb = open_flushed(0.1);
        ck_assert_int_eq(symlink(sw_tb_path(tb), path), 0);
        for (int i = 0; i < 100; i++)
            sw_tb_scalar(tb, "a", i, 1);
        for (;;)
            pause();
    }
    while (access(path, F_OK) != 0)
        usleep(1000);
    bool whole = records_come(path, 101);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert(whole);
    free(path);
}
END_TEST

START_TEST(the_thread_of_a_writer_keeps_no_process_alive)
{
    int status;
    if (SANITIZED)
        return; /* the thread sanitizer has a thread of its own, which does */
    scratch();
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        sw_tb_scalar(open_flushed(0.05), "a", 0, 1);
        pthread_exit(NULL); /* the process goes on for as long as it has threads */
    }
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(events->count, 2);
    events_free(events);
}
END_TEST

START_TEST(a_million_scalars_are_all_there)
{
    struct sw_tb *tb = open_run("run");
    char *path = strdup(sw_tb_path(tb));
    for (int i = 0; i < 1000000; i++)
        ck_assert_int_eq(sw_tb_scalar(tb, "loss/train", i, i), 0);
    close_run(tb);
    struct events *events = events_read(path);
    ck_assert_uint_eq(events->count, 1000001);
    for (int i = 0; i < 1000000; i += 997) {
        ck_assert_int_eq(events->event[i + 1]->step, i);
        ck_assert_float_eq(events->event[i + 1]->summary->value[0]->simple_value, (float)i);
    }
    events_free(events);
    free(path);
}
END_TEST

START_TEST(a_time_is_finite)
{
    struct sw_tb *tb = open_run("run");
    ck_assert_int_eq(sw_tb_set_time(tb, INFINITY), SW_EINVAL);
    ck_assert_int_eq(sw_tb_set_time(tb, NAN), 0);
    sw_tb_scalar(tb, "a", 0, 1);
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EINVAL);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_double_gt(events->event[1]->wall_time, 1700000000);
    events_free(events);
}
END_TEST

/* ---- tags ------------------------------------------------------------------------------------ */

START_TEST(a_hundred_thousand_tags_are_kept_apart)
{
    char tag[64];
    struct sw_tb *tb = open_run("run");
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 100000; i++) {
            snprintf(tag, sizeof tag, "group%d/tag%d", i / 100, i);
            if (round == 0)
                sw_tb_describe(tb, tag, "described");
            ck_assert_int_eq(sw_tb_scalar(tb, tag, round, i), 0);
        }
    close_run(tb);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(events->count, 200001);
    int wrong = 0;
    for (int i = 0; i < 200000; i++) {
        const struct swi_tb_value_message *value = events->event[i + 1]->summary->value[0];
        snprintf(tag, sizeof tag, "group%d/tag%d", i % 100000 / 100, i % 100000);
        wrong += strcmp(value->tag, tag) != 0 || (value->metadata != NULL) != (i < 100000);
    }
    ck_assert_int_eq(wrong, 0);
    events_free(events);
}
END_TEST

START_TEST(a_tag_that_is_empty_or_not_utf8_is_written_readably)
{
    struct sw_tb_stats stats;
    struct sw_tb *tb = open_run("run");
    for (int i = 0; i < 3; i++) {
        sw_tb_scalar(tb, "loss \xff", i, 1);
        sw_tb_scalar(tb, "", i, 1);
    }
    sw_tb_scalar(tb, NULL, 3, 1);
    sw_tb_stats(tb, &stats);
    ck_assert_int_eq(stats.repaired, 2);
    close_run(tb);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(values_of(events, "loss \\xff"), 3);
    ck_assert_uint_eq(values_of(events, "unnamed"), 4);
    events_free(events);
}
END_TEST

START_TEST(tags_that_are_written_alike_are_one_series)
{
    struct sw_tb *tb = open_run("run");
    sw_tb_scalar(tb, "a\xff", 0, 1);
    ck_assert_int_eq(sw_tb_text(tb, "a\\xff", 0, "text"), SW_EINVAL);
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err),
                     "the tag a\\xff contains scalars: write texts to another tag");
}
END_TEST

START_TEST(a_tag_keeps_its_kind)
{
    struct sw_tb *tb = open_run("run");
    double one = 1;
    sw_tb_scalar(tb, "a", 0, 1);
    ck_assert_int_eq(sw_tb_histogram_values(tb, "a", 1, &one, 1), SW_EINVAL);
    ck_assert_int_eq(sw_tb_text(tb, "a", 1, "text"), SW_EINVAL);
    ck_assert_int_eq(sw_tb_scalar(tb, "a", 1, 1), 0);
    ck_assert_int_eq(sw_tb_flush(tb, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err),
                     "the tag a contains scalars: write histograms to another tag");
    close_run(tb);
}
END_TEST

START_TEST(a_refused_value_claims_no_tag)
{
    static const struct sw_bin falling[] = {{2, 3, 1}, {1, 2, 1}};
    struct sw_tb *tb = open_run("run");
    ck_assert_int_eq(sw_tb_histogram(tb, "a", 0, falling, 2), SW_EINVAL);
    ck_assert(!sw_tb_knows(tb, "a"));
    ck_assert_int_eq(sw_tb_table(tb, "b", 0, NULL, SIZE_MAX, SIZE_MAX), SW_EINVAL);
    ck_assert(!sw_tb_knows(tb, "b"));
    ck_assert_int_eq(sw_tb_scalar(tb, "a", 0, 1), 0);
    ck_assert_int_eq(sw_tb_histogram(tb, "b", 0, falling, 1), 0);
    ck_assert(sw_tb_knows(tb, "a") && sw_tb_knows(tb, "b"));
    ck_assert_int_eq(sw_tb_scalar(tb, "__run_graph__", 0, 1), SW_EINVAL);
    ck_assert(!sw_tb_knows(tb, "__run_graph__"));
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EINVAL);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(values_of(events, "a"), 1);
    ck_assert_str_eq(value_of(events, "b", 0, NULL)->metadata->plugin_data->plugin_name,
                     "histograms");
    events_free(events);
}
END_TEST

START_TEST(each_refused_tag_is_named_once)
{
    struct sw_tb_stats stats;
    struct sw_tb *tb = open_run("run");
    sw_tb_scalar(tb, "a", 0, 1);
    sw_tb_scalar(tb, "b", 0, 1);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(sw_tb_text(tb, "a", i, "text"), SW_EINVAL);
        ck_assert_int_eq(sw_tb_text(tb, "b", i, "text"), SW_EINVAL);
        ck_assert_int_eq(sw_tb_scalar(tb, "__run_graph__", i, 1), SW_EINVAL);
    }
    ck_assert_int_eq(sw_tb_flush(tb, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err),
                     "the tag a contains scalars: write texts to another tag\n"
                     "the tag b contains scalars: write texts to another tag\n"
                     "the tag __run_graph__ is TensorBoard's own: use another name");
    sw_tb_text(tb, "a", 3, "text");
    sw_tb_text(tb, "b", 3, "text");
    sw_tb_scalar(tb, "_hparams_/x", 3, 1);
    ck_assert_int_eq(sw_tb_flush(tb, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err),
                     "the tag _hparams_/x is TensorBoard's own: use another name");
    sw_tb_text(tb, "a", 4, "text");
    sw_tb_stats(tb, &stats);
    ck_assert_int_eq(stats.lost, 13);
    close_run(tb);
}
END_TEST

/* More than one error can hold: the others follow with the next flush. */
START_TEST(a_thousand_refused_tags_are_all_named)
{
    char tag[64];
    int named = 0;
    struct sw_tb *tb = open_run("run");
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 1000; i++) {
            snprintf(tag, sizeof tag, "_hparams_/%d", i);
            sw_tb_scalar(tb, tag, 0, 1);
        }
        if (sw_tb_flush(tb, &err) == 0)
            break;
        for (const char *at = sw_error_text(&err); (at = strstr(at, "the tag ")); at++)
            named++;
    }
    ck_assert_int_eq(named, 1000);
    close_run(tb);
}
END_TEST

static const char *const reserved[] = {"_hparams_/experiment", "_hparams_/x",
                                       "custom_scalars__config__", "__run_graph__"};

START_TEST(tensorboards_own_tags_are_refused)
{
    struct sw_tb *tb = open_run("run");
    ck_assert_int_eq(sw_tb_scalar(tb, reserved[_i], 0, 1), SW_EINVAL);
    ck_assert_int_eq(sw_tb_layout(tb, 0, NULL, 0), 0);
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EINVAL);
}
END_TEST

START_TEST(one_event_has_each_tag_once_and_of_two_values_the_last)
{
    struct sw_tb_value value[] = {{"a", 1}, {"b", 2}, {"a", 3}, {"__run_graph__", 4}, {"c", 5}};
    struct sw_tb *tb = open_run("run");
    ck_assert_int_eq(sw_tb_scalars(tb, 7, value, 5), SW_EINVAL);
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EINVAL);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(events->count, 2);
    const struct swi_tb_summary_message *summary = events->event[1]->summary;
    ck_assert_uint_eq(summary->n_value, 3);
    ck_assert_str_eq(summary->value[0]->tag, "a");
    ck_assert_float_eq(summary->value[0]->simple_value, 3);
    ck_assert_str_eq(summary->value[2]->tag, "c");
    events_free(events);
}
END_TEST

START_TEST(nan_infinity_and_zero_are_kept)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e300, -1e300, 1e-300};
    struct sw_tb *tb = open_run("run");
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(sw_tb_scalar(tb, "a", i, values[i]), 0);
    close_run(tb);
    struct events *events = events_of_run(in_scratch("run"));
    for (int i = 0; i < 8; i++) {
        const struct swi_tb_value_message *value = value_of(events, "a", (size_t)i, NULL);
        float expected = (float)values[i];
        ck_assert_int_eq(value->what, TB_VALUE_SIMPLE);
        ck_assert_mem_eq(&value->simple_value, &expected, i == 0 ? 0 : 4);
        ck_assert_int_eq(isnan(value->simple_value) != 0, i == 0);
    }
    events_free(events);
}
END_TEST

/* ---- other processes, and files that go away ------------------------------------------------- */

START_TEST(a_child_of_fork_writes_nothing)
{
    struct sw_tb *tb = open_run("run");
    sw_tb_scalar(tb, "a", 0, 1);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 10000; i++)
            sw_tb_scalar(tb, "child", i, 1);
        sw_tb_flush(tb, NULL);
        sw_tb_close(tb, NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    sw_tb_scalar(tb, "a", 1, 1);
    close_run(tb);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(events->count, 3);
    events_free(events);
}
END_TEST

/* While the thread of the writer writes: the child waits for no lock and frees nothing twice. */
START_TEST(children_of_a_process_that_is_flushing_end)
{
    int status;
    struct sw_tb *tb = open_flushed(0.01);
    for (int i = 0; i < 100; i++) {
        sw_tb_scalar(tb, "a", i, 1);
        usleep(i % 10 * 1000);
        pid_t child = fork();
        if (child == 0) {
            alarm(60);
            sw_tb_scalar(tb, "child", i, 1);
            sw_tb_flush(tb, NULL);
            sw_tb_close(tb, NULL);
            raise(SIGKILL); /* at _exit() the sanitizer looks for the parent's threads */
        }
        waitpid(child, &status, 0);
        ck_assert_int_eq(status, SIGKILL);
    }
    close_run(tb);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(events->count, 101);
    events_free(events);
}
END_TEST

START_TEST(a_child_may_have_a_writer_of_its_own)
{
    int status;
    struct sw_tb *tb = open_run("run");
    pid_t child = fork();
    if (child == 0) {
        struct sw_tb *own = open_run("child");
        sw_tb_scalar(own, "a", 0, 1);
        _exit(sw_tb_close(own, NULL) == 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    close_run(tb);
    struct events *events = events_of_run(in_scratch("child"));
    ck_assert_uint_eq(values_of(events, "a"), 1);
    events_free(events);
}
END_TEST

static void be_one_of_many(int process)
{
    struct sw_tb *tb = sw_tb_open(in_scratch("run"), NULL, NULL);
    for (int i = 0; i < 500; i++)
        sw_tb_scalar(tb, "a", i, process);
    _exit(sw_tb_close(tb, NULL) == 0 ? 0 : 1);
}

START_TEST(processes_that_begin_together_lose_no_row)
{
    enum { PROCESSES = 64 };
    scratch();
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            be_one_of_many(i);
    for (int i = 0, status; i < PROCESSES; i++) {
        wait(&status);
        ck_assert_int_eq(status, 0);
    }
    size_t count, rows = 0;
    char **file = event_files(in_scratch("run"), &count);
    ck_assert_uint_eq(count, PROCESSES);
    for (size_t i = 0; i < count; i++) {
        struct events *events = events_read(file[i]);
        rows += values_of(events, "a");
        events_free(events);
    }
    ck_assert_uint_eq(rows, 500 * PROCESSES);
}
END_TEST

START_TEST(a_deleted_file_is_reported_and_followed_by_a_new_one)
{
    struct sw_tb *tb = open_run("run");
    sw_tb_describe(tb, "a", "described");
    sw_tb_scalar(tb, "a", 0, 1);
    ck_assert_int_eq(unlink(sw_tb_path(tb)), 0);
    ck_assert_int_eq(rmdir(in_scratch("run")), 0);
    ck_assert_int_eq(sw_tb_flush(tb, &err), SW_EIO);
    ck_assert_ptr_nonnull(
        strstr(sw_error_text(&err),
               " was deleted while it was being written: its content is lost, the rest goes to "));
    sw_tb_scalar(tb, "a", 1, 1);
    close_run(tb);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_str_eq(events->event[0]->file_version, "brain.Event:2");
    ck_assert_str_eq(value_of(events, "a", 0, NULL)->metadata->description, "described");
    events_free(events);
}
END_TEST

START_TEST(close_reports_that_the_file_was_deleted)
{
    char expected[512];
    struct sw_tb *tb = open_run("run");
    sw_tb_scalar(tb, "a", 0, 1);
    ck_assert_int_eq(sw_tb_flush(tb, &err), 0);
    snprintf(expected, sizeof expected,
             "%s was deleted while it was being written: its content is lost", sw_tb_path(tb));
    ck_assert_int_eq(unlink(sw_tb_path(tb)), 0);
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EIO);
    ck_assert_str_eq(sw_error_text(&err), expected);
    size_t count;
    event_files(in_scratch("run"), &count);
    ck_assert_uint_eq(count, 0);
}
END_TEST

/* Every kind, for some of them are shown only where the file has their metadata. */
START_TEST(what_waited_for_a_deleted_file_is_in_the_next)
{
    static const double weight[] = {1, 2, 3};
    struct sw_tb *tb = open_run("run");
    sw_tb_describe(tb, "a", "described");
    for (int i = 0; i < 2; i++) {
        sw_tb_scalar(tb, "a", i, i);
        sw_tb_scalar(tb, "plain", i, i);
        sw_tb_histogram_values(tb, "weights", i, weight, 3);
        sw_tb_text(tb, "notes", i, "text");
        if (i == 0)
            ck_assert_int_eq(sw_tb_flush(tb, &err), 0);
    }
    ck_assert_int_eq(unlink(sw_tb_path(tb)), 0);
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EIO);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), ", the rest goes to "));
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(events->count, 5);
    ck_assert_str_eq(value_of(events, "a", 0, NULL)->metadata->description, "described");
    ck_assert_ptr_null(value_of(events, "plain", 0, NULL)->metadata);
    ck_assert_str_eq(value_of(events, "weights", 0, NULL)->metadata->plugin_data->plugin_name,
                     "histograms");
    ck_assert_str_eq(value_of(events, "notes", 0, NULL)->metadata->plugin_data->plugin_name,
                     "text");
    const struct swi_tb_event_message *event;
    value_of(events, "notes", 0, &event);
    ck_assert_int_eq(event->step, 1);
    events_free(events);
}
END_TEST

/* What comes after the next interval is in another file, whoever asks for it. */
START_TEST(a_flush_that_nobody_asked_for_notices_a_deleted_file)
{
    struct sw_tb_stats stats;
    struct sw_tb_options options = {.size = sizeof options, .flush_s = 2, .wall_s = 1000};
    struct sw_tb *tb = sw_tb_open(in_scratch("run"), &options, &err);
    sw_tb_set_time(tb, 1000);
    char *first = strdup(sw_tb_path(tb));
    sw_tb_scalar(tb, "a", 0, 1);
    ck_assert_int_eq(unlink(first), 0);
    for (int i = 1; i < 10; i++) {
        sw_tb_set_time(tb, 1000 + i);
        ck_assert_int_eq(sw_tb_scalar(tb, "a", i, 1), 0);
    }
    ck_assert_str_ne(sw_tb_path(tb), first);
    ck_assert_uint_eq(records_in(tb), 10);
    sw_tb_stats(tb, &stats);
    ck_assert_int_eq(stats.records, 12); /* with the first of each file */
    ck_assert_int_eq(stats.lost, 0);
    ck_assert_int_eq(sw_tb_close(tb, &err), SW_EIO);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), " was deleted while it was being written: "));
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(values_of(events, "a"), 10);
    events_free(events);
    free(first);
}
END_TEST

/* A file size limit refuses writes as a full disk does: the first in part, the next ones whole.
 * Check's own file of messages is limited too: nothing is asserted meanwhile. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit = {bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
}

START_TEST(space_that_comes_back_is_used_and_nothing_is_lost)
{
    struct sw_tb *tb = open_run("run");
    int refused = 0;
    limit_files(1000);
    for (int i = 0; i < 5000; i++)
        refused += sw_tb_scalar(tb, "a", i, i) != 0;
    int rc = sw_tb_flush(tb, &err);
    limit_files(RLIM_INFINITY);

    ck_assert_int_eq(refused, 0);
    ck_assert_int_eq(rc, SW_EIO);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "cannot write to "));
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), ": File too large"));
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert(events->torn);
    events_free(events);

    close_run(tb);
    events = events_of_run(in_scratch("run"));
    ck_assert_uint_eq(events->count, 5001);
    ck_assert(!events->torn);
    events_free(events);
}
END_TEST

START_TEST(what_a_full_disk_cannot_take_is_counted_and_bounded)
{
    struct sw_tb_stats stats;
    struct sw_tb *tb = open_run("run");
    int refused = 0;
    limit_files(1000);
    for (int i = 0; i < 100000; i++)
        refused += sw_tb_scalar(tb, "loss/train", i, i) == SW_EIO;
    sw_tb_stats(tb, &stats);
    int rc = sw_tb_close(tb, &err);
    limit_files(RLIM_INFINITY);

    ck_assert_int_gt(refused, 70000);
    ck_assert_int_eq(stats.lost, refused);
    ck_assert_int_eq(rc, SW_EIO);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_gt(events->count, 10);
    char expected[64];
    snprintf(expected, sizeof expected, "; %zu of 100001 records are lost", 100001 - events->count);
    ck_assert_msg(strstr(sw_error_text(&err), expected) != NULL, "%s: %s", sw_error_text(&err),
                  expected);
    events_free(events);
}
END_TEST

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

/* What the program's own write causes is the program's. */
START_TEST(a_limit_of_the_files_size_sends_the_program_no_signal)
{
    struct sw_tb *tb = open_run("run");
    signal(SIGXFSZ, count_signal);
    limit_files(1000);
    for (int i = 0; i < 100; i++) {
        sw_tb_scalar(tb, "a", i, i);
        sw_tb_flush(tb, NULL);
    }
    int caught = signals;
    FILE *file = fopen(in_scratch("own"), "w");
    ftruncate(fileno(file), 2000);
    usleep(1000); /* the sanitizer hands signals over later */
    bool own = signals == 1;
    fclose(file);
    limit_files(RLIM_INFINITY);
    ck_assert_int_eq(caught, 0);
    ck_assert(own);
    close_run(tb);
}
END_TEST

/* Writes for ever, and says when it is in the midst of it. */
static void write_on(int said)
{
    struct sw_tb *tb = sw_tb_open(in_scratch("run"), NULL, NULL);
    for (int i = 0;; i++) {
        sw_tb_scalar(tb, "a", i, i);
        if (i == 20000 && write(said, ".", 1) != 1)
            _exit(1);
    }
}

START_TEST(a_killed_process_leaves_whole_records_but_for_the_last)
{
    int ends[2];
    char byte;
    scratch();
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        write_on(ends[1]);
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    struct events *events = events_of_run(in_scratch("run"));
    ck_assert_uint_gt(events->count, 1000);
    for (size_t i = 1; i < events->count; i++)
        ck_assert_int_eq(events->event[i]->step, (int64_t)i - 1);
    events_free(events);
}
END_TEST

LONG_SUITE(tensorboard_writer)
{
    tcase_add_checked_fixture(tc, NULL, scratch_remove);
    tcase_add_test(tc, a_file_is_named_by_time_host_process_and_counter);
    tcase_add_test(tc, a_new_file_sorts_after_every_older_one_whatever_the_clock_says);
    tcase_add_test(tc, the_first_record_is_in_the_file_at_once);
    tcase_add_loop_test(tc, a_directory_that_cannot_be_made_is_reported, 0, 2);
    tcase_add_loop_test(tc, a_suffix_that_would_lead_astray_is_refused, 0, 3);
    tcase_add_test(tc, an_older_program_with_smaller_options_is_understood);
    tcase_add_test(tc, options_that_do_not_say_their_size_are_refused);
    tcase_add_test(tc, a_null_writer_does_nothing);
    tcase_add_test(tc, what_waits_is_written_when_the_interval_has_passed);
    tcase_add_test(tc, a_clock_that_is_set_back_delays_no_flush);
    tcase_add_test(tc, flush_writes_what_waits);
    tcase_add_test(tc, what_waits_is_written_while_the_program_calls_nothing);
    tcase_add_test(tc, without_an_interval_only_a_flush_writes);
    tcase_add_test(tc, a_killed_process_loses_no_more_than_the_interval);
    tcase_add_test(tc, the_thread_of_a_writer_keeps_no_process_alive);
    tcase_add_test(tc, a_million_scalars_are_all_there);
    tcase_add_test(tc, a_time_is_finite);
    tcase_add_test(tc, a_hundred_thousand_tags_are_kept_apart);
    tcase_add_test(tc, a_tag_that_is_empty_or_not_utf8_is_written_readably);
    tcase_add_test(tc, tags_that_are_written_alike_are_one_series);
    tcase_add_test(tc, a_tag_keeps_its_kind);
    tcase_add_test(tc, a_refused_value_claims_no_tag);
    tcase_add_test(tc, each_refused_tag_is_named_once);
    tcase_add_test(tc, a_thousand_refused_tags_are_all_named);
    tcase_add_loop_test(tc, tensorboards_own_tags_are_refused, 0, 4);
    tcase_add_test(tc, one_event_has_each_tag_once_and_of_two_values_the_last);
    tcase_add_test(tc, nan_infinity_and_zero_are_kept);
    tcase_add_test(tc, a_child_of_fork_writes_nothing);
    tcase_add_test(tc, children_of_a_process_that_is_flushing_end);
    tcase_add_test(tc, a_child_may_have_a_writer_of_its_own);
    tcase_add_test(tc, processes_that_begin_together_lose_no_row);
    tcase_add_test(tc, a_deleted_file_is_reported_and_followed_by_a_new_one);
    tcase_add_test(tc, close_reports_that_the_file_was_deleted);
    tcase_add_test(tc, what_waited_for_a_deleted_file_is_in_the_next);
    tcase_add_test(tc, a_flush_that_nobody_asked_for_notices_a_deleted_file);
    tcase_add_test(tc, a_limit_of_the_files_size_sends_the_program_no_signal);
    tcase_add_test(tc, space_that_comes_back_is_used_and_nothing_is_lost);
    tcase_add_test(tc, what_a_full_disk_cannot_take_is_counted_and_bounded);
    tcase_add_test(tc, a_killed_process_leaves_whole_records_but_for_the_last);
}
