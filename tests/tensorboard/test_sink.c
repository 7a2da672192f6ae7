/* SPDX-License-Identifier: MIT */
/* test_sink.c - what the sink makes of a training loop: real profiler, made-up clock, event files
 * read back. */
#include "core/loop/state.h"
#include "tests/support/suite.h"
#include "tests/tensorboard/events.h"

#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>

#include <dirent.h>
#include <math.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t now_ns;
static char said[8192], told[8192];
static struct events *events;

static int64_t clock_ns(void *arg)
{
    (void)arg;
    return now_ns;
}

/* The message with the place of the run goes to `told`, all others to `said`. */
static void keep(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    bool where = level == SW_NOTE && strstr(text, ": tensorboard --logdir ");
    char *to = where ? told : said;
    size_t used = strlen(to);
    snprintf(to + used, sizeof said - used, "%s\n", text);
}

/* Opens a profiler with this sink alone, by the machine's clock; options of both are YAML within
 * the braces. */
static struct sw_profiler *open_unset(const char *profiler, const char *options)
{
    char yaml[2048];
    struct sw_error err = {0};
    snprintf(yaml, sizeof yaml,
             "profiler: {mode: simple, rolling_average: 2, show_report: false%s%s}\n"
             "logger_callback:\n  - tensorboard: {logdir: \"%s\"%s%s}\n",
             *profiler ? ", " : "", profiler, scratch(), *options ? ", " : "", options);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, keep, NULL);
    return sw;
}

static struct sw_profiler *open_loop_of(const char *profiler, const char *options)
{
    struct sw_profiler *sw = open_unset(profiler, options);
    sw_set_clock(sw, clock_ns, NULL);
    sw_set_start(sw, BASE);
    return sw;
}

static struct sw_profiler *open_loop(const char *options)
{
    return open_loop_of("", options);
}

static void close_loop(struct sw_profiler *sw)
{
    struct sw_error err = {0};
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
}

static void action(struct sw_profiler *sw, int which, int64_t ms)
{
    sw_begin(sw, which);
    now_ns += ms * 1000000;
    sw_end(sw, which);
}

/* A training step: 10 ms of draw, the given forward, 5 ms of backward; 100 samples. */
static void train_step(struct sw_profiler *sw, int64_t forward_ms, double loss)
{
    action(sw, SW_DRAW, 10);
    sw_begin(sw, SW_BATCH);
    action(sw, SW_FORWARD, forward_ms);
    action(sw, SW_BACKWARD, 5);
    sw_log(sw, "train/loss", loss);
    sw_log(sw, "lr", 0.5);
    sw_end_batch(sw, 100);
}

static void valid_step(struct sw_profiler *sw)
{
    action(sw, SW_DRAW, 1);
    sw_begin(sw, SW_BATCH);
    action(sw, SW_PREDICT, 3);
    sw_end_batch(sw, 100);
}

/* An epoch of `steps` training and 3 validation steps. */
static void epoch(struct sw_profiler *sw, int steps, int64_t forward_ms)
{
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < steps; i++)
        train_step(sw, forward_ms, i);
    sw_end(sw, SW_TRAIN);
    sw_begin(sw, SW_VALID);
    for (int i = 0; i < 3; i++)
        valid_step(sw);
    sw_log(sw, "valid/loss", 0.25);
    sw_end(sw, SW_VALID);
    sw_end(sw, SW_EPOCH);
}

/* Two epochs of 6 steps, with forward of 20 ms and then of 40. */
static void run_loop(const char *options)
{
    struct sw_profiler *sw = open_loop(options);
    sw_hparam_float(sw, "lr", 0.5);
    sw_hparam_string(sw, "optimizer", "adam");
    sw_begin(sw, SW_FIT);
    epoch(sw, 6, 20);
    epoch(sw, 6, 40);
    sw_end(sw, SW_FIT);
    close_loop(sw);
}

static void read_run(const char *run)
{
    if (events)
        events_free(events);
    events = events_of_run(in_scratch("%s", run));
    ck_assert(!events->torn);
}

static void clean(void)
{
    if (events)
        events_free(events);
    scratch_remove();
}

/* The n-th point of a line. */
static void point_is(const char *tag, size_t n, int64_t step, double value)
{
    const struct swi_tb_event_message *event;
    const struct swi_tb_value_message *point = value_of(events, tag, n, &event);
    ck_assert_msg(point != NULL, "%s has no point %zu", tag, n);
    ck_assert_msg(event->step == step, "%s: point %zu is at step %lld, not %lld", tag, n,
                  (long long)event->step, (long long)step);
    ck_assert_msg(fabs(point->simple_value - value) <= 1e-2 * fabs(value) + 1e-9,
                  "%s: point %zu is %g, not %g", tag, n, point->simple_value, value);
}

static const char *described(const char *tag)
{
    const struct swi_tb_value_message *value = value_of(events, tag, 0, NULL);
    ck_assert_msg(value && value->metadata, "%s has no metadata", tag);
    return value->metadata->description;
}

/* ---- while the loop runs --------------------------------------------------------------------- */

START_TEST(a_step_is_one_event_with_all_its_values)
{
    run_loop("run: a");
    read_run("a");
    for (int i = 0; i < 12; i++) {
        const struct swi_tb_event_message *loss_event, *lr_event;
        value_of(events, "train/loss", (size_t)i, &loss_event);
        value_of(events, "lr", (size_t)i, &lr_event);
        ck_assert_ptr_eq(loss_event, lr_event);
        point_is("train/loss", (size_t)i, i, i % 6);
    }
    ck_assert_uint_eq(values_of(events, "train/loss"), 12);
    point_is("valid/loss", 0, 5, 0.25);
    point_is("valid/loss", 1, 11, 0.25);
}
END_TEST

START_TEST(a_point_of_several_steps_is_their_mean_between_their_limits)
{
    run_loop("run: a, every: 4");
    read_run("a");
    static const double mean[] = {1.5, 4.5, 0.5, 3.5}, most[] = {3, 5, 1, 5},
                        steps[] = {4, 2, 2, 4};
    static const int64_t last[] = {3, 5, 7, 11};
    ck_assert_uint_eq(values_of(events, "train/loss"), 4);
    for (size_t i = 0; i < 4; i++) {
        point_is("train/loss", i, last[i], mean[i]);
        point_is("train/loss/min", i, last[i], most[i] - steps[i] + 1);
        point_is("train/loss/max", i, last[i], most[i]);
        point_is("train/loss/count", i, last[i], steps[i]);
    }
    ck_assert_uint_eq(values_of(events, "valid/loss"), 2);
    ck_assert_uint_eq(values_of(events, "valid/loss/min"), 0);
}
END_TEST

