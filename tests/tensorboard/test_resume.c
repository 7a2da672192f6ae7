/* SPDX-License-Identifier: MIT */
/* test_resume.c - which points of a run TensorBoard shows, after it was resumed and where steps are
 * not those of the training. */
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stepwatch/monitor.h>
#include <stepwatch/stepwatch.h>
#include <stepwatch/values.h>

#include <stdio.h>
#include <string.h>

enum { MAX = 400 };

static struct sw_profiler *open_run(void)
{
    char yaml[1024];
    struct sw_error err = {0};
    snprintf(yaml, sizeof yaml,
             "profiler: {mode: simple, show_report: false}\n"
             "logger_callback: [{tensorboard: {logdir: \"%s\", run: a}}]\n",
             scratch());
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    return sw;
}

static void close_run(struct sw_profiler *sw)
{
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}

static void train(struct sw_profiler *sw, const char *name, int first, int steps)
{
    sw_set_step(sw, first);
    for (int i = first; i < first + steps; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, name, i);
        sw_end_batch(sw, 1);
    }
}

/* The steps of a tag in the order of the files, as a loader keeps them. The default one drops the
 * points of a tag that are not below its next one. The other drops those of all tags at a marker,
 * except for the first marker. */
struct loader {
    const char *tag;
    bool by_markers;
    int markers;
    size_t count;
    int64_t step[MAX];
};

static void drop_from(struct loader *loader, int64_t step)
{
    size_t kept = 0;
    for (size_t i = 0; i < loader->count; i++)
        if (loader->step[i] < step)
            loader->step[kept++] = loader->step[i];
    loader->count = kept;
}

static void event_load(struct loader *loader, const struct swi_tb_event_message *event)
{
    bool marker = event->what == TB_EVENT_SESSION_LOG;
    if (marker && loader->by_markers && loader->markers++ > 0)
        drop_from(loader, event->step);
    size_t values = event->what == TB_EVENT_SUMMARY ? event->summary->n_value : 0;
    for (size_t i = 0; i < values; i++) {
        if (strcmp(event->summary->value[i]->tag, loader->tag) != 0)
            continue;
        if (!loader->by_markers)
            drop_from(loader, event->step);
        ck_assert_uint_lt(loader->count, MAX);
        loader->step[loader->count++] = event->step;
    }
}

static size_t load(struct loader *loader, const char *tag, bool by_markers)
{
    size_t files;
    char **file = event_files(in_scratch("a"), &files);
    *loader = (struct loader){.tag = tag, .by_markers = by_markers};
    for (size_t i = 0; i < files; i++) {
        struct events *events = events_read(file[i]);
        for (size_t k = 0; k < events->count; k++)
            event_load(loader, events->event[k]);
        events_free(events);
    }
    return loader->count;
}

/* Both loaders show these points. */
static void assert_shown(const char *tag, size_t count, int64_t first, int64_t last)
{
    static struct loader loader;
    for (int by_markers = 0; by_markers < 2; by_markers++) {
        ck_assert_uint_eq(load(&loader, tag, by_markers), count);
        ck_assert_int_eq(loader.step[0], first);
        ck_assert_int_eq(loader.step[count - 1], last);
        for (size_t i = 1; i < count; i++)
            ck_assert_int_lt(loader.step[i - 1], loader.step[i]);
    }
}

START_TEST(each_value_of_a_program_without_steps_is_shown)
{
    struct sw_profiler *sw = open_run();
    for (int i = 0; i < 20; i++) {
        sw_log(sw, "residual", 1.0 / (i + 1));
        if (i % 10 == 9)
            sw_log(sw, "energy", i);
    }
    close_run(sw);
    assert_shown("residual", 20, 0, 19);
    assert_shown("energy", 2, 9, 19);
}
END_TEST

START_TEST(a_value_is_shown_at_the_step_that_it_was_given)
{
    struct sw_profiler *sw = open_run();
    train(sw, "loss", 0, 3);
    sw_log_at(sw, "score", 1, 1000);
    sw_log_at(sw, "score", 2, 2000);
    train(sw, "loss", 3, 3);
    close_run(sw);
    assert_shown("score", 2, 1000, 2000);
    assert_shown("loss", 6, 0, 5);
}
END_TEST

START_TEST(a_program_that_counts_its_own_steps_keeps_the_first_value)
{
    struct sw_profiler *sw = open_run();
    for (int i = 0; i < 5; i++) {
        sw_set_step(sw, i);
        sw_log(sw, "loss", i);
    }
    close_run(sw);
    assert_shown("loss", 5, 0, 4);
}
END_TEST

START_TEST(a_value_before_the_step_of_a_resumed_run_hides_nothing)
{
    for (int run = 0; run < 2; run++) {
        struct sw_profiler *sw = open_run();
        sw_begin(sw, SW_FIT);
        sw_begin(sw, SW_VALID);
        sw_log(sw, "valid/loss", run);
        sw_end(sw, SW_VALID);
        train(sw, "train/loss", 50 * run, 100);
        sw_end(sw, SW_FIT);
        close_run(sw);
    }
    assert_shown("train/loss", 150, 0, 149);
    assert_shown("valid/loss", 2, 0, 49);
}
END_TEST

