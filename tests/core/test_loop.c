/* SPDX-License-Identifier: MIT */
/* What the calls of a training loop mean, seen through reports and through a sink. */
#include "tests/support/probe.h"
#include "tests/support/suite.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sw_report *report_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    struct sw_error err;
    ck_assert_msg(sw_report_new(sw, &report, &err) > 0, "%s", sw_error_text(&err));
    return report;
}

static int64_t calls(const struct sw_report *report, const char *phase, const char *action)
{
    const struct sw_report_row *row = probe_row(report, phase, action);
    return row ? row->calls : -1;
}

/* ---- loops of every shape -------------------------------------------------------------------- */

START_TEST(a_loop_of_steps_alone_is_a_fit_from_its_first_region_to_close)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    probe_wait(1000);
    for (int i = 0; i < 5; i++)
        probe_step(sw, 32);
    probe_wait(50);
    ck_assert_int_eq(sw_close(sw, NULL), 0);

    ck_assert_uint_eq(probe.report_count, 1);
    ck_assert_double_eq(probe.report[0].fit_ns, 5 * 100 + 50);
    ck_assert_int_eq(probe.report[0].train_calls, 5);
    ck_assert_double_eq(probe.report[0].residue_ns, 0);
}
END_TEST

START_TEST(a_loop_that_validates_only_has_no_training_calls)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_VALID);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        probe_wait(20);
        sw_end_batch(sw, 4);
    }
    sw_end(sw, SW_VALID);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "valid", "step"), 3);
    ck_assert_int_eq(calls(report, "train", "step"), 0);
    ck_assert(isnan(probe_row(report, "train", "step")->samples_per_s));
    ck_assert_double_eq_tol(probe_row(report, "valid", "step")->samples_per_s, 4 / 20e-9, 1);
    ck_assert_int_eq(sw_get_step(sw), 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(each_fit_has_its_own_report_and_the_step_number_goes_on)
{
    struct sw_profiler *sw = probe_open("drop_first_batch: false");
    for (int fit = 1; fit <= 3; fit++) {
        SW_SCOPE(sw, SW_FIT);
        for (int i = 0; i < fit; i++)
            probe_step(sw, 1);
    }
    ck_assert_int_eq(sw_get_step(sw), 1 + 2 + 3);
    ck_assert_int_eq(sw_close(sw, NULL), 0);

    ck_assert_uint_eq(probe.report_count, 3);
    for (int fit = 1; fit <= 3; fit++) {
        ck_assert_int_eq(probe.report[fit - 1].fit, fit);
        ck_assert_int_eq(probe.report[fit - 1].train_calls, fit);
        ck_assert_double_eq(probe.report[fit - 1].fit_ns, fit * 100);
    }
}
END_TEST

START_TEST(after_a_fit_its_report_can_be_asked_for_until_the_next_one_begins)
{
    struct sw_profiler *sw = probe_open("drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    probe_step(sw, 1);
    sw_end(sw, SW_FIT);
    struct sw_report *after = report_of(sw);
    sw_begin(sw, SW_FIT);
    struct sw_report *next = report_of(sw);

    ck_assert(after->complete);
    ck_assert_int_eq(calls(after, "train", "step"), 1);
    ck_assert_int_eq(calls(next, "train", "step"), 0);
    sw_report_free(after);
    sw_report_free(next);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(validation_inside_of_train_leaves_the_rest_to_train)
{
    struct sw_profiler *sw = probe_open("drop_first_batch: false");
    sw_begin(sw, SW_TRAIN);
    probe_step(sw, 1);
    sw_begin(sw, SW_VALID);
    probe_step(sw, 1);
    sw_end(sw, SW_VALID);
    probe_step(sw, 1);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "train", "step"), 2);
    ck_assert_int_eq(calls(report, "valid", "step"), 1);
    sw_report_free(report);
    sw_end(sw, SW_TRAIN);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_scope_ends_however_its_block_is_left)
{
    struct sw_profiler *sw = probe_open("drop_first_batch: false");
    int own = sw_action("scoped");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 4; i++) {
        SW_SCOPE(sw, own);
        probe_wait(1);
        if (i == 1)
            continue;
        if (i == 2)
            break;
    }
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(calls(report, "fit", "scoped"), 3);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* ---- what counts and what does not ----------------------------------------------------------- */

START_TEST(a_draw_that_found_nothing_is_not_a_draw)
{
    struct sw_profiler *sw = probe_open("drop_first_batch: false");
    sw_begin(sw, SW_TRAIN);
    probe_step(sw, 1);
    sw_begin(sw, SW_DRAW);
    sw_cancel(sw, SW_DRAW);
    sw_end(sw, SW_TRAIN);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "train", "draw"), 1);
    ck_assert_int_eq(report->accounting.misuses, 0);
    ck_assert_int_eq(report->accounting.discarded, 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_cancelled_batch_keeps_what_had_finished_in_it_without_a_rate)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_TRAIN);
    probe_step(sw, 8);
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    probe_wait(10);
    sw_next(sw, SW_LOSS);
    sw_cancel(sw, SW_BATCH);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "train", "forward"), 2);
    ck_assert_int_eq(probe_row(report, "train", "forward")->rates.count, 1);
    ck_assert_int_eq(calls(report, "train", "loss"), 1);
    ck_assert_int_eq(calls(report, "train", "batch"), 1);
    ck_assert_int_eq(calls(report, "train", "step"), 1);
    ck_assert_int_eq(sw_get_step(sw), 1);
    sw_report_free(report);
    sw_end(sw, SW_TRAIN);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_batch_of_a_negative_number_of_samples_is_one_without_samples)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    probe_step(sw, -1);
    probe_step(sw, INT64_MIN);
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.step_count, 2);
    ck_assert_int_eq(probe.step[0].samples, 0);
    ck_assert_int_eq(probe.step[1].samples, 0);
}
END_TEST