START_TEST(a_full_run_gets_no_points_but_its_report)
{
    struct sw_profiler *sw = open_loop("run: a, max_size: 20kB, when_full: stop");
    sw_begin(sw, SW_FIT);
    epoch(sw, 2000, 20);
    sw_end(sw, SW_FIT);
    close_loop(sw);
    read_run("a");
    ck_assert_uint_gt(values_of(events, "train/loss"), 50);
    ck_assert_uint_lt(values_of(events, "train/loss"), 500);
    ck_assert_uint_eq(values_of(events, "~whole_fit/fit_duration_ms"), 1);
    ck_assert_ptr_nonnull(strstr(said, "max_size is reached at step "));
}
END_TEST

START_TEST(rolling_figures_are_logged_at_the_count_of_finished_steps)
{
    run_loop("run: a");
    read_run("a");
    /* drop_first_batch and a window of 2: after steps 3, 5, 7, 9, 11. */
    ck_assert_uint_eq(values_of(events, "~throughput/forward"), 5);
    point_is("~throughput/forward", 0, 4, 100 / 0.020);
    point_is("~throughput/forward", 4, 12, 100 / 0.040);
    point_is("~throughput/draw", 0, 4, -(100 / 0.025 - 100 / 0.035));
    point_is("~time_ms/draw", 0, 4, 10);
    point_is("~time_ms/forward", 4, 12, 40);
    const struct swi_tb_event_message *rate, *duration, *loss;
    value_of(events, "~throughput/forward", 0, &rate);
    value_of(events, "~time_ms/batch", 0, &duration);
    value_of(events, "train/loss", 4, &loss);
    ck_assert_ptr_eq(rate, duration);
    ck_assert_ptr_eq(rate, loss);
}
END_TEST

/* 100 tokens in forward, of which each shape of its input has a half, and 7 more in the batch. */
static void counted_step(struct sw_profiler *sw, int step)
{
    int tokens = sw_counter("tokens"),
        forward = sw_action_shaped(SW_FORWARD, step % 2 ? "[1]" : "[2]");
    sw_begin(sw, SW_BATCH);
    sw_begin(sw, forward);
    now_ns += 1000000;
    sw_count(sw, tokens, step % 2 ? 50 : 150);
    sw_end(sw, forward);
    sw_count(sw, tokens, 7);
    sw_end_batch(sw, 1);
}

START_TEST(what_actions_use_of_counters_is_logged_as_a_mean_of_steps)
{
    struct sw_profiler *sw = open_loop("run: a");
    for (int i = 0; i < 6; i++)
        counted_step(sw, i);
    close_loop(sw);
    read_run("a");
    point_is("counters/forward/tokens", 0, 4, 100);
    point_is("counters/batch/tokens", 0, 4, 107);
    ck_assert_uint_eq(values_of(events, "counters/forward/tokens"), 2);
    ck_assert_str_eq(described("counters/forward/tokens"),
                     "Used per training step: mean over the last 2 of them.");
}
END_TEST

START_TEST(every_tag_is_described_at_its_first_value)
{
    run_loop("run: a");
    read_run("a");
    ck_assert_str_eq(described("~throughput/forward"),
                     "Samples per second of `forward`: mean batch size over mean duration of the "
                     "last 2 training steps.");
    ck_assert_str_eq(described("~time_ms/forward"),
                     "Duration of `forward` in milliseconds: mean over the last 2 training steps.");
    for (size_t i = 0; i < events->count; i++) {
        const struct swi_tb_event_message *event = events->event[i];
        size_t n = event->what == TB_EVENT_SUMMARY ? event->summary->n_value : 0;
        for (size_t k = 0; k < n; k++) {
            const char *tag = event->summary->value[k]->tag;
            bool own =
                strncmp(tag, "_hparams_/", 10) == 0 || strcmp(tag, "custom_scalars__config__") == 0;
            ck_assert_int_gt((int)strlen(described(tag)), own ? -1 : 0);
        }
    }
}
END_TEST

START_TEST(events_are_dated_by_the_run)
{
    const struct swi_tb_event_message *event;
    run_loop("run: a");
    read_run("a");
    value_of(events, "train/loss", 1, &event);
    ck_assert_double_eq_tol(event->wall_time, BASE + 0.070, 1e-6);
    for (size_t i = 1; i < events->count; i++)
        ck_assert_double_ge(events->event[i]->wall_time, BASE);
}
END_TEST

/* ---- each epoch ------------------------------------------------------------------------------ */

START_TEST(epochs_train_and_valid_have_durations)
{
    run_loop("run: a");
    read_run("a");
    point_is("~time_ms_epoch/train", 0, 6, 210);
    point_is("~time_ms_epoch/train", 1, 12, 330);
    point_is("~time_ms_epoch/valid", 0, 6, 12);
    point_is("~time_ms_epoch/epoch", 1, 12, 342);
    ck_assert_uint_eq(values_of(events, "~time_ms_epoch/train"), 2);
    ck_assert_uint_eq(values_of(events, "~time_ms_epoch/epoch"), 2);
}
END_TEST

START_TEST(bands_are_of_one_epoch_alone)
{
    run_loop("run: a");
    read_run("a");
    point_is("~time_ms_band/train_forward_p50", 0, 6, 20);
    point_is("~time_ms_band/train_forward_p5", 1, 12, 40);
    point_is("~time_ms_band/train_forward_p50", 1, 12, 40);
    point_is("~time_ms_band/train_forward_p95", 1, 12, 40);
    point_is("~time_ms_band/valid_predict_p50", 1, 12, 3);
    ck_assert_uint_eq(values_of(events, "~time_ms_band/train_forward_p50"), 2);
}
END_TEST

/* The counts of a histogram whose bins lie within low..high, and those that do not. */
static void histogram_counts(const char *tag, size_t n, double low, double high, double *in,
                             double *out)
{
    const struct swi_tb_tensor_message *tensor = value_of(events, tag, n, NULL)->tensor;
    *in = *out = 0;
    for (size_t i = 0; i < tb_double_count(tensor); i += 3) {
        const double *row = &tb_doubles(tensor)[i];
        bool within = row[0] >= low && row[1] <= high;
        *(within ? in : out) += row[2];
    }
}

