/* SPDX-License-Identifier: MIT */
/* What threads note is folded later, by whoever comes first: no call is lost, none counts twice,
 * and nothing depends on when it is folded. */
#include "tests/support/probe.h"
#include "tests/support/random_calls.h"
#include "tests/support/suite.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)

static int64_t calls_of(const struct sw_report *report, const char *phase, const char *action)
{
    const struct sw_report_row *row = probe_row(report, phase, action);
    return row ? row->calls : 0;
}

static struct sw_report *report_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
    return report;
}

/* ---- the time of folding --------------------------------------------------------------------- */

static char *text_of(const struct sw_report *report)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fprintf(to,
            "step %" PRId64 " epoch %" PRId64 " fit %a misuses %" PRId64 " discarded %" PRId64 "\n",
            report->step, report->epoch, report->fit_ns, report->accounting.misuses,
            report->accounting.discarded);
    for (size_t i = 0; i < report->misuse_count; i++)
        fprintf(to, "%s %" PRId64 "\n", report->misuse[i].text, report->misuse[i].times);
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        fprintf(to, "%s/%s %" PRId64 " %a %a %a %a %a\n", row->phase, row->action, row->calls,
                row->total_ns, row->self_ns, row->p50_ns, row->std_ns, row->samples_per_s);
    }
    fclose(to);
    return text;
}

static void time_passes(struct sw_profiler *sw)
{
    (void)sw;
    probe_wait(1 + random_below(50));
}

/* Legal and illegal calls of three threads, with marks, values and pauses. eager: each call is
 * folded before the next one. */
static char *random_run(uint32_t seed, bool eager)
{
    static const int builtin[] = {SW_FIT,   SW_EPOCH,   SW_TRAIN, SW_VALID,    SW_DRAW,
                                  SW_BATCH, SW_FORWARD, SW_LOSS,  SW_BACKWARD, SW_OPT_STEP};
    enum { BUILTIN = sizeof builtin / sizeof *builtin, CALLS = 1500 };
    int own[2] = {sw_action("stream a"), sw_action("stream b")};
    struct sw_profiler *sw = probe_open("mode: simple, rolling_average: 3");
    random_begin(seed);
    for (int i = 0; i < CALLS; i++) {
        uint32_t which = random_below(BUILTIN + 4);
        if (random_below(16) == 0)
            sw_set_thread(sw, (int)random_below(3));
        if (random_below(8) == 0)
            sw_log(sw, "loss", i);
        random_call(sw, which < BUILTIN ? builtin[which] : own[which % 2], time_passes);
        probe_wait(random_below(100));
        if (eager)
            sw_flush(sw, SECOND);
    }
    struct sw_report *report = report_of(sw);
    char *text = text_of(report);
    sw_report_free(report);
    sw_close(sw, NULL);
    return text;
}

START_TEST(a_report_does_not_depend_on_when_the_calls_are_folded)
{
    char *late = random_run((uint32_t)_i + 1, false), *soon = random_run((uint32_t)_i + 1, true);
    ck_assert_str_eq(late, soon);
    free(late);
    free(soon);
}
END_TEST

/* ---- exact sums ------------------------------------------------------------------------------ */

enum { THREADS = 3, PAIRS = 150000 };
static struct sw_profiler *shared;
static int counted;

static void *pairs(void *arg)
{
    for (int i = 0; i < PAIRS; i++) {
        sw_begin(shared, counted);
        sw_end(shared, counted);
    }
    return arg;
}

static const char *const sinks[] = {"", "logger_callback: [{csv: {path: /dev/null}}]\n"};

/* Several times the memory for what is noted: threads fold some of it themselves. */
START_TEST(no_call_is_lost_however_fast_they_come)
{
    char text[256];
    pthread_t thread[THREADS];
    struct sw_error err;
    snprintf(text, sizeof text, "profiler: { mode: simple, show_report: false }\n%s", sinks[_i]);
    struct sw_profiler *sw = shared = sw_open_text(text, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    counted = sw_action("pair");
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, pairs, NULL), 0);
    pairs(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    struct sw_report *report = report_of(sw);
    int64_t calls = 0;
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(sw_report_row(report, i)->action, "pair") == 0)
            calls += sw_report_row(report, i)->calls;
    ck_assert_int_eq(calls, (int64_t)(THREADS + 1) * PAIRS);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