START_TEST(ending_an_outer_region_discards_those_open_inside_it)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    int outer = sw_action("outer"), inner = sw_action("inner");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, outer);
    sw_begin(sw, inner);
    probe_wait(5);
    sw_end(sw, outer);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "fit", "outer"), 1);
    ck_assert_int_eq(calls(report, "fit", "inner"), -1);
    ck_assert_int_eq(report->accounting.discarded, 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(misuse_is_counted_and_said_once_and_harms_nothing)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_end(sw, SW_FORWARD);
    sw_end_batch(sw, 3);
    sw_cancel(sw, SW_DRAW);
    sw_begin(sw, SW_LOSS);
    probe_wait(7);
    sw_begin(sw, SW_LOSS);
    probe_wait(2);
    sw_end(sw, SW_LOSS);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(report->accounting.misuses, 4);
    ck_assert_int_eq(probe_messages, 4); /* of four kinds */
    ck_assert_str_eq(probe_message, "loss was begun twice: such calls are ignored; the report "
                                    "counts them; this warning appears once");
    ck_assert_double_eq(probe_row(report, "fit", "loss")->total_ns, 2);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_batch_in_which_validation_begins_is_left_out_and_spoils_no_sum)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    sw_begin(sw, SW_TRAIN);
    sw_begin(sw, SW_BATCH);
    sw_begin(sw, SW_VALID);
    probe_wait(5);
    sw_end(sw, SW_VALID);
    sw_begin(sw, SW_FORWARD);
    probe_wait(7);
    sw_end(sw, SW_FORWARD);
    sw_end_batch(sw, 1);
    sw_end(sw, SW_TRAIN);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(report->accounting.misuses, 2); /* the batch, and that it is ended */
    ck_assert_int_eq(calls(report, "fit", "valid"), 1);
    ck_assert_int_eq(calls(report, "train", "batch"), 0);
    ck_assert_double_eq(probe_row(report, "train", "forward")->total_ns, 7);
    ck_assert_double_eq(report->accounting.residue_ns, 0);
    ck_assert_double_eq(report->accounting.other_ns, 5);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(the_first_batch_of_each_phase_is_left_out_with_all_that_ran_in_it)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    int own = sw_action("augment"), outside = sw_action("checkpoint");
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, outside);
        sw_next(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        for (int k = 0; k < 2; k++) {
            SW_SCOPE(sw, own);
            probe_wait(10);
        }
        sw_end_batch(sw, 1);
    }
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "train", "augment"), 4);
    ck_assert_int_eq(calls(report, "train", "checkpoint"), 3);
    ck_assert_int_eq(calls(report, "train", "step"), 2);
    ck_assert_int_eq(probe_row(report, "fit", "train")->rates.count, 3);
    sw_report_free(report);
    sw_end(sw, SW_TRAIN);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(what_children_and_other_add_up_to_is_the_fit)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    sw_begin(sw, SW_FIT);
    for (int epoch = 0; epoch < 2; epoch++) {
        SW_SCOPE(sw, SW_EPOCH);
        SW_SCOPE(sw, SW_TRAIN);
        probe_wait(13);
        for (int i = 0; i < 300; i++) {
            probe_step(sw, 1);
            probe_wait(3);
        }
    }
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);

    ck_assert_double_eq(report->accounting.accounted_ns, 600 * 100);
    ck_assert_double_eq(report->accounting.other_ns, 2 * 13 + 600 * 3);
    ck_assert_double_eq(report->accounting.residue_ns, 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(in_throughput_mode_only_draw_batch_and_own_actions_are_measured)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    sw_begin(sw, SW_TRAIN);
    probe_step(sw, 1);
    sw_begin(sw, sw_action("own"));
    sw_end(sw, sw_action("own"));
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "train", "forward"), -1);
    ck_assert_double_eq(probe_row(report, "train", "batch")->total_ns, 90);
    ck_assert_int_eq(calls(report, "train", "own"), 1);
    ck_assert_int_eq(report->accounting.misuses, 0);
    sw_report_free(report);
    sw_end(sw, SW_TRAIN);
    sw_close(sw, NULL);
}
END_TEST

static int clock_reads;

static int64_t read_counted(void *arg)
{
    (void)arg;
    return ++clock_reads;
}

