/* SPDX-License-Identifier: MIT */
/* Spans overlap, and begin and end on different threads; notes belong to a moment. */
#include "tests/support/probe.h"
#include "tests/support/recorder.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct sw_report *report_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    struct sw_error err;
    ck_assert_int_gt(sw_report_new(sw, &report, &err), 0);
    return report;
}

static const struct sw_report_row *span_row(const struct sw_report *report, const char *action)
{
    const struct sw_report_row *row = probe_row(report, "spans", action);
    ck_assert_msg(row != NULL, "there is no row spans/%s", action);
    return row;
}

static void close_it(struct sw_profiler *sw)
{
    struct sw_error err;
    ck_assert_int_eq(sw_close(sw, &err), 0);
}

START_TEST(spans_that_overlap_are_all_counted)
{
    struct sw_profiler *sw = probe_open("");
    int prefetch = sw_action("prefetch");
    probe_step(sw, 1);
    int64_t a = sw_span_begin(sw, prefetch);
    probe_wait(100);
    int64_t b = sw_span_begin(sw, prefetch);
    probe_wait(50);
    sw_span_end(sw, a);
    probe_wait(300);
    sw_span_end(sw, b);
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *row = span_row(report, "prefetch");
    ck_assert_int_eq(row->phase_id, SW_PHASE_SPANS);
    ck_assert_int_eq(row->calls, 2);
    ck_assert_double_eq_tol(row->total_ns, 150 + 350, 1e-6);
    ck_assert_double_eq_tol(row->mean_ns, 250, 1e-6);
    ck_assert_double_eq_tol(row->durations.min, 150, 1e-6);
    ck_assert_double_eq_tol(row->durations.max, 350, 1e-6);
    ck_assert(isnan(row->share));
    ck_assert(isnan(row->self_ns));
    ck_assert(isnan(row->samples_per_s));
    sw_report_free(report);
    close_it(sw);
}
END_TEST

/* What the loop's regions add up to, with spans or without. */
static double accounted(bool spans)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < 10; i++) {
        int64_t id = spans ? sw_span_begin(sw, sw_action("beside")) : 0;
        probe_step(sw, 4);
        sw_span_end(sw, id);
    }
    struct sw_report *report = report_of(sw);
    double ns = report->accounting.accounted_ns;
    ck_assert_double_eq_tol(probe_row(report, "train", "batch")->self_ns, 200, 1e-6);
    ck_assert_double_eq_tol(report->accounting.other_ns + ns, report->fit_ns, 1e-6);
    sw_report_free(report);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    close_it(sw);
    return ns;
}

START_TEST(a_span_is_in_no_sum_of_the_loop)
{
    ck_assert_double_eq_tol(accounted(true), accounted(false), 1e-6);
}
END_TEST

struct handed {
    struct sw_profiler *sw;
    int64_t id;
};

static void *span_ender(void *arg)
{
    const struct handed *handed = arg;
    probe_wait(70);
    sw_span_end(handed->sw, handed->id);
    return NULL;
}

START_TEST(a_span_may_end_on_another_thread)
{
    struct sw_profiler *sw = recorder_open("");
    pthread_t thread;
    struct handed handed = {sw, sw_span_begin(sw, sw_action("handed"))};
    ck_assert_int_eq(pthread_create(&thread, NULL, span_ender, &handed), 0);
    pthread_join(thread, NULL);
    sw_begin(sw, SW_BATCH);
    sw_end_batch(sw, 1);
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq_tol(span_row(report, "handed")->total_ns, 70, 1e-6);
    sw_report_free(report);
    assert_recorded(sw, "window 0 run begins 0 first 0\nspan 1 begins 0 handed\n"
                        "span 1 ends 70 handed 0\nbegin batch 70\nend batch 70\nend fit 70\n"
                        "window 0 ends 70 next 1\n");
}
END_TEST