START_TEST(histograms_are_of_one_epoch_alone)
{
    double in, out;
    run_loop("run: a");
    read_run("a");
    ck_assert_uint_eq(values_of(events, "~time_ms_histogram/train_forward"), 2);
    histogram_counts("~time_ms_histogram/train_forward", 0, 19, 21, &in, &out);
    ck_assert_double_eq(in, 5); /* the first batch is dropped */
    ck_assert_double_eq(out, 0);
    histogram_counts("~time_ms_histogram/train_forward", 1, 39, 41, &in, &out);
    ck_assert_double_eq(in, 6);
    ck_assert_double_eq(out, 0);
}
END_TEST

enum { EPOCHS = 20, EPOCH_STEPS = 23 };

/* Durations from 1 to 40 ms in no order: neighbouring bins of the core are in use. */
static void uneven_epoch(struct sw_profiler *sw, int epoch)
{
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < EPOCH_STEPS; i++) {
        sw_begin(sw, SW_BATCH);
        now_ns += 1000000 + (epoch * EPOCH_STEPS + i) * INT64_C(7919) % 400 * 100000;
        sw_end_batch(sw, 100);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
}

/* Each histogram of batches has as many calls as an epoch has steps. */
static void assert_each_epoch_counts_its_own_calls(void)
{
    double in, out;
    read_run("a");
    ck_assert_uint_eq(values_of(events, "~time_ms_histogram/train_batch"), EPOCHS);
    for (size_t i = 0; i < EPOCHS; i++) {
        histogram_counts("~time_ms_histogram/train_batch", i, 0, 1e9, &in, &out);
        ck_assert_msg(in == EPOCH_STEPS, "epoch %zu has %g calls", i, in);
    }
}

/* The counter's rate is known better from comparison to comparison: each report has other edges. */
static const struct {
    double first, last; /* the rate's error, of 1 */
} refinements[] = {{3e-2, 0}, {-3e-2, 0}, {4e-3, -4e-3}, {1e-6, 0}, {0.5, 0}};

START_TEST(an_epoch_counts_its_own_calls_while_the_clocks_rate_is_refined)
{
    double first = refinements[_i].first, last = refinements[_i].last;
    struct sw_profiler *sw = open_loop_of("drop_first_batch: false", "run: a");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < EPOCHS; i++) {
        sw->measured.clock.rate = 1 + first + (last - first) * i / (EPOCHS - 1);
        uneven_epoch(sw, i);
    }
    sw_end(sw, SW_FIT);
    close_loop(sw);
    assert_each_epoch_counts_its_own_calls();
}
END_TEST

START_TEST(an_epoch_counts_its_own_calls_by_the_counter_of_the_processor)
{
    setenv("STEPWATCH_CLOCK", "counter", 1);
    struct sw_profiler *sw = open_unset("drop_first_batch: false", "run: a");
    volatile int64_t busy = 0;
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        SW_SCOPE(sw, SW_EPOCH);
        SW_SCOPE(sw, SW_TRAIN);
        for (int i = 0; i < EPOCH_STEPS; i++) {
            sw_begin(sw, SW_BATCH);
            for (int k = 0; k < 10000 + 300 * i; k++)
                busy = busy + k;
            sw_end_batch(sw, 100);
        }
    }
    sw_end(sw, SW_FIT);
    close_loop(sw);
    assert_each_epoch_counts_its_own_calls();
}
END_TEST

START_TEST(a_histogram_of_very_different_durations_has_30_bins_at_most)
{
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_EPOCH);
    for (int i = 0; i < 400; i++)
        train_step(sw, 1 + i * i, 0);
    sw_end(sw, SW_EPOCH);
    close_loop(sw);
    read_run("a");
    const struct swi_tb_tensor_message *tensor =
        value_of(events, "~time_ms_histogram/train_forward", 0, NULL)->tensor;
    double sum = 0;
    int used = 0;
    for (size_t i = 0; i < tb_double_count(tensor); i += 3) {
        sum += tb_doubles(tensor)[i + 2];
        used += tb_doubles(tensor)[i + 2] > 0;
    }
    ck_assert_double_eq(sum, 399);
    ck_assert_int_le(used, 31);
    ck_assert_int_ge(used, 15);
}
END_TEST

START_TEST(a_second_fit_begins_anew)
{
    struct sw_profiler *sw = open_loop("run: a");
    for (int fit = 0; fit < 2; fit++) {
        sw_begin(sw, SW_FIT);
        epoch(sw, 6, 20);
        sw_end(sw, SW_FIT);
    }
    close_loop(sw);
    read_run("a");
    double in, out;
    histogram_counts("~time_ms_histogram/train_forward", 1, 19, 21, &in, &out);
    ck_assert_double_eq(in, 5);
    point_is("~whole_fit/fit_duration_ms", 0, 6, 222);
    point_is("~whole_fit/fit_duration_ms", 1, 12, 222);
}
END_TEST

/* ---- at the end ------------------------------------------------------------------------------ */

static void text_of(const char *tag, char *text, size_t size)
{
    const struct swi_tb_value_message *value = value_of(events, tag, 0, NULL);
    ck_assert_msg(value != NULL, "there is no %s", tag);
    const struct swi_bytes *bytes = value->tensor->string_val;
    snprintf(text, size, "%.*s", (int)bytes->size, (const char *)bytes->data);
}

START_TEST(the_report_is_a_markdown_table)
{
    char text[8192];
    run_loop("run: a");
    read_run("a");
    text_of("profile_report", text, sizeof text);
    const char *expected =
        "| Phase | Action | Mean Duration | Duration Std Dev | Number of Calls | Samples/Second | "
        "Total Time | Percent of Total |\n"
        "|:---|:---|:---|:---|---:|:---|:---|:---|\n"
        "| fit |  | - | - | 1 | - | 564.0ms | 100% |\n"
        "|  | epoch | 282.0ms | 60.00ms | 2 | - | 564.0ms | 100% |\n";
    ck_assert_msg(strncmp(text, expected, strlen(expected)) == 0, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "\n\nBatch dropped. train and valid phases show 1 less "
                                       "batch than fit.\n"));
    text_of("profile_results", text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "| train | forward | 30.9"));
}
END_TEST

/* Draw is 10 of 20 ms. */
START_TEST(findings_are_paragraphs_below_the_table)
{
    char text[8192];
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 40; i++)
        train_step(sw, 5, 1);
    sw_end(sw, SW_FIT);
    close_loop(sw);
    read_run("a");
    text_of("profile_report", text, sizeof text);
    ck_assert_msg(strstr(text,
                         "\n\nTraining waits for data: draw takes 50 % of a step. If draw took "
                         "no time, the loop would do 10,000 samples/s instead of 5,000 "
                         "(+100 %).\n\n  Try: Load and prepare data ahead"),
                  "%s", text);
}
END_TEST