START_TEST(no_clock_is_read_for_an_action_that_is_not_measured)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    sw_set_clock(sw, read_counted, NULL);
    sw_begin(sw, SW_BATCH);
    int before = clock_reads;
    for (int i = 0; i < 1000; i++) {
        sw_begin(sw, SW_FORWARD);
        sw_next(sw, SW_LOSS);
        sw_next(sw, SW_BACKWARD);
        sw_end(sw, SW_BACKWARD);
        sw_begin(sw, SW_OPT_STEP);
        sw_cancel(sw, SW_OPT_STEP);
        sw_end(sw, SW_STEP);
    }
    /* What the compiler does not know is left out by the library. */
    static void (*volatile const call[])(struct sw_profiler *, int) = {sw_begin, sw_end, sw_cancel};
    for (volatile int action = SW_FORWARD; action <= SW_PREDICT; action++) {
        sw_begin(sw, action);
        sw_end(sw, action);
        for (int i = 0; i < 3; i++)
            call[i](sw, SW_FORWARD);
    }
    ck_assert_int_eq(clock_reads, before);
    sw_end_batch(sw, 1);

    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(calls(report, "train", "batch"), 1);
    ck_assert_int_eq(calls(report, "train", "forward"), -1);
    ck_assert_int_eq(calls(report, "train", "loss"), -1);
    ck_assert_int_eq(calls(report, "train", "backward"), -1);
    ck_assert_int_eq(report->accounting.misuses, 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(an_action_that_is_not_measured_ends_its_sibling_all_the_same)
{
    struct sw_profiler *sw = probe_open("mode: throughput, drop_first_batch: false");
    int own = sw_action("sibling");
    sw_begin(sw, SW_TRAIN);
    sw_begin(sw, own);
    probe_wait(10);
    sw_next(sw, SW_FORWARD);
    probe_wait(100);
    sw_next(sw, own);
    probe_wait(5);
    sw_end(sw, own);
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq(probe_row(report, "train", "sibling")->total_ns, 15);
    ck_assert_int_eq(calls(report, "train", "sibling"), 2);
    sw_report_free(report);
    sw_end(sw, SW_TRAIN);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_pause_is_in_nothing)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    probe_step(sw, 1);
    sw_pause(sw);
    probe_wait(100000);
    probe_step(sw, 1);
    sw_resume(sw);
    probe_step(sw, 1);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "train", "step"), 2);
    ck_assert_double_eq(probe_row(report, "fit", "train")->total_ns, 200);
    ck_assert_double_eq(report->fit_ns, 200);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* One thread knows nothing of the pause; another begins to be measured after it. */
START_TEST(what_other_threads_end_after_a_pause_is_no_misuse)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    int load = sw_action("load");
    sw_set_thread(sw, 0);
    sw_begin(sw, SW_FIT);
    sw_set_thread(sw, 1);
    sw_begin(sw, load);
    sw_set_thread(sw, 0);
    sw_pause(sw);
    sw_resume(sw);
    for (int number = 1; number <= 2; number++) {
        sw_set_thread(sw, number);
        sw_end(sw, load);
        sw_cancel(sw, load);
    }
    sw_set_thread(sw, 0);
    sw_end(sw, load);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
    ck_assert_int_eq(probe_messages, 1);
    ck_assert_int_eq(probe.report[0].misuses, 1);
}
END_TEST

/* The pause took three regions of a thread. Another one never began what it ends. */
START_TEST(misuse_after_a_pause_is_told)
{
    static const int open[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD};
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_set_thread(sw, 0);
    sw_begin(sw, SW_FIT);
    sw_set_thread(sw, 1);
    for (int i = 0; i < 3; i++)
        sw_begin(sw, open[i]);
    sw_set_thread(sw, 0);
    sw_pause(sw);
    sw_resume(sw);
    sw_set_thread(sw, 1);
    for (int i = 3; i-- > 0;)
        sw_end(sw, open[i]);
    ck_assert_int_eq(probe_messages, 0);
    sw_set_thread(sw, 2);
    for (int i = 0; i < 5; i++)
        sw_end(sw, SW_DRAW);
    sw_flush(sw, 1000000000);
    ck_assert_int_eq(probe_messages, 1);
    ck_assert_ptr_nonnull(strstr(probe_message, "draw was ended without a begin"));
    sw_close(sw, NULL);
    ck_assert_int_ge(probe.report[0].misuses, 1);
}
END_TEST

static void *step_as_thread_0(void *sw)
{
    sw_set_thread(sw, 0);
    probe_step(sw, 1);
    return NULL;
}

START_TEST(a_loop_that_threads_of_a_pool_run_in_turns_is_one_loop)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_set_thread(sw, 0);
    sw_begin(sw, SW_FIT);
    sw_set_thread(sw, 1);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, step_as_thread_0, sw);
        pthread_join(thread, NULL);
    }
    sw_set_thread(sw, 0);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(calls(report, "train", "step"), 3);
    ck_assert_int_eq(report->accounting.misuses, 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_report_made_during_a_pause_leaves_the_pause_out)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    probe_step(sw, 1);
    sw_pause(sw);
    probe_wait(100000);
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq(report->fit_ns, 100);
    ck_assert_double_eq(probe_row(report, "train", "step")->share, 1);
    sw_report_free(report);
    sw_resume(sw);
    probe_wait(20);
    report = report_of(sw);
    ck_assert_double_eq(report->fit_ns, 120);
    sw_report_free(report);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
    ck_assert_double_eq(probe.report[0].fit_ns, 120);
}
END_TEST

