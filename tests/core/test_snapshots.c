/* SPDX-License-Identifier: MIT */
/* Reports that are made while threads measure as fast as they can: each row is of one moment, and
 * the rows of a thread are of the same one. */
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* A sanitizer makes folding slower than noting, so that each report folds all that the memory for
 * events takes. */
enum { REPORTS = SANITIZED ? 40 : 200, TICK = 10 };

static atomic_bool over, begun;

/* Each thread has a time of its own, in which every region lasts ten nanoseconds. */
static int64_t clock_read(void *arg)
{
    static _Thread_local int64_t now;
    (void)arg;
    return now += TICK;
}

static struct sw_profiler *open_fast(void)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open_text("profiler: { mode: simple, show_report: false, "
                                          "drop_first_batch: false, signals: false }\n",
                                          &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_clock(sw, clock_read, NULL);
    atomic_store(&over, false);
    atomic_store(&begun, false);
    return sw;
}

/* ---- what runs meanwhile --------------------------------------------------------------------- */

static void *regions(void *arg)
{
    struct sw_profiler *sw = arg;
    int action = sw_action("tight");
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        sw_begin(sw, action);
        sw_end(sw, action);
        atomic_store_explicit(&begun, true, memory_order_relaxed);
    }
    return NULL;
}

static void *steps(void *arg)
{
    struct sw_profiler *sw = arg;
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 64);
        atomic_store_explicit(&begun, true, memory_order_relaxed);
    }
    return NULL;
}

/* ---- what must hold of each row -------------------------------------------------------------- */

static int64_t bins_sum(const struct sw_distribution *d)
{
    int64_t sum = 0;
    for (size_t i = 0; i < d->bin_count; i++)
        sum += (int64_t)sw_distribution_bin(d, i)->count;
    return sum;
}

/* ns: what each call of it lasts. */
static void row_is_whole(const struct sw_report_row *row, double ns)
{
    ck_assert_double_eq(row->total_ns, ns * (double)row->calls);
    ck_assert_int_eq(bins_sum(&row->durations), row->calls);
    ck_assert_int_eq(row->durations.count, row->calls);
    ck_assert_int_eq(bins_sum(&row->rates), row->rates.count);
    if (row->calls) {
        ck_assert_double_eq(row->durations.min, ns);
        ck_assert_double_eq(row->durations.max, ns);
        ck_assert_double_eq(row->std_ns, 0);
    }
}

/* NULL if there is none. The rows of train come before those of valid. */
static const struct sw_report_row *row_of(const struct sw_report *report, const char *action)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(sw_report_row(report, i)->action, action) == 0)
            return sw_report_row(report, i);
    return NULL;
}

static int64_t tight_is_whole(const struct sw_report *report)
{
    const struct sw_report_row *row = row_of(report, "tight");
    if (!row)
        return 0;
    row_is_whole(row, TICK);
    return row->calls;
}

/* draw, and a batch of three reads of the clock more. */
static int64_t steps_are_whole(const struct sw_report *report)
{
    const struct sw_report_row *step = row_of(report, "step");
    int64_t calls = step->calls;
    row_is_whole(step, 4 * TICK);
    row_is_whole(row_of(report, "draw"), TICK);
    row_is_whole(row_of(report, "batch"), 3 * TICK);
    row_is_whole(row_of(report, "forward"), TICK);
    ck_assert_int_eq(row_of(report, "draw")->calls, calls);
    ck_assert_int_eq(row_of(report, "batch")->calls, calls);
    ck_assert_int_eq(row_of(report, "forward")->calls, calls);
    ck_assert_int_eq(row_of(report, "batch")->rates.count, calls);
    ck_assert_int_eq(report->accounting.steps, calls);
    ck_assert_int_eq(report->overall_train.samples, 64 * calls);
    return calls;
}

/* Calls never become fewer from one report to the next. */
static void reports_are_whole(struct sw_profiler *sw, int64_t (*look)(const struct sw_report *))
{
    int64_t before = 0;
    while (!atomic_load(&begun))
        continue;
    for (int i = 0; i < REPORTS; i++) {
        struct sw_report *report;
        ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
        int64_t calls = look(report);
        ck_assert_int_ge(calls, before);
        before = calls;
        sw_report_free(report);
    }
    ck_assert_int_gt(before, 0);
}

static void assert_reports_are_whole_during(void *(*run)(void *),
                                            int64_t (*look)(const struct sw_report *))
{
    pthread_t thread;
    struct sw_profiler *sw = open_fast();
    ck_assert_int_eq(pthread_create(&thread, NULL, run, sw), 0);
    reports_are_whole(sw, look);
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}

START_TEST(no_row_is_torn_while_a_thread_begins_and_ends_regions)
{
    assert_reports_are_whole_during(regions, tight_is_whole);
}
END_TEST

START_TEST(no_row_is_torn_while_the_loop_ends_steps_and_all_are_of_one_moment)
{
    assert_reports_are_whole_during(steps, steps_are_whole);
}
END_TEST

/* ---- several readers ------------------------------------------------------------------------- */

static void *reader(void *arg)
{
    reports_are_whole(arg, steps_are_whole);
    return NULL;
}

START_TEST(readers_do_not_get_into_each_others_way)
{
    enum { READERS = 3 };
    pthread_t thread[READERS + 1];
    struct sw_profiler *sw = open_fast();
    ck_assert_int_eq(pthread_create(&thread[READERS], NULL, steps, sw), 0);
    for (int i = 0; i < READERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, reader, sw), 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(thread[i], NULL);
    atomic_store(&over, true);
    pthread_join(thread[READERS], NULL);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}
END_TEST

SUITE(snapshots)
{
    tcase_add_test(tc, no_row_is_torn_while_a_thread_begins_and_ends_regions);
    tcase_add_test(tc, no_row_is_torn_while_the_loop_ends_steps_and_all_are_of_one_moment);
    tcase_add_test(tc, readers_do_not_get_into_each_others_way);
}