START_TEST(an_alert_is_a_text_at_its_step)
{
    char text[256];
    const struct swi_tb_event_message *event;
    struct sw_profiler *sw = open_loop("run: a");
    train_step(sw, 10, 1);
    train_step(sw, 10, 1);
    sw_alert(sw, SW_WARNING, "loss <b> up", "1 to *9*");
    close_loop(sw);
    read_run("a");
    text_of("alerts", text, sizeof text);
    ck_assert_str_eq(text, "**warning** loss &lt;b&gt; up: 1 to *9*");
    ck_assert_ptr_nonnull(value_of(events, "alerts", 0, &event));
    ck_assert_int_eq(event->step, 1);
}
END_TEST

/* TensorBoard shows the last text of a step. */
START_TEST(the_last_text_of_a_step_has_all_of_its_alerts)
{
    const struct swi_tb_event_message *event;
    struct sw_profiler *sw = open_loop("run: a");
    sw_alert(sw, SW_WARNING, "first", "1");
    sw_alert(sw, SW_ERROR, "second", "2");
    train_step(sw, 10, 1);
    train_step(sw, 10, 1);
    sw_alert(sw, SW_NOTE, "third", "3");
    close_loop(sw);
    read_run("a");
    const struct swi_tb_value_message *value = value_of(events, "alerts", 1, &event);
    ck_assert_ptr_nonnull(value);
    ck_assert_int_eq(event->step, 0);
    const struct swi_bytes *text = value->tensor->string_val;
    static const char both[] = "**warning** first: 1\n\n**error** second: 2";
    ck_assert_uint_eq(text->size, sizeof both - 1);
    ck_assert_int_eq(memcmp(text->data, both, text->size), 0);
    value = value_of(events, "alerts", 2, &event);
    ck_assert_ptr_nonnull(value);
    ck_assert_uint_eq(value->tensor->string_val->size, strlen("**note** third: 3"));
}
END_TEST

START_TEST(names_in_the_report_are_not_markup)
{
    char text[8192];
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_FIT);
    action(sw, sw_action("a|b<i>&*c* \xff"), 5);
    sw_end(sw, SW_FIT);
    close_loop(sw);
    read_run("a");
    text_of("profile_report", text, sizeof text);
    ck_assert_msg(strstr(text, "| a\\|b&lt;i&gt;&amp;\\*c\\* ") != NULL, "%s", text);
}
END_TEST

START_TEST(ten_thousand_actions_make_a_text_that_the_page_can_show)
{
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 9000; i++) {
        char name[64];
        snprintf(name, sizeof name, "an action of the program's own, number %d", i);
        action(sw, sw_action(name), 1);
    }
    sw_end(sw, SW_FIT);
    close_loop(sw);
    read_run("a");
    const struct swi_bytes *text = value_of(events, "profile_report", 0, NULL)->tensor->string_val;
    ck_assert_uint_lt(text->size, 65536);
    ck_assert_ptr_nonnull(memmem(text->data, text->size, " more rows are omitted ", 23));
}
END_TEST

START_TEST(the_figures_of_the_report_are_scalars)
{
    run_loop("run: a");
    read_run("a");
    point_is("~whole_fit/fit_duration_ms", 0, 12, 564);
    point_is("~whole_fit/fit_epoch_duration_ms", 0, 12, 282);
    point_is("~whole_fit/train_forward_duration_ms", 0, 12, (5 * 20.0 + 6 * 40.0) / 11);
    point_is("~whole_fit/train_forward_throughput", 0, 12, (5 * 5000.0 + 6 * 2500.0) / 11);
    point_is("~whole_fit/valid_predict_throughput", 0, 12, 100 / 0.003);
    point_is("~whole_fit/train_overall_samples_per_s", 0, 12, 1200 / 0.540);
    ck_assert_ptr_null(value_of(events, "~whole_fit/fit_epoch_throughput", 0, NULL));
    ck_assert_ptr_null(value_of(events, "~whole_fit/fit_fit_duration_ms", 0, NULL));
}
END_TEST

static struct swi_tb_hparams_message *hparams_in(const char *tag)
{
    const struct swi_tb_value_message *value = value_of(events, tag, 0, NULL);
    ck_assert_msg(value != NULL, "there is no %s", tag);
    struct swi_bytes content = value->metadata->plugin_data->content;
    struct swi_tb_hparams_message *message = tb_hparams_read(content.data, content.size);
    ck_assert_ptr_nonnull(message);
    return message;
}

START_TEST(hyper_parameters_and_success_are_written)
{
    run_loop("run: a");
    read_run("a");
    struct swi_tb_hparams_message *start = hparams_in("_hparams_/session_start_info");
    ck_assert_uint_eq(start->start->n_hparam, 2);
    ck_assert_str_eq(start->start->hparam[0]->key, "lr");
    ck_assert_double_eq(start->start->hparam[0]->value->number, 0.5);
    ck_assert_str_eq(start->start->hparam[1]->value->text, "adam");
    struct swi_tb_hparams_message *end = hparams_in("_hparams_/session_end_info");
    ck_assert_int_eq(end->end->status, 1);
    struct swi_tb_hparams_message *experiment = hparams_in("_hparams_/experiment");
    ck_assert_uint_eq(experiment->experiment->n_hparam, 2);
    ck_assert_uint_eq(experiment->experiment->n_metric, 5);
    ck_assert_str_eq(experiment->experiment->metric[2]->name->tag, "valid/loss");
    swi_message_free(start);
    swi_message_free(end);
    swi_message_free(experiment);
}
END_TEST

START_TEST(a_program_that_fails_is_a_failure)
{
    struct sw_profiler *sw = open_loop("run: a");
    sw_hparam_int(sw, "seed", 7);
    sw_begin(sw, SW_FIT);
    epoch(sw, 2, 20);
    sw_end(sw, SW_FIT);
    sw_set_exit_status(sw, 3);
    close_loop(sw);
    read_run("a");
    struct swi_tb_hparams_message *end = hparams_in("_hparams_/session_end_info");
    ck_assert_int_eq(end->end->status, 2);
    swi_message_free(end);
}
END_TEST