START_TEST(a_pause_that_lasts_until_the_close_is_in_nothing)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_BATCH);
    probe_wait(50);
    sw_end_batch(sw, 1);
    sw_pause(sw);
    probe_wait(100000);
    sw_close(sw, NULL);
    ck_assert_double_eq(probe.report[0].fit_ns, 50);
    ck_assert_int_eq(probe.report[0].misuses, 0);
}
END_TEST

START_TEST(a_thousand_regions_in_one_batch_are_all_counted)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    int own = sw_action("micro");
    sw_begin(sw, SW_BATCH);
    for (int i = 0; i < 200000; i++) {
        sw_begin(sw, own);
        probe_wait(2);
        sw_end(sw, own);
    }
    sw_end_batch(sw, 10);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "train", "micro"), 200000);
    ck_assert_double_eq(probe_row(report, "train", "batch")->self_ns, 0);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(regions_nest_two_hundred_deep_and_too_deep_ones_are_counted_as_misuse)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    int own = sw_action("deep");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 2000; i++)
        sw_begin(sw, own);
    for (int i = 0; i < 2000; i++)
        sw_end(sw, own);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "fit", "deep"), 1023);
    ck_assert_int_eq(report->accounting.misuses, 2000 - 1023);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* ---- rolling averages and values of the user's own ------------------------------------------- */

START_TEST(rolling_averages_are_logged_when_the_window_is_full_and_every_n_steps_after)
{
    struct sw_profiler *sw = probe_open("mode: throughput, rolling_average: 4");
    for (int i = 0; i < 20; i++)
        probe_step(sw, 50);
    sw_close(sw, NULL);

    int64_t at[8];
    size_t n = 0;
    for (size_t i = 0; i < probe.metric_count; i++)
        if (strcmp(probe.metric[i].name, "throughput/step") == 0) {
            at[n++] = probe.metric[i].step;
            ck_assert_double_eq_tol(probe.metric[i].value, 50 / 100e-9, 1e-3);
        }
    ck_assert_uint_eq(n, 4);
    ck_assert_int_eq(at[0], 5);
    ck_assert_int_eq(at[3], 17);
}
END_TEST

/* Batches that take no time by a coarse clock have no rate, and what draws cost them is not known.
 */
START_TEST(rolling_averages_of_batches_that_take_no_time_are_finite)
{
    struct sw_profiler *sw = probe_open("rolling_average: 2");
    for (int i = 0; i < 8; i++) {
        sw_begin(sw, SW_DRAW);
        probe_wait(10);
        sw_next(sw, SW_BATCH);
        sw_end_batch(sw, 50);
    }
    sw_close(sw, NULL);
    ck_assert_uint_gt(probe.metric_count, 0);
    for (size_t i = 0; i < probe.metric_count; i++) {
        ck_assert_double_finite(probe.metric[i].value);
        ck_assert_str_ne(probe.metric[i].name, "throughput/draw");
    }
}
END_TEST

START_TEST(a_logged_value_belongs_to_its_training_step)
{
    struct sw_profiler *sw = probe_open("");
    sw_log(sw, "before", 1);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 2; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "inside", 2);
        sw_end_batch(sw, 1);
    }
    sw_log(sw, "after", 3);
    sw_end(sw, SW_TRAIN);
    sw_begin(sw, SW_VALID);
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "valid", NAN);
    sw_end_batch(sw, 1);
    sw_end(sw, SW_VALID);
    sw_set_step(sw, 100);
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "resumed", 4);
    sw_end_batch(sw, 1);
    sw_close(sw, NULL);

    static const struct {
        const char *name;
        int64_t step;
    } expected[] = {{"before", 0}, {"inside", 0}, {"inside", 1},
                    {"after", 1},  {"valid", 1},  {"resumed", 100}};
    ck_assert_uint_eq(probe.metric_count, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_str_eq(probe.metric[i].name, expected[i].name);
        ck_assert_int_eq(probe.metric[i].step, expected[i].step);
        ck_assert_int_eq(probe.metric[i].by, SW_BY_USER);
    }
    ck_assert(isnan(probe.metric[4].value));
}
END_TEST

static void assert_metric(size_t i, const char *name, int64_t step)
{
    ck_assert_uint_lt(i, probe.metric_count);
    ck_assert_str_eq(probe.metric[i].name, name);
    ck_assert_int_eq(probe.metric[i].step, step);
}

/* However the batch ends, and whatever comes after it. */
START_TEST(a_value_of_a_batch_that_makes_no_step_belongs_to_the_next_step)
{
    struct sw_profiler *sw = probe_open("");
    sw_begin(sw, SW_FIT);
    probe_step(sw, 1);
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "before valid", 1);
    sw_cancel(sw, SW_BATCH);
    sw_begin(sw, SW_VALID);
    probe_step(sw, 1);
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "in valid", 1);
    sw_cancel(sw, SW_BATCH);
    sw_end(sw, SW_VALID);
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "before a jump", 1);
    sw_cancel(sw, SW_BATCH);
    sw_set_step(sw, 100);
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "left open", 1);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);

    ck_assert_uint_eq(probe.metric_count, 4);
    assert_metric(0, "before valid", 1);
    assert_metric(1, "in valid", 0);
    assert_metric(2, "before a jump", 1);
    assert_metric(3, "left open", 100);
}
END_TEST