/* What is no number: each kind at each step, before the step of the resumed run is known, too. */
static void log_rich(struct sw_profiler *sw, int number)
{
    static const double values[] = {1, 2, 3, 3};
    static const unsigned char pixels[12] = {0};
    char text[32];
    snprintf(text, sizeof text, "text %d", number);
    sw_log_text(sw, "page", text);
    sw_log_vector(sw, "weights", SW_F64, values, 4, SW_HISTOGRAM);
    sw_log_image(sw, "picture", SW_U8, pixels, 2, 2, 3, NULL);
}

static void train_rich(struct sw_profiler *sw, int first, int steps)
{
    sw_set_step(sw, first);
    for (int i = first; i < first + steps; i++) {
        sw_begin(sw, SW_BATCH);
        log_rich(sw, i);
        sw_end_batch(sw, 1);
    }
}

START_TEST(a_text_before_the_step_of_a_resumed_run_hides_nothing)
{
    struct sw_profiler *sw = open_run();
    train_rich(sw, 0, 9);
    close_run(sw);

    sw = open_run();
    log_rich(sw, -1);
    sw_alert(sw, SW_NOTE, "resumed", "from a checkpoint");
    train_rich(sw, 10, 10);
    close_run(sw);

    assert_shown("page", 20, 0, 19);
    assert_shown("weights", 20, 0, 19);
    assert_shown("picture", 20, 0, 19);
    assert_shown("alerts", 1, 9, 9);
}
END_TEST

START_TEST(a_resumed_run_keeps_the_points_of_another_axis)
{
    for (int run = 0; run < 2; run++) {
        struct sw_profiler *sw = open_run();
        sw_metric_axis(sw, "loss", "tokens");
        sw_set_step(sw, 50 * run);
        for (int i = 50 * run; i < 50 * run + 100; i++) {
            sw_begin(sw, SW_BATCH);
            sw_log(sw, "tokens", i * 1e6);
            sw_log(sw, "loss", 1);
            sw_end_batch(sw, 1);
        }
        close_run(sw);
    }
    static struct loader loader;
    ck_assert_uint_eq(load(&loader, "loss", false), 150);
    ck_assert_uint_eq(load(&loader, "loss", true), 200);
    ck_assert_int_eq(loader.step[49], 49000000);
}
END_TEST

/* An axis of epochs begins at 0, which could be a step. */
START_TEST(an_axis_of_fractions_hides_nothing)
{
    double factor = _i ? 1.25 : 0.1, offset = _i ? 100 : 0;
    struct sw_profiler *sw = open_run();
    sw_metric_axis(sw, "loss", "epoch");
    for (int i = 0; i < 150; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "epoch", offset + i * factor);
        sw_log(sw, "loss", 1);
        sw_end_batch(sw, 1);
    }
    close_run(sw);
    static struct loader loader;
    ck_assert_uint_eq(load(&loader, "loss", false), 150);
}
END_TEST

static void sample(struct sw_profiler *sw, int times)
{
    static const char *const names[] = {"process/cpu_percent", "process/threads"};
    for (int i = 0; i < times; i++)
        sw_log_sample(sw, names, (double[]){i, 1}, 2);
}

START_TEST(each_sample_of_a_long_step_is_shown)
{
    struct sw_profiler *sw = open_run();
    sample(sw, 10);
    train(sw, "loss", 0, 2);
    sample(sw, 10);
    train(sw, "loss", 2, 100);
    sample(sw, 2);
    close_run(sw);
    assert_shown("process/threads", 22, 0, 102);
}
END_TEST

START_TEST(a_sample_before_the_step_of_a_resumed_run_hides_nothing)
{
    for (int run = 0; run < 2; run++) {
        struct sw_profiler *sw = open_run();
        sample(sw, 2);
        train(sw, "loss", 50 * run, 50);
        sample(sw, 1);
        close_run(sw);
    }
    assert_shown("process/cpu_percent", 6, 0, 99);
}
END_TEST

SUITE(tensorboard_resume)
{
    tcase_add_checked_fixture(tc, NULL, scratch_remove);
    tcase_add_test(tc, each_value_of_a_program_without_steps_is_shown);
    tcase_add_test(tc, a_value_is_shown_at_the_step_that_it_was_given);
    tcase_add_test(tc, a_program_that_counts_its_own_steps_keeps_the_first_value);
    tcase_add_test(tc, a_value_before_the_step_of_a_resumed_run_hides_nothing);
    tcase_add_test(tc, a_text_before_the_step_of_a_resumed_run_hides_nothing);
    tcase_add_test(tc, a_resumed_run_keeps_the_points_of_another_axis);
    tcase_add_loop_test(tc, an_axis_of_fractions_hides_nothing, 0, 2);
    tcase_add_test(tc, each_sample_of_a_long_step_is_shown);
    tcase_add_test(tc, a_sample_before_the_step_of_a_resumed_run_hides_nothing);
}