START_TEST(a_hyper_parameter_after_the_first_step_is_reported_as_late)
{
    struct sw_profiler *sw = open_loop("run: a");
    sw_hparam_int(sw, "seed", 7);
    train_step(sw, 20, 1);
    sw_hparam_int(sw, "late", 7);
    sw_hparam_int(sw, "later", 7);
    close_loop(sw);
    ck_assert_str_eq(said, "sink tensorboard: the hyper-parameter late was set after the first "
                           "step: the HParams page does not show it\n");
}
END_TEST

/* ---- the layout ------------------------------------------------------------------------------ */

static struct swi_tb_layout_message *layout_in(size_t n, const struct swi_tb_event_message **event)
{
    const struct swi_tb_value_message *value =
        value_of(events, "custom_scalars__config__", n, event);
    if (!value)
        return NULL;
    const struct swi_bytes *bytes = value->tensor->string_val;
    return tb_layout_read(bytes->data, bytes->size);
}

/* The titles of the n-th layout, a line each; categories are left out. */
static const char *titles_in(size_t n)
{
    static char text[4096];
    struct swi_tb_layout_message *layout = layout_in(n, NULL);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; layout && i < layout->n_category; i++)
        for (size_t k = 0; k < layout->category[i]->n_chart; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s\n",
                                     layout->category[i]->chart[k]->title);
    if (layout)
        swi_message_free(layout);
    return text;
}

static const char *last_titles(void)
{
    return titles_in(values_of(events, "custom_scalars__config__") - 1);
}

START_TEST(the_layout_has_rates_times_and_bands)
{
    run_loop("run: a");
    read_run("a");
    struct swi_tb_layout_message *layout =
        layout_in(values_of(events, "custom_scalars__config__") - 1, NULL);
    ck_assert_uint_eq(layout->n_category, 3);
    const struct swi_tb_category_message *steps = layout->category[0], *bands = layout->category[1];
    ck_assert_str_eq(steps->chart[0]->multiline->tag[0], "~throughput/(step|batch)$");
    ck_assert_str_eq(steps->chart[2]->multiline->tag[0], "~throughput/.*");
    ck_assert_str_eq(steps->chart[1]->multiline->tag[0], "~time_ms/(?!(step|batch)$).*");
    ck_assert_str_eq(steps->chart[3]->multiline->tag[0], "~time_ms_epoch/.*");
    ck_assert_str_eq(bands->chart[1]->title, "train_forward (ms)");
    const struct swi_tb_series_message *series = bands->chart[1]->margin->series[0];
    ck_assert_str_eq(series->value, "~time_ms_band/train_forward_p50");
    ck_assert_str_eq(series->lower, "~time_ms_band/train_forward_p5");
    ck_assert_str_eq(series->upper, "~time_ms_band/train_forward_p95");
    swi_message_free(layout);
}
END_TEST

/* What the program never did has no chart: no loss, opt_step or zero_grad here. */
START_TEST(no_chart_is_without_a_value)
{
    run_loop("run: a");
    read_run("a");
    /* First what there is after four steps, then what there is after an epoch. */
    ck_assert_str_eq(titles_in(0), "Throughput (samples/s)\n"
                                   "Where a step's time goes (ms)\n"
                                   "Throughput of every action (samples/s)\n");
    ck_assert_str_eq(last_titles(), "Throughput (samples/s)\n"
                                    "Where a step's time goes (ms)\n"
                                    "Throughput of every action (samples/s)\n"
                                    "Epochs, train and valid (ms)\n"
                                    "train_backward (ms)\n"
                                    "train_forward (ms)\n"
                                    "train_batch (ms)\n"
                                    "train_draw (ms)\n"
                                    "train_step (ms)\n"
                                    "valid_predict (ms)\n"
                                    "valid_batch (ms)\n"
                                    "valid_draw (ms)\n"
                                    "valid_step (ms)\n");
    ck_assert_uint_le(values_of(events, "custom_scalars__config__"), 4);
}
END_TEST

START_TEST(a_loop_without_samples_has_no_chart_of_throughput)
{
    struct sw_profiler *sw = open_loop("run: a");
    for (int i = 0; i < 6; i++) {
        action(sw, SW_DRAW, 10);
        action(sw, SW_BATCH, 20);
    }
    close_loop(sw);
    read_run("a");
    ck_assert_str_eq(last_titles(), "Where a step's time goes (ms)\n");
}
END_TEST

START_TEST(a_run_of_metrics_alone_has_no_layout)
{
    struct sw_profiler *sw = open_loop("run: a");
    for (int i = 0; i < 6; i++)
        sw_log(sw, "loss", i);
    close_loop(sw);
    read_run("a");
    ck_assert_ptr_null(layout_in(0, NULL));
}
END_TEST

START_TEST(the_layout_grows_by_the_programs_own_actions)
{
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    action(sw, sw_action("augment"), 5);
    train_step(sw, 20, 1);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
    close_loop(sw);
    read_run("a");
    ck_assert_ptr_nonnull(strstr(last_titles(), "train_augment (ms)\n"));
}
END_TEST

/* zero_grad handles no samples. */
START_TEST(zero_grad_has_a_duration_and_no_throughput)
{
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 6; i++) {
        sw_begin(sw, SW_BATCH);
        action(sw, SW_FORWARD, 20);
        action(sw, SW_ZERO_GRAD, 1);
        sw_end_batch(sw, 100);
    }
    sw_end(sw, SW_FIT);
    close_loop(sw);
    read_run("a");
    point_is("~time_ms/zero_grad", 0, 4, 1);
    ck_assert_ptr_nonnull(value_of(events, "~throughput/forward", 0, NULL));
    ck_assert_ptr_null(value_of(events, "~throughput/zero_grad", 0, NULL));
    ck_assert_ptr_null(value_of(events, "~whole_fit/train_zero_grad_throughput", 0, NULL));
}
END_TEST

/* ---- the page -------------------------------------------------------------------------------- */

/* Whether some tag begins so. */
static bool has_tag(const char *start)
{
    for (size_t i = 0; i < events->count; i++) {
        const struct swi_tb_event_message *event = events->event[i];
        size_t n = event->what == TB_EVENT_SUMMARY ? event->summary->n_value : 0;
        for (size_t k = 0; k < n; k++)
            if (strncmp(event->summary->value[k]->tag, start, strlen(start)) == 0)
                return true;
    }
    return false;
}

static const struct {
    const char *figures;
    bool rolling, all;
} figures[] = {{"metrics", false, false}, {"rolling", true, false}, {"all", true, true}};