static atomic_bool over;
static atomic_llong made, reported;

static void *until_over(void *arg)
{
    while (!atomic_load(&over)) {
        sw_begin(shared, counted);
        sw_end(shared, counted);
        atomic_fetch_add(&made, 1);
    }
    return arg;
}

static double longest; /* fit, in ns */

static int sum_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)err;
    if (record->type == SW_RECORD_REPORT)
        longest = fmax(longest, record->report->fit_ns);
    for (size_t i = 0; record->type == SW_RECORD_REPORT && i < record->report->count; i++)
        if (strcmp(sw_report_row(record->report, i)->action, "pair") == 0)
            atomic_fetch_add(&reported, sw_report_row(record->report, i)->calls);
    return 0;
}

static const struct sw_sink_plugin sum_sink = {
    SW_SINK_HEADER,
    .name = "sum_of_calls",
    .version = "1.0",
    .license = "MIT",
    .summary = "adds up the calls of all reports, and finds the longest fit, for tests",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .queue = SW_QUEUE_DROP_OLDEST,
    .state_size = 1,
    .record = sum_record,
};

START_TEST(the_reports_of_all_fits_add_up_to_all_calls_of_all_threads)
{
    enum { FITS = 200 };
    pthread_t thread[2];
    struct sw_error err;
    ck_assert_int_eq(sw_sink_register(&sum_sink, NULL, &err), 0);
    struct sw_profiler *sw = shared = sw_open_text(
        "profiler: { mode: simple, show_report: false }\nlogger_callback: sum_of_calls\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    counted = sw_action("pair");
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, until_over, NULL), 0);
    for (int i = 0; i < FITS; i++) {
        int64_t before = atomic_load(&made);
        sw_begin(sw, SW_FIT);
        while (atomic_load(&made) < before + 50)
            continue;
        if (i == FITS - 1) {
            atomic_store(&over, true);
            for (int k = 0; k < 2; k++)
                pthread_join(thread[k], NULL);
        }
        sw_end(sw, SW_FIT);
    }
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_int_eq(atomic_load(&reported), atomic_load(&made));
}
END_TEST

/* ---- whose is what --------------------------------------------------------------------------- */

static void draw(struct sw_profiler *sw, int64_t ns)
{
    sw_begin(sw, SW_DRAW);
    probe_wait(ns);
    sw_end(sw, SW_DRAW);
}

static void batch(struct sw_profiler *sw, int64_t ns)
{
    sw_begin(sw, SW_BATCH);
    probe_wait(ns);
    sw_end_batch(sw, 8);
}

START_TEST(a_draw_waits_for_a_batch_of_its_own_phase)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    draw(sw, 1000);
    sw_begin(sw, SW_VALID);
    draw(sw, 1);
    batch(sw, 2);
    sw_end(sw, SW_VALID);
    batch(sw, 4);
    sw_end(sw, SW_TRAIN);
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq(probe_row(report, "train", "draw")->total_ns, 1000);
    ck_assert_double_eq(probe_row(report, "train", "step")->total_ns, 1004);
    ck_assert_double_eq(probe_row(report, "valid", "step")->total_ns, 3);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_report_before_the_first_batch_leaves_its_draw_to_it)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    draw(sw, 1000);
    sw_report_free(report_of(sw));
    batch(sw, 4);
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq(probe_row(report, "train", "step")->total_ns, 1004);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_draw_after_the_last_fit_is_reported_at_the_end)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    batch(sw, 4);
    sw_end(sw, SW_FIT);
    draw(sw, 1000);
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.report_count, 2);
}
END_TEST