START_TEST(an_id_that_is_not_open_is_ignored)
{
    struct sw_profiler *sw = probe_open("");
    probe_step(sw, 1);
    int64_t id = sw_span_begin(sw, sw_action("once"));
    sw_span_end(sw, id);
    sw_span_end(sw, id);
    sw_span_end(sw, 0);
    sw_span_end(sw, -1);
    sw_span_end(sw, INT64_MAX);
    ck_assert_int_eq(sw_span_begin(NULL, 0), 0);
    sw_span_end(NULL, 1);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(span_row(report, "once")->calls, 1);
    ck_assert_int_eq(report->accounting.misuses, 0);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

START_TEST(a_span_over_a_pause_is_not_counted)
{
    struct sw_profiler *sw = probe_open("");
    int action = sw_action("waits");
    probe_step(sw, 1);
    int64_t over = sw_span_begin(sw, action), within = sw_span_begin(sw, action);
    sw_pause(sw);
    ck_assert_int_eq(sw_span_begin(sw, action), 0);
    sw_span_end(sw, within);
    sw_resume(sw);
    sw_span_end(sw, over);
    sw_span_end(sw, sw_span_begin(sw, action));
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(span_row(report, "waits")->calls, 1);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

static int64_t calls_in_fit(struct sw_profiler *sw, int spans)
{
    sw_begin(sw, SW_FIT);
    probe_step(sw, 1);
    for (int i = 0; i < spans; i++)
        sw_span_end(sw, sw_span_begin(sw, sw_action("each")));
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *row = probe_row(report, "spans", "each");
    int64_t calls = row ? row->calls : 0;
    sw_report_free(report);
    return calls;
}

START_TEST(a_span_belongs_to_the_fit_in_which_it_ends)
{
    struct sw_profiler *sw = probe_open("");
    ck_assert_int_eq(calls_in_fit(sw, 3), 3);
    ck_assert_int_eq(calls_in_fit(sw, 0), 0);
    ck_assert_int_eq(calls_in_fit(sw, 2), 2);
    int64_t id = sw_span_begin(sw, sw_action("each"));
    ck_assert_int_eq(calls_in_fit(sw, 1), 1);
    sw_span_end(sw, id);
    ck_assert_int_eq(calls_in_fit(sw, 0), 1);
    close_it(sw);
}
END_TEST

START_TEST(thousands_of_spans_may_be_open_and_end_in_any_order)
{
    enum { SPANS = 5000, STEP = 7 };
    static int64_t id[SPANS];
    struct sw_profiler *sw = probe_open("");
    probe_step(sw, 1);
    for (int i = 0; i < SPANS; i++) {
        id[i] = sw_span_begin(sw, sw_action("many"));
        ck_assert_int_gt(id[i], i ? id[i - 1] : 0);
    }
    probe_wait(10);
    for (int i = 0, k = 0; i < SPANS; i++, k = (k + STEP) % SPANS)
        sw_span_end(sw, id[k]);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(span_row(report, "many")->calls, SPANS);
    ck_assert_double_eq_tol(span_row(report, "many")->mean_ns, 10, 1e-6);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 4, EACH = 2000 };

static void *spans_on_a_thread(void *sw)
{
    for (int i = 0; i < EACH; i++) {
        int64_t a = sw_span_begin(sw, sw_action("a")), b = sw_span_begin(sw, sw_action("b"));
        sw_span_end(sw, a);
        sw_span_end(sw, b);
    }
    return NULL;
}

START_TEST(threads_begin_and_end_spans_while_reports_are_made)
{
    struct sw_error err = {0};
    struct sw_profiler *sw =
        sw_open_text("profiler: {show_report: false}\nlogger_callback: []\n", &err);
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, spans_on_a_thread, sw), 0);
    for (int fit = 0; fit < 20; fit++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
        sw_report_free(report_of(sw));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(span_row(report, "a")->calls, THREADS * EACH);
    ck_assert_int_eq(span_row(report, "b")->calls, THREADS * EACH);
    sw_report_free(report);
    close_it(sw);
}
END_TEST

START_TEST(a_program_with_nothing_but_spans_gets_its_report)
{
    struct sw_error err = {0};
    scratch_enter();
    struct sw_profiler *sw = sw_open_text("profiler: {mode: simple, show_report: false}\n"
                                          "logger_callback: {csv: {path: spans.csv}}\n",
                                          &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    for (int i = 0; i < 3; i++)
        sw_span_end(sw, sw_span_begin(sw, sw_action("prefetch")));
    close_it(sw);
    char *text = scratch_read("spans.csv", NULL);
    ck_assert_msg(strstr(text, "\nspans,prefetch,") != NULL, "no row of the span:\n%s", text);
    free(text);
}
END_TEST

/* ---- notes ----------------------------------------------------------------------------------- */

START_TEST(a_note_comes_with_its_time)
{
    struct sw_profiler *sw = recorder_open("capture: {}");
    sw_note(sw, "first");
    probe_wait(5);
    sw_begin(sw, SW_BATCH);
    sw_note(sw, "in \xff \"quotes\"");
    sw_end_batch(sw, 1);
    sw_pause(sw);
    probe_wait(5);
    sw_note(sw, "checkpoint written");
    sw_resume(sw);
    sw_note(sw, NULL);
    sw_note(NULL, "nobody");
    assert_recorded(sw, "note 0 first\nnote 5 in \xff \"quotes\"\nnote 10 checkpoint written\n");
}
END_TEST

SUITE(spans)
{
    tcase_add_test(tc, spans_that_overlap_are_all_counted);
    tcase_add_test(tc, a_span_is_in_no_sum_of_the_loop);
    tcase_add_test(tc, a_span_may_end_on_another_thread);
    tcase_add_test(tc, an_id_that_is_not_open_is_ignored);
    tcase_add_test(tc, a_span_over_a_pause_is_not_counted);
    tcase_add_test(tc, a_span_belongs_to_the_fit_in_which_it_ends);
    tcase_add_test(tc, thousands_of_spans_may_be_open_and_end_in_any_order);
    tcase_add_test(tc, threads_begin_and_end_spans_while_reports_are_made);
    tcase_add_test(tc, a_program_with_nothing_but_spans_gets_its_report);
    tcase_add_test(tc, a_note_comes_with_its_time);
}