START_TEST(figures_are_the_programs_own_or_more)
{
    char options[64];
    snprintf(options, sizeof options, "run: a, figures: %s", figures[_i].figures);
    run_loop(options);
    read_run("a");
    ck_assert_uint_eq(values_of(events, "train/loss"), 12);
    static const char *const rolling[] = {"~throughput/",        "~time_ms/",
                                          "~time_ms_band/",      "~time_ms_epoch/",
                                          "~time_ms_histogram/", "custom_scalars__config__"};
    for (size_t i = 0; i < 6; i++)
        ck_assert_msg(has_tag(rolling[i]) == figures[_i].rolling, "%s", rolling[i]);
    ck_assert_int_eq(has_tag("~whole_fit/"), figures[_i].all);
    ck_assert(has_tag("profile_report") && has_tag("_hparams_/session_start_info"));
    struct swi_tb_hparams_message *experiment = hparams_in("_hparams_/experiment");
    for (size_t i = 0; i < experiment->experiment->n_metric; i++)
        ck_assert(value_of(events, experiment->experiment->metric[i]->name->tag, 0, NULL) != NULL);
    swi_message_free(experiment);
}
END_TEST

/* Pages sort groups by name and open the first two. */
START_TEST(what_the_program_logs_sorts_before_every_figure)
{
    run_loop("run: a");
    read_run("a");
    for (size_t i = 0; i < events->count; i++) {
        const struct swi_tb_event_message *event = events->event[i];
        size_t n = event->what == TB_EVENT_SUMMARY ? event->summary->n_value : 0;
        for (size_t k = 0; k < n; k++) {
            const struct swi_tb_value_message *value = event->summary->value[k];
            bool own = strstr(value->tag, "loss") || strcmp(value->tag, "lr") == 0;
            if (value->what == TB_VALUE_SIMPLE && !own)
                ck_assert_int_ge(strcmp(value->tag, "~throughput/"), 0);
        }
    }
}
END_TEST

/* ---- options --------------------------------------------------------------------------------- */

START_TEST(what_is_switched_off_is_not_written)
{
    run_loop("run: a, histograms: false, text: false, hparams: false, layout: false");
    read_run("a");
    for (size_t i = 0; i < events->count; i++) {
        const struct swi_tb_event_message *event = events->event[i];
        size_t n = event->what == TB_EVENT_SUMMARY ? event->summary->n_value : 0;
        for (size_t k = 0; k < n; k++)
            ck_assert_int_eq(event->summary->value[k]->what, TB_VALUE_SIMPLE);
    }
    point_is("~time_ms_band/train_forward_p50", 1, 12, 40);
}
END_TEST

START_TEST(split_runs_gives_train_and_valid_equal_tags)
{
    run_loop("run: a, split_runs: true");
    read_run("a/train");
    point_is("loss", 0, 0, 0);
    point_is("lr", 0, 0, 0.5);
    point_is("~throughput/forward", 0, 4, 5000);
    point_is("~time_ms_band/step_p50", 0, 6, 35);
    point_is("~time_ms_epoch/phase", 0, 6, 210);
    point_is("~whole_fit/step_duration_ms", 0, 12, (5 * 35.0 + 6 * 55.0) / 11);
    read_run("a/valid");
    point_is("loss", 0, 5, 0.25);
    point_is("~time_ms_band/step_p50", 0, 6, 4);
    point_is("~time_ms_epoch/phase", 0, 6, 12);
    ck_assert_ptr_null(value_of(events, "~throughput/step", 0, NULL));
    read_run("a");
    point_is("~whole_fit/fit_duration_ms", 0, 12, 564);
    ck_assert_ptr_nonnull(value_of(events, "profile_report", 0, NULL));
    struct swi_tb_hparams_message *experiment = hparams_in("_hparams_/experiment");
    ck_assert_str_eq(experiment->experiment->metric[0]->name->group, "train");
    ck_assert_str_eq(experiment->experiment->metric[0]->name->tag, "loss");
    swi_message_free(experiment);
}
END_TEST

START_TEST(a_file_gets_its_suffix)
{
    size_t count;
    run_loop("run: a, filename_suffix: .v2");
    char **file = event_files(scratch(), &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(file[0] + strlen(file[0]) - 3, ".v2");
}
END_TEST

/* ---- which run ------------------------------------------------------------------------------- */

START_TEST(a_run_is_named_by_date_and_host)
{
    size_t count;
    char host[256] = "", pattern[512];
    regex_t regex;
    gethostname(host, sizeof host - 1);
    snprintf(pattern, sizeof pattern,
             "^%s/[0-9]{4}-[0-9]{2}-[0-9]{2}_[0-9]{2}-[0-9]{2}-[0-9]{2}_%s/events\\.out\\.tfevents",
             scratch(), host);
    ck_assert_int_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    run_loop("");
    char **file = event_files(scratch(), &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(regexec(&regex, file[0], 0, NULL, 0), 0);
    regfree(&regex);
}
END_TEST

static const char *const elsewhere[][2] = {
    {"run: ..", "sink tensorboard: run: .. leads out of the folder: "},
    {"run: a/../../b", "sink tensorboard: run: a/../../b leads out of the folder: "},
    {"run: /tmp/a", "sink tensorboard: run: /tmp/a leads out of the folder: "},
    {"filename_suffix: /x", "sink tensorboard: filename_suffix: /x contains a /: "},
    {"logdir: s3://bucket/runs", "sink tensorboard: logdir: s3://bucket/runs is a URL: "},
    {"logdir: gs://bucket/runs", "sink tensorboard: logdir: gs://bucket/runs is a URL: "},
    {"logdir: ~you/runs", "sink tensorboard: logdir: ~you/runs begins with ~: "},
};

/* By sw_open() as by `stepwatch check`: the options are read by the same table. */
START_TEST(a_run_that_would_be_elsewhere_is_a_mistake_of_the_configuration)
{
    char yaml[256];
    struct sw_error err;
    snprintf(yaml, sizeof yaml, "logger_callback:\n  - tensorboard: { %s }\n", elsewhere[_i][0]);
    ck_assert_ptr_null(sw_open_text(yaml, &err));
    ck_assert_int_eq(err.code, SW_ECONFIG);
    ck_assert_msg(strstr(sw_error_text(&err), elsewhere[_i][1]) != NULL, "%s", sw_error_text(&err));
}
END_TEST

START_TEST(a_logdir_may_begin_at_home)
{
    char yaml[256];
    struct sw_error err;
    setenv("HOME", scratch(), 1);
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false }\n"
             "logger_callback:\n  - tensorboard: { logdir: ~/runs, run: a }\n");
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, keep, NULL);
    train_step(sw, 1, 1);
    sw_close(sw, NULL);
    read_run("runs/a");
}
END_TEST