START_TEST(a_draw_of_a_cancelled_train_is_of_no_later_step)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    draw(sw, 1000);
    sw_cancel(sw, SW_TRAIN);
    sw_begin(sw, SW_TRAIN);
    draw(sw, 1);
    batch(sw, 4);
    sw_end(sw, SW_TRAIN);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(calls_of(report, "train", "draw"), 1);
    ck_assert_double_eq(probe_row(report, "train", "step")->total_ns, 5);
    ck_assert_int_eq(report->accounting.discarded, 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_builtin_action_that_is_open_in_another_phase_is_noticed)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    sw_begin(sw, SW_FORWARD);
    sw_begin(sw, SW_VALID);
    sw_begin(sw, SW_FORWARD);
    sw_flush(sw, SECOND);
    ck_assert_int_eq(probe_messages, 1);
    ck_assert_ptr_nonnull(strstr(probe_message, "forward was begun twice"));
    sw_close(sw, NULL);
}
END_TEST

START_TEST(the_number_of_the_loops_thread_leads_back_to_it)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    sw_set_thread(sw, 1);
    sw_begin(sw, sw_action("elsewhere"));
    sw_end(sw, sw_action("elsewhere"));
    sw_set_thread(sw, 0);
    batch(sw, 4);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(calls_of(report, "train", "batch"), 1);
    ck_assert_int_eq(calls_of(report, "threads", "elsewhere"), 1);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* ---- the end of a fit that nobody asks for --------------------------------------------------- */

static void end_own(struct sw_profiler *sw, int own)
{
    sw_end(sw, own);
}

static void cancel_own(struct sw_profiler *sw, int own)
{
    sw_cancel(sw, own);
}

static void (*const leave[])(struct sw_profiler *sw, int own) = {end_own, cancel_own};

/* What is still open then lies around the next fit, and is left out of it. */
START_TEST(a_batch_after_a_fit_that_ended_with_the_region_around_it_is_in_the_next_fit)
{
    int outer = sw_action("outer"), inner = sw_action("inner");
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, outer);
    sw_begin(sw, inner);
    sw_begin(sw, SW_FIT);
    batch(sw, 4);
    leave[_i](sw, inner);
    batch(sw, 4);
    batch(sw, 4);
    leave[_i](sw, outer);
    batch(sw, 4);
    sw_close(sw, NULL);
    ck_assert_uint_eq(probe.report_count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(probe.report[i].train_calls, i == 1 ? 2 : 1);
}
END_TEST

static void *fits_without_begin(void *arg)
{
    for (int i = 0; i < 5000; i++) {
        sw_begin(shared, SW_BATCH);
        sw_end_batch(shared, 8);
        sw_end(shared, SW_FIT);
    }
    return arg;
}

/* Nobody begins these fits, and each thread has what the others leave to it. */
START_TEST(fits_of_several_threads_begin_with_regions_of_their_own)
{
    pthread_t thread[THREADS];
    struct sw_error err;
    struct timespec begin, end;
    ck_assert_int_eq(sw_sink_register(&sum_sink, NULL, &err), 0);
    struct sw_profiler *sw = shared = sw_open_text(
        "profiler: { mode: simple, show_report: false }\nlogger_callback: sum_of_calls\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, fits_without_begin, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_double_gt(longest, 0);
    ck_assert_double_le(longest, 1e9 * difftime(end.tv_sec, begin.tv_sec) +
                                     (double)(end.tv_nsec - begin.tv_nsec));
}
END_TEST

/* The second begin of forward discards the first one, and the fit that is open in it. */
START_TEST(a_fit_whose_region_was_left_ends_where_the_program_ends_it)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FORWARD);
    sw_begin(sw, SW_FIT);
    batch(sw, 4);
    sw_begin(sw, SW_FORWARD);
    probe_wait(100);
    sw_end(sw, SW_FORWARD);
    sw_end(sw, SW_FIT);
    ck_assert_uint_eq((sw_flush(sw, SECOND), probe.report_count), 1);
    ck_assert_double_eq(probe.report[0].fit_ns, 104);
    sw_close(sw, NULL);
}
END_TEST