/* Both end with their block, and the samples are told before. */
START_TEST(a_scope_may_end_a_batch_that_has_ended)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    for (int i = 0; i < 3; i++) {
        // clang-format off
        SW_SCOPE(sw, SW_TRAIN); SW_SCOPE(sw, SW_BATCH); /* two on one line */
        // clang-format on
        sw_end_batch(sw, 4);
    }
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(calls(report, "train", "step"), 3);
    sw_report_free(report);
    sw_close(sw, NULL);
    ck_assert_int_eq(probe_messages, 0);
}
END_TEST

/* Else a viewer would show one of them. */
START_TEST(values_before_any_step_are_counted)
{
    struct sw_profiler *sw = probe_open("");
    for (int i = 0; i < 3; i++) {
        sw_log(sw, "residual", i);
        sw_log(sw, "energy", i);
        sw_log_many(sw, (struct sw_named[]){{"x", i}, {"y", i}}, 2);
    }
    sw_log(sw, "rare", 1);
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "residual", 3);
    sw_end_batch(sw, 1);
    sw_log(sw, "residual", 4);
    sw_close(sw, NULL);

    static const char *const names[] = {"residual", "energy", "x", "y"};
    for (size_t i = 0; i < 12; i++)
        assert_metric(i, names[i % 4], (int64_t)i / 4);
    assert_metric(12, "rare", 2);
    assert_metric(13, "residual", 0);
    assert_metric(14, "residual", 0);
}
END_TEST

START_TEST(a_value_has_the_step_that_it_is_given)
{
    struct sw_profiler *sw = probe_open("");
    sw_begin(sw, SW_BATCH);
    sw_log(sw, "loss", 1);
    sw_log_at(sw, "score", 2, 1000);
    sw_log_at(sw, "score", 3, -1);
    sw_log_at(sw, "score", 4, INT64_MAX);
    sw_end_batch(sw, 1);
    sw_log_at(NULL, "score", 5, 1);
    sw_close(sw, NULL);

    ck_assert_uint_eq(probe.metric_count, 4);
    assert_metric(0, "score", 1000);
    assert_metric(1, "score", 0);
    assert_metric(2, "score", INT64_C(1) << 52);
    assert_metric(3, "loss", 0);
}
END_TEST

START_TEST(a_value_belongs_to_the_step_that_the_program_counts)
{
    struct sw_profiler *sw = probe_open("");
    for (int i = 0; i < 3; i++) {
        sw_set_step(sw, i);
        sw_log(sw, "loss", i);
    }
    sw_begin(sw, SW_VALID);
    sw_log(sw, "valid", 1);
    sw_end(sw, SW_VALID);
    sw_begin(sw, SW_BATCH);
    sw_end_batch(sw, 1);
    sw_log(sw, "after", 1);
    sw_set_step(sw, 10);
    sw_log(sw, "before the next", 1);
    sw_close(sw, NULL);

    for (size_t i = 0; i < 3; i++)
        assert_metric(i, "loss", (int64_t)i);
    assert_metric(3, "valid", 1);
    assert_metric(4, "after", 2);
    assert_metric(5, "before the next", 9);
}
END_TEST

START_TEST(a_step_number_without_bound_is_the_largest_that_there_is)
{
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }\n", NULL);
    sw_set_step(sw, INT64_MAX);
    ck_assert_int_eq(sw_get_step(sw), INT64_C(1) << 52);
    sw_set_step(sw, -1);
    ck_assert_int_eq(sw_get_step(sw), INT64_C(1) << 52);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(hyper_parameters_steps_and_the_end_reach_the_sink)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    sw_hparam_int(sw, "epochs", 3);
    sw_hparam_float(sw, "lr", 0.1);
    sw_hparam_string(sw, "optimizer", "adam");
    sw_begin(sw, SW_EPOCH);
    probe_step(sw, 9);
    sw_end(sw, SW_EPOCH);
    sw_set_exit_status(sw, 4);
    sw_close(sw, NULL);

    ck_assert_uint_eq(probe.config_count, 3);
    ck_assert_str_eq(probe.config[2], "optimizer");
    ck_assert_uint_eq(probe.step_count, 1);
    ck_assert_uint_eq(probe.step[0].parts, 7);
    ck_assert_int_eq(probe.step[0].samples, 9);
    ck_assert_uint_eq(probe.epoch_count, 1);
    ck_assert_uint_eq(probe.end_count, 1);
    ck_assert_int_eq(probe.end.exit_status, 4);
    ck_assert(!probe.end.interrupted);
}
END_TEST

/* ---- threads, forks, nothing at all ---------------------------------------------------------- */

static void *loader(void *arg)
{
    int own = sw_action("augment");
    for (int i = 0; i < 1000; i++) {
        sw_begin(arg, SW_DRAW);
        sw_begin(arg, own);
        sw_end(arg, own);
        sw_end(arg, SW_DRAW);
    }
    return NULL;
}