START_TEST(sinks_that_begin_in_one_second_get_runs_of_their_own)
{
    size_t count;
    for (int i = 0; i < 3; i++)
        run_loop("");
    char **file = event_files(scratch(), &count);
    ck_assert_uint_eq(count, 3);
    for (size_t i = 1; i < 3; i++) {
        *strrchr(file[i], '/') = '\0';
        ck_assert(strncmp(file[i - 1], file[i], strlen(file[i])) != 0 ||
                  file[i - 1][strlen(file[i])] == '_');
    }
}
END_TEST

START_TEST(a_resumed_run_is_a_new_file_with_the_step_where_it_goes_on)
{
    size_t count;
    run_loop("run: a");
    struct sw_profiler *sw = open_loop("run: a");
    sw_set_step(sw, 8);
    sw_begin(sw, SW_FIT);
    train_step(sw, 20, 1);
    sw_end(sw, SW_FIT);
    close_loop(sw);
    char **file = event_files(in_scratch("a"), &count);
    ck_assert_uint_eq(count, 2);
    struct events *first = events_read(file[0]), *second = events_read(file[1]);
    ck_assert_int_eq(first->event[1]->session_log->status, 1);
    ck_assert_int_eq(first->event[1]->step, 0);
    ck_assert_int_eq(second->event[1]->session_log->status, 1);
    ck_assert_int_eq(second->event[1]->step, 8);
    const struct swi_tb_event_message *event;
    ck_assert_ptr_nonnull(value_of(second, "train/loss", 0, &event));
    ck_assert_int_eq(event->step, 8);
    events_free(first);
    events_free(second);
}
END_TEST

START_TEST(a_run_that_is_being_written_is_left_to_the_one_who_writes_it)
{
    char expected[1024];
    struct sw_profiler *first = open_loop("run: a");
    size_t count = 0; /* the sink is opened on a thread of its own */
    for (int i = 0; i < 5000 && count == 0; i++) {
        usleep(1000);
        event_files(in_scratch("a"), &count);
    }
    struct sw_profiler *second = open_loop("run: a");
    train_step(second, 20, 1);
    close_loop(second);
    close_loop(first);
    snprintf(expected, sizeof expected,
             "sink tensorboard: another process is writing the run a: this run goes to %s/a_2\n",
             scratch());
    ck_assert_str_eq(said, expected);
    ck_assert_int_eq(strchr(told, '\n') - told + 1, (long)strlen(told)); /* the first one's */
    read_run("a");
    read_run("a_2");
}
END_TEST

/* Runs as a process that ends with the run still open, and leaves a child. */
static void leave_a_child(int lives)
{
    size_t count = 0;
    struct sw_profiler *sw = open_loop("run: a");
    train_step(sw, 20, 1);
    for (int i = 0; i < 5000 && count == 0; i++) {
        usleep(1000);
        event_files(in_scratch("a"), &count);
    }
    if (fork() == 0) {
        pid_t child = getpid();
        (void)!write(lives, &child, sizeof child);
        pause();
    }
    raise(SIGKILL);
}

START_TEST(a_child_that_lives_on_does_not_hold_the_run)
{
    int ends[2];
    pid_t child;
    scratch();
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* the child's child is ours to end */
    ck_assert_int_eq(pipe(ends), 0);
    pid_t process = fork();
    if (process == 0)
        leave_a_child(ends[1]);
    waitpid(process, NULL, 0);
    ck_assert_int_eq(read(ends[0], &child, sizeof child), sizeof child);
    struct sw_profiler *sw = open_loop("run: a");
    train_step(sw, 20, 1);
    close_loop(sw);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_str_eq(said, "");
    size_t count;
    event_files(in_scratch("a"), &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_ne(access(in_scratch("a/.lock"), F_OK), 0);
}
END_TEST

START_TEST(the_runs_folder_is_reported_once)
{
    char expected[1024];
    run_loop("run: a");
    snprintf(expected, sizeof expected,
             "sink tensorboard: the run is in %s/a: tensorboard --logdir %s\n", scratch(),
             scratch());
    ck_assert_str_eq(told, expected);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_step_that_goes_back_is_a_restart)
{
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 10; i++)
        train_step(sw, 20, i);
    sw_set_step(sw, 4);
    for (int i = 0; i < 3; i++)
        train_step(sw, 20, 100 + i);
    sw_end(sw, SW_FIT);
    close_loop(sw);
    ck_assert_str_eq(
        said,
        "sink tensorboard: the step went back from 9 to 4: charts drop the points from there on\n");
    read_run("a");
    int restarts = 0;
    for (size_t i = 2; i < events->count; i++)
        if (events->event[i]->what == TB_EVENT_SESSION_LOG) {
            ck_assert_int_eq(events->event[i]->step, 4);
            restarts++;
        }
    ck_assert_int_eq(restarts, 1);
    point_is("train/loss", 10, 4, 100);
}
END_TEST

/* ---- what can go wrong ----------------------------------------------------------------------- */

START_TEST(a_folder_that_cannot_be_made_is_reported_and_the_loop_continues)
{
    struct sw_error err = {0};
    fclose(fopen(in_scratch("file"), "w"));
    struct sw_profiler *sw = open_loop("run: file/x");
    train_step(sw, 20, 1);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "cannot create the directory "));
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "/file/x: Not a directory"));
}
END_TEST

START_TEST(names_that_are_not_utf8_are_shown_and_reported_once)
{
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss \xff", i);
        sw_log(sw, "", i);
        sw_log(sw, "nan", NAN);
        sw_end_batch(sw, 100);
    }
    sw_end(sw, SW_FIT);
    close_loop(sw);
    ck_assert_str_eq(said, "sink tensorboard: a name or text is empty or not UTF-8: it is shown as "
                           "\"unnamed\", or with its bytes as \\xNN\n");
    read_run("a");
    ck_assert_uint_eq(values_of(events, "loss \\xff"), 3);
    ck_assert_uint_eq(values_of(events, "unnamed"), 3);
    ck_assert(isnan(value_of(events, "nan", 0, NULL)->simple_value));
}
END_TEST