/* A step number is asked for before anything is folded. */
START_TEST(the_step_is_known_at_once)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(sw_get_step(sw), i);
        batch(sw, 4);
    }
    sw_begin(sw, SW_BATCH);
    sw_cancel(sw, SW_BATCH);
    ck_assert_int_eq(sw_get_step(sw), 5);
    sw_close(sw, NULL);
}
END_TEST

/* ---- epochs ---------------------------------------------------------------------------------- */

static int64_t calls_at_end[2];
static size_t epochs_ended;

static int epoch_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)err;
    for (size_t i = 0; i < record->report->count && epochs_ended < 2; i++)
        if (strcmp(sw_report_row(record->report, i)->action, "pair") == 0)
            calls_at_end[epochs_ended] = sw_report_row(record->report, i)->calls;
    epochs_ended++;
    return 0;
}

static const struct sw_sink_plugin epoch_sink = {
    SW_SINK_HEADER,
    .name = "calls_at_epochs",
    .version = "1.0",
    .license = "MIT",
    .summary = "keeps the calls of each epoch, for tests",
    .wants = SW_WANT(SW_RECORD_EPOCH),
    .queue = SW_QUEUE_DROP_OLDEST,
    .state_size = 1,
    .record = epoch_record,
};

static void *one_pair(void *arg)
{
    sw_begin(shared, counted);
    sw_end(shared, counted);
    return arg;
}

static void in_another_thread(void *(*run)(void *))
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
    pthread_join(thread, NULL);
}

/* Given an epoch that ends in the second chunk of the loop's thread, and a call of another thread
 * in each of two epochs, when the dispatcher looks before the second one ends, the first has one.
 */
START_TEST(an_epoch_has_what_other_threads_did_until_it_ended)
{
    const struct timespec look = {.tv_nsec = 200000000};
    struct sw_error err;
    ck_assert_int_eq(sw_sink_register(&epoch_sink, NULL, &err), 0);
    struct sw_profiler *sw = shared = sw_open_text(
        "profiler: { mode: simple, show_report: false }\nlogger_callback: calls_at_epochs\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    counted = sw_action("pair");
    int own = sw_action("own");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_EPOCH);
    for (int i = 0; i < 300; i++) {
        sw_begin(sw, own);
        sw_end(sw, own);
    }
    in_another_thread(one_pair);
    sw_end(sw, SW_EPOCH);
    sw_begin(sw, SW_EPOCH);
    in_another_thread(one_pair);
    nanosleep(&look, NULL);
    sw_end(sw, SW_EPOCH);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
    ck_assert_uint_eq(epochs_ended, 2);
    ck_assert_int_eq(calls_at_end[0], 1);
    ck_assert_int_eq(calls_at_end[1], 2);
}
END_TEST

SUITE(stream)
{
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_report_does_not_depend_on_when_the_calls_are_folded, 0, 20);
    tcase_add_loop_test(tc, no_call_is_lost_however_fast_they_come, 0, 2);
    tcase_add_test(tc, the_reports_of_all_fits_add_up_to_all_calls_of_all_threads);
    tcase_add_test(tc, a_draw_waits_for_a_batch_of_its_own_phase);
    tcase_add_test(tc, a_report_before_the_first_batch_leaves_its_draw_to_it);
    tcase_add_test(tc, a_draw_after_the_last_fit_is_reported_at_the_end);
    tcase_add_test(tc, a_draw_of_a_cancelled_train_is_of_no_later_step);
    tcase_add_test(tc, a_builtin_action_that_is_open_in_another_phase_is_noticed);
    tcase_add_test(tc, the_number_of_the_loops_thread_leads_back_to_it);
    tcase_add_loop_test(
        tc, a_batch_after_a_fit_that_ended_with_the_region_around_it_is_in_the_next_fit, 0, 2);
    tcase_add_test(tc, fits_of_several_threads_begin_with_regions_of_their_own);
    tcase_add_test(tc, a_fit_whose_region_was_left_ends_where_the_program_ends_it);
    tcase_add_test(tc, the_step_is_known_at_once);
    tcase_add_test(tc, an_epoch_has_what_other_threads_did_until_it_ended);
}