START_TEST(regions_of_other_threads_are_reported_below_under_threads)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    pthread_t thread[4];
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, loader, sw), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    probe_step(sw, 1);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(calls(report, "threads", "draw"), 4000);
    ck_assert_int_eq(calls(report, "threads", "augment"), 4000);
    ck_assert_int_eq(calls(report, "train", "draw"), 1);
    ck_assert_str_eq(sw_report_row(report, report->count - 1)->phase, "threads");
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

static void *report_often(void *arg)
{
    for (int i = 0; i < 200; i++) {
        struct sw_report *report = report_of(arg);
        const struct sw_report_row *step = probe_row(report, "train", "step");
        const struct sw_report_row *batch = probe_row(report, "train", "batch");
        if (step->calls != batch->calls)
            return "torn";
        sw_report_free(report);
    }
    return NULL;
}

START_TEST(a_report_can_be_made_from_another_thread_while_the_loop_runs)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    pthread_t thread;
    void *torn = NULL;
    sw_begin(sw, SW_FIT);
    probe_step(sw, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, report_often, sw), 0);
    for (int i = 0; i < 20000; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 1);
    }
    pthread_join(thread, &torn);
    ck_assert_ptr_null(torn);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(in_a_forked_child_the_profiler_is_off)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    probe_step(sw, 1);
    pid_t child = fork();
    if (child == 0) {
        probe_step(sw, 1);
        sw_log(sw, "child", 1);
        sw_hparam_int(sw, "child", 1);
        _exit(sw_close(sw, NULL) == 0 && sw_get_step(NULL) == 0 ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    probe_step(sw, 1);
    sw_close(sw, NULL);

    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(probe.report[0].train_calls, 2);
    ck_assert_uint_eq(probe.metric_count, 0);
}
END_TEST

START_TEST(every_call_takes_a_null_profiler_and_does_nothing)
{
    struct sw_profiler *sw = NULL;
    struct sw_report *report = NULL;
    SW_SCOPE(sw, SW_FIT);
    probe_step(sw, 1);
    sw_log(sw, "x", 1);
    sw_hparam_int(sw, "x", 1);
    sw_hparam_float(sw, "x", 1);
    sw_hparam_string(sw, "x", "y");
    sw_set_step(sw, 3);
    sw_expect_steps(sw, 3);
    sw_event(sw, SW_BEFORE_FIT);
    sw_event_batch(sw, 1);
    sw_pause(sw);
    sw_resume(sw);
    sw_set_thread(sw, 1);
    sw_set_exit_status(sw, 1);
    sw_set_messages(sw, NULL, NULL);
    ck_assert(!sw_should_stop(sw));
    ck_assert_int_eq(sw_get_step(sw), 0);
    ck_assert_int_eq(sw_report_new(sw, &report, NULL), SW_EINVAL);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}
END_TEST

START_TEST(a_profiler_that_is_off_is_null_without_an_error)
{
    struct sw_error err = {.code = 1};
    ck_assert_ptr_null(sw_open_text("profiler: off\n", &err));
    ck_assert_int_eq(err.code, 0);
}
END_TEST

START_TEST(two_profilers_measure_side_by_side)
{
    struct sw_error err;
    struct sw_profiler *a = probe_open("mode: simple, drop_first_batch: false");
    struct sw_profiler *b = sw_open_text("profiler: { show_report: false }\n", &err);
    ck_assert_msg(b != NULL, "%s", sw_error_text(&err));
    for (int i = 0; i < 10; i++) {
        probe_step(a, 1);
        if (i % 2)
            probe_step(b, 1);
    }
    ck_assert_int_eq(sw_get_step(a), 10);
    ck_assert_int_eq(sw_get_step(b), 5);
    sw_close(b, NULL);
    sw_close(a, NULL);
}
END_TEST

/* ---- several profilers on one thread --------------------------------------------------------- */

static struct sw_profiler *quiet_open(void)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open_text(
        "profiler: { mode: simple, drop_first_batch: false, show_report: false }\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    return sw;
}

enum { PROFILERS = 6 };

/* Profiler i runs i + 1 own regions and a step, all of them inside of one another's. */
static void run_in_turn(struct sw_profiler **sw, int count)
{
    int own = sw_action("in turn");
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
            sw_begin(sw[j], own);
    for (int i = 0; i < count; i++)
        for (int j = i; j < count; j++)
            sw_end(sw[j], own);
    for (int i = 0; i < count; i++)
        sw_begin(sw[i], SW_BATCH);
    for (int i = count - 1; i >= 0; i--)
        sw_next(sw[i], SW_FORWARD);
    for (int i = 0; i < count; i++)
        sw_end(sw[i], SW_FORWARD);
    for (int i = 0; i < count; i++)
        sw_end_batch(sw[i], 1);
}

static int64_t calls_of(struct sw_profiler *sw, const char *phase, const char *action)
{
    struct sw_report *report = report_of(sw);
    int64_t n = calls(report, phase, action);
    ck_assert_int_eq(report->accounting.misuses, 0);
    ck_assert_int_eq(report->accounting.discarded, 0);
    sw_report_free(report);
    return n;
}

START_TEST(profilers_used_in_turn_on_one_thread_have_exactly_their_own_regions)
{
    struct sw_profiler *sw[PROFILERS];
    for (int i = 0; i < PROFILERS; i++)
        sw[i] = quiet_open();
    for (int round = 0; round < 50; round++)
        run_in_turn(sw, 1 + round % PROFILERS);
    for (int i = 0; i < PROFILERS; i++) {
        int64_t rounds = 0;
        for (int round = 0; round < 50; round++)
            rounds += round % PROFILERS >= i;
        ck_assert_int_eq(calls_of(sw[i], "train", "forward"), rounds);
        ck_assert_int_eq(calls_of(sw[i], "fit", "in turn"), rounds * (i + 1));
        sw_close(sw[i], NULL);
    }
}
END_TEST

START_TEST(a_profiler_opened_in_place_of_a_closed_one_starts_empty_beside_another)
{
    struct sw_profiler *sw[2] = {quiet_open(), quiet_open()};
    for (int round = 1; round <= 20; round++) {
        run_in_turn(sw, 2);
        ck_assert_int_eq(calls_of(sw[0], "train", "forward"), round);
        ck_assert_int_eq(calls_of(sw[1], "train", "forward"), 1);
        sw_close(sw[1], NULL);
        sw[1] = quiet_open();
    }
    sw_close(sw[1], NULL);
    sw_close(sw[0], NULL);
}
END_TEST

START_TEST(a_pause_of_one_profiler_is_not_a_pause_of_the_one_used_in_turn)
{
    struct sw_profiler *sw[2] = {quiet_open(), quiet_open()};
    run_in_turn(sw, 2);
    sw_pause(sw[0]);
    run_in_turn(sw, 2);
    sw_resume(sw[0]);
    run_in_turn(sw, 2);
    ck_assert_int_eq(calls_of(sw[0], "train", "forward"), 2);
    ck_assert_int_eq(calls_of(sw[1], "train", "forward"), 3);
    sw_close(sw[1], NULL);
    sw_close(sw[0], NULL);
}
END_TEST

START_TEST(profilers_used_in_turn_are_off_in_a_forked_child)
{
    struct sw_profiler *sw[2] = {quiet_open(), quiet_open()};
    run_in_turn(sw, 2);
    pid_t child = fork();
    if (child == 0) {
        run_in_turn(sw, 2);
        _exit(sw_get_step(sw[0]) == 1 && sw_get_step(sw[1]) == 1 ? 0 : 1);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    run_in_turn(sw, 2);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(calls_of(sw[0], "train", "forward"), 2);
    ck_assert_int_eq(calls_of(sw[1], "train", "forward"), 2);
    sw_close(sw[1], NULL);
    sw_close(sw[0], NULL);
}
END_TEST

START_TEST(a_thread_number_set_for_one_profiler_leaves_the_other_as_it_was)
{
    struct sw_profiler *sw[2] = {quiet_open(), quiet_open()};
    int own = sw_action("in turn");
    run_in_turn(sw, 2);
    sw_set_thread(sw[0], 7);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            sw_begin(sw[j], own);
            sw_end(sw[j], own);
        }
    sw_set_thread(NULL, 0);
    ck_assert_int_eq(calls_of(sw[0], "threads", "in turn"), 3);
    ck_assert_int_eq(calls_of(sw[0], "fit", "in turn"), 1);
    ck_assert_int_eq(calls_of(sw[1], "fit", "in turn"), 5);
    sw_close(sw[1], NULL);
    sw_close(sw[0], NULL);
}
END_TEST

START_TEST(action_names_give_handles_that_last)
{
    char name[32];
    ck_assert_int_eq(sw_action("forward"), SW_FORWARD);
    int first = sw_action("one of mine");
    for (int i = 0; i < 10500; i++) {
        snprintf(name, sizeof name, "action %d", i);
        ck_assert_int_ge(sw_action(name), 0);
    }
    ck_assert_int_eq(sw_action("one of mine"), first);
    ck_assert_str_eq(sw_action_name(first), "one of mine");
    ck_assert_str_eq(sw_action_name(sw_action("one too many")), "other");
    ck_assert_str_eq(sw_action_name(-7), "other");
}
END_TEST

START_TEST(callback_events_measure_the_same_as_the_calls)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    static const enum sw_event step[] = {SW_BEFORE_DRAW, SW_BEFORE_BATCH,    SW_AFTER_PRED,
                                         SW_AFTER_LOSS,  SW_BEFORE_BACKWARD, SW_BEFORE_STEP,
                                         SW_AFTER_STEP};
    sw_event(sw, SW_BEFORE_FIT);
    sw_event(sw, SW_BEFORE_EPOCH);
    sw_event(sw, SW_BEFORE_TRAIN);
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < sizeof step / sizeof *step; k++) {
            sw_event(sw, step[k]);
            probe_wait(10);
        }
        sw_event_batch(sw, 5);
    }
    sw_event(sw, SW_AFTER_TRAIN);
    sw_event(sw, SW_BEFORE_VALIDATE);
    for (size_t k = 0; k < 4; k++) {
        sw_event(sw, step[k]);
        probe_wait(10);
    }
    sw_event_batch(sw, 5);
    sw_event(sw, SW_AFTER_VALIDATE);
    sw_event(sw, SW_AFTER_EPOCH);
    sw_event(sw, SW_AFTER_FIT);
    struct sw_report *report = report_of(sw);

    ck_assert_int_eq(report->accounting.misuses, 0);
    static const char *const actions[] = {"draw",     "forward",  "loss",
                                          "backward", "opt_step", "zero_grad"};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        ck_assert_double_eq(probe_row(report, "train", actions[i])->total_ns, 20);
    ck_assert_double_eq(probe_row(report, "train", "batch")->total_ns, 120);
    ck_assert_int_eq(calls(report, "valid", "predict"), 1);
    ck_assert_int_eq(calls(report, "fit", "epoch"), 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

SUITE(loop)
{
    tcase_add_test(tc, a_loop_of_steps_alone_is_a_fit_from_its_first_region_to_close);
    tcase_add_test(tc, a_loop_that_validates_only_has_no_training_calls);
    tcase_add_test(tc, each_fit_has_its_own_report_and_the_step_number_goes_on);
    tcase_add_test(tc, after_a_fit_its_report_can_be_asked_for_until_the_next_one_begins);
    tcase_add_test(tc, validation_inside_of_train_leaves_the_rest_to_train);
    tcase_add_test(tc, a_scope_ends_however_its_block_is_left);
    tcase_add_test(tc, a_draw_that_found_nothing_is_not_a_draw);
    tcase_add_test(tc, a_cancelled_batch_keeps_what_had_finished_in_it_without_a_rate);
    tcase_add_test(tc, a_batch_of_a_negative_number_of_samples_is_one_without_samples);
    tcase_add_test(tc, ending_an_outer_region_discards_those_open_inside_it);
    tcase_add_test(tc, misuse_is_counted_and_said_once_and_harms_nothing);
    tcase_add_test(tc, a_batch_in_which_validation_begins_is_left_out_and_spoils_no_sum);
    tcase_add_test(tc, the_first_batch_of_each_phase_is_left_out_with_all_that_ran_in_it);
    tcase_add_test(tc, what_children_and_other_add_up_to_is_the_fit);
    tcase_add_test(tc, in_throughput_mode_only_draw_batch_and_own_actions_are_measured);
    tcase_add_test(tc, no_clock_is_read_for_an_action_that_is_not_measured);
    tcase_add_test(tc, an_action_that_is_not_measured_ends_its_sibling_all_the_same);
    tcase_add_test(tc, a_pause_is_in_nothing);
    tcase_add_test(tc, what_other_threads_end_after_a_pause_is_no_misuse);
    tcase_add_test(tc, misuse_after_a_pause_is_told);
    tcase_add_test(tc, a_loop_that_threads_of_a_pool_run_in_turns_is_one_loop);
    tcase_add_test(tc, a_report_made_during_a_pause_leaves_the_pause_out);
    tcase_add_test(tc, a_pause_that_lasts_until_the_close_is_in_nothing);
    tcase_add_test(tc, a_thousand_regions_in_one_batch_are_all_counted);
    tcase_add_test(tc, regions_nest_two_hundred_deep_and_too_deep_ones_are_counted_as_misuse);
    tcase_add_test(tc, rolling_averages_are_logged_when_the_window_is_full_and_every_n_steps_after);
    tcase_add_test(tc, rolling_averages_of_batches_that_take_no_time_are_finite);
    tcase_add_test(tc, a_logged_value_belongs_to_its_training_step);
    tcase_add_test(tc, a_value_of_a_batch_that_makes_no_step_belongs_to_the_next_step);
    tcase_add_test(tc, a_scope_may_end_a_batch_that_has_ended);
    tcase_add_test(tc, values_before_any_step_are_counted);
    tcase_add_test(tc, a_value_has_the_step_that_it_is_given);
    tcase_add_test(tc, a_value_belongs_to_the_step_that_the_program_counts);
    tcase_add_test(tc, a_step_number_without_bound_is_the_largest_that_there_is);
    tcase_add_test(tc, hyper_parameters_steps_and_the_end_reach_the_sink);
    tcase_add_test(tc, regions_of_other_threads_are_reported_below_under_threads);
    tcase_add_test(tc, a_report_can_be_made_from_another_thread_while_the_loop_runs);
    tcase_add_test(tc, in_a_forked_child_the_profiler_is_off);
    tcase_add_test(tc, every_call_takes_a_null_profiler_and_does_nothing);
    tcase_add_test(tc, a_profiler_that_is_off_is_null_without_an_error);
    tcase_add_test(tc, two_profilers_measure_side_by_side);
    tcase_add_test(tc, profilers_used_in_turn_on_one_thread_have_exactly_their_own_regions);
    tcase_add_test(tc, a_profiler_opened_in_place_of_a_closed_one_starts_empty_beside_another);
    tcase_add_test(tc, a_pause_of_one_profiler_is_not_a_pause_of_the_one_used_in_turn);
    tcase_add_test(tc, profilers_used_in_turn_are_off_in_a_forked_child);
    tcase_add_test(tc, a_thread_number_set_for_one_profiler_leaves_the_other_as_it_was);
    tcase_add_test(tc, action_names_give_handles_that_last);
    tcase_add_test(tc, callback_events_measure_the_same_as_the_calls);
}