START_TEST(a_hundred_thousand_metrics_are_written)
{
    enum { STEPS = 100, EACH = 1000 };
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_FIT);
    for (int step = 0; step < STEPS; step++) {
        sw_begin(sw, SW_BATCH);
        for (int i = 0; i < EACH; i++) {
            char name[64];
            snprintf(name, sizeof name, "group%d/metric%d", step, i);
            sw_log(sw, name, i);
        }
        sw_end_batch(sw, 100);
        /* The worker's turn: what is tested is what it writes, not how much may wait for it. */
        ck_assert_int_eq(sw_flush(sw, INT64_C(60) * 1000000000), 0);
    }
    sw_end(sw, SW_FIT);
    close_loop(sw);
    read_run("a");
    for (int step = 0; step < STEPS; step += 33) {
        char tag[64];
        snprintf(tag, sizeof tag, "group%d/metric%d", step, EACH - 1);
        point_is(tag, 0, step, EACH - 1);
    }
    size_t values = 0;
    for (size_t i = 0; i < events->count; i++)
        if (events->event[i]->what == TB_EVENT_SUMMARY)
            values += events->event[i]->summary->n_value;
    ck_assert_uint_gt(values, STEPS * EACH);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_metric_with_a_name_that_is_taken_is_reported_and_the_others_are_kept)
{
    struct sw_error err = {0};
    struct sw_profiler *sw = open_loop("run: a");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 20; i++) {
        sw_log(sw, "__run_graph__", i);
        train_step(sw, 20, i);
    }
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    ck_assert_str_eq(said, "sink tensorboard: the tag __run_graph__ is TensorBoard's own: use "
                           "another name\n");
    read_run("a");
    ck_assert_uint_eq(values_of(events, "train/loss"), 20);
}
END_TEST

START_TEST(each_tag_that_is_refused_is_named_once)
{
    struct sw_error err = {0};
    struct sw_profiler *sw = open_loop("run: a, split_runs: true, flush: 0s");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_log(sw, "train/__run_graph__", i);
        sw_log(sw, "valid/__run_graph__", i);
        sw_log(sw, "train/_hparams_/x", i);
        train_step(sw, 20, i);
        ck_assert_int_eq(sw_flush(sw, INT64_C(60) * 1000000000), 0);
    }
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    ck_assert_str_eq(said, "sink tensorboard: the tag __run_graph__ is TensorBoard's own: use "
                           "another name\n"
                           "sink tensorboard: the tag _hparams_/x is TensorBoard's own: use "
                           "another name\n"
                           "sink tensorboard: the tag __run_graph__ is TensorBoard's own: use "
                           "another name\n");
}
END_TEST

SUITE(tensorboard_sink)
{
    tcase_add_checked_fixture(tc, NULL, clean);
    tcase_add_test(tc, a_step_is_one_event_with_all_its_values);
    tcase_add_test(tc, a_point_of_several_steps_is_their_mean_between_their_limits);
    tcase_add_test(tc, a_full_run_gets_no_points_but_its_report);
    tcase_add_test(tc, rolling_figures_are_logged_at_the_count_of_finished_steps);
    tcase_add_test(tc, what_actions_use_of_counters_is_logged_as_a_mean_of_steps);
    tcase_add_test(tc, every_tag_is_described_at_its_first_value);
    tcase_add_test(tc, events_are_dated_by_the_run);
    tcase_add_test(tc, epochs_train_and_valid_have_durations);
    tcase_add_test(tc, bands_are_of_one_epoch_alone);
    tcase_add_test(tc, histograms_are_of_one_epoch_alone);
    tcase_add_loop_test(tc, an_epoch_counts_its_own_calls_while_the_clocks_rate_is_refined, 0, 5);
    tcase_add_test(tc, an_epoch_counts_its_own_calls_by_the_counter_of_the_processor);
    tcase_add_test(tc, a_histogram_of_very_different_durations_has_30_bins_at_most);
    tcase_add_test(tc, a_second_fit_begins_anew);
    tcase_add_test(tc, the_report_is_a_markdown_table);
    tcase_add_test(tc, findings_are_paragraphs_below_the_table);
    tcase_add_test(tc, an_alert_is_a_text_at_its_step);
    tcase_add_test(tc, the_last_text_of_a_step_has_all_of_its_alerts);
    tcase_add_test(tc, names_in_the_report_are_not_markup);
    tcase_add_test(tc, ten_thousand_actions_make_a_text_that_the_page_can_show);
    tcase_add_test(tc, the_figures_of_the_report_are_scalars);
    tcase_add_test(tc, hyper_parameters_and_success_are_written);
    tcase_add_test(tc, a_program_that_fails_is_a_failure);
    tcase_add_test(tc, a_hyper_parameter_after_the_first_step_is_reported_as_late);
    tcase_add_test(tc, the_layout_has_rates_times_and_bands);
    tcase_add_test(tc, no_chart_is_without_a_value);
    tcase_add_test(tc, a_loop_without_samples_has_no_chart_of_throughput);
    tcase_add_test(tc, a_run_of_metrics_alone_has_no_layout);
    tcase_add_test(tc, zero_grad_has_a_duration_and_no_throughput);
    tcase_add_loop_test(tc, figures_are_the_programs_own_or_more, 0, 3);
    tcase_add_test(tc, what_the_program_logs_sorts_before_every_figure);
    tcase_add_test(tc, the_layout_grows_by_the_programs_own_actions);
    tcase_add_test(tc, what_is_switched_off_is_not_written);
    tcase_add_test(tc, split_runs_gives_train_and_valid_equal_tags);
    tcase_add_test(tc, a_file_gets_its_suffix);
    tcase_add_test(tc, a_run_is_named_by_date_and_host);
    tcase_add_loop_test(tc, a_run_that_would_be_elsewhere_is_a_mistake_of_the_configuration, 0, 7);
    tcase_add_test(tc, a_logdir_may_begin_at_home);
    tcase_add_test(tc, sinks_that_begin_in_one_second_get_runs_of_their_own);
    tcase_add_test(tc, a_resumed_run_is_a_new_file_with_the_step_where_it_goes_on);
    tcase_add_test(tc, a_run_that_is_being_written_is_left_to_the_one_who_writes_it);
    tcase_add_test(tc, a_child_that_lives_on_does_not_hold_the_run);
    tcase_add_test(tc, the_runs_folder_is_reported_once);
    tcase_add_test(tc, a_step_that_goes_back_is_a_restart);
    tcase_add_test(tc, a_folder_that_cannot_be_made_is_reported_and_the_loop_continues);
    tcase_add_test(tc, names_that_are_not_utf8_are_shown_and_reported_once);
    tcase_add_test(tc, a_hundred_thousand_metrics_are_written);
    tcase_add_test(tc, a_metric_with_a_name_that_is_taken_is_reported_and_the_others_are_kept);
    tcase_add_test(tc, each_tag_that_is_refused_is_named_once);
}
