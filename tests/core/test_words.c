/* SPDX-License-Identifier: MIT */
/* Counters that are words of memory have calls of their own where the CPU's counter is the clock.
 * They must count what the other calls count, which test_counters.c compares with the golden
 * scripts and with durations. */
#include "tests/support/probe.h"
#include "tests/support/random_calls.h"
#include "tests/support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS = 20000, COUNTERS_MOST = 9 };

static void ignore(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    (void)text;
}

static struct sw_profiler *open_with_cpu_clock(void)
{
    struct sw_error err;
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, ignore, NULL);
    return sw;
}

static struct sw_profiler *open_with_made_up_clock(void)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    sw_set_messages(sw, ignore, NULL);
    return sw;
}

static struct sw_report *report_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    ck_assert_int_ge(sw_report_new(sw, &report, NULL), 0);
    return report;
}

/* ---- long scripts ---------------------------------------------------------------------------- */

static int counters;
static int counter[COUNTERS_MOST];
static int own[2];

static void count_paused(struct sw_profiler *sw)
{
    sw_count(sw, counter[0], 1);
}

static void event_random(struct sw_profiler *sw)
{
    int actions[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD, SW_DRAW, SW_BATCH, SW_TRAIN, own[0], own[1]};
    int action = actions[random_below(sizeof actions / sizeof *actions)];
    sw_count(sw, counter[random_below((uint32_t)counters)], random_below(1000));
    random_call(sw, action, count_paused);
}

/* Regions of one action in turn, so that most of them are usual ones. */
static void usual_play(struct sw_profiler *sw)
{
    sw_begin(sw, own[0]);
    for (int i = 0; i < 300; i++) {
        sw_count(sw, counter[i % counters], i);
        sw_begin(sw, own[1]);
        sw_count(sw, counter[i % counters], 3);
        sw_next(sw, SW_FORWARD);
        sw_count(sw, counter[0], 2);
        sw_end(sw, SW_FORWARD);
    }
    sw_end(sw, own[0]);
}

static struct sw_report *script_play(struct sw_profiler *sw)
{
    random_begin(2463534242u + (uint32_t)counters);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < EVENTS; i++) {
        event_random(sw);
        if (i % 1000 == 0)
            usual_play(sw);
    }
    sw_end(sw, SW_FIT);
    return report_of(sw);
}

static void assert_same_uses(const struct sw_report *is, const struct sw_report *expected)
{
    ck_assert_uint_eq(is->count, expected->count);
    ck_assert_uint_eq(is->counter_count, expected->counter_count);
    for (size_t i = 0; i < is->count; i++) {
        const struct sw_report_row *row = sw_report_row(is, i);
        const struct sw_report_row *other = probe_row(expected, row->phase, row->action);
        ck_assert_msg(other != NULL, "%s/%s is not expected", row->phase, row->action);
        ck_assert_int_eq(row->calls, other->calls);
        for (size_t k = 0; k < is->counter_count; k++) {
            const struct sw_counter_total *a = sw_row_counter(is, row, k),
                                          *b = sw_row_counter(expected, other, k);
            ck_assert_msg(a->total == b->total && a->self == b->self && a->calls == b->calls,
                          "%s/%s: %s is %lld (own %lld), not %lld (own %lld)", row->phase,
                          row->action, a->name, (long long)a->total, (long long)a->self,
                          (long long)b->total, (long long)b->self);
        }
    }
}

static const int numbers[] = {1, 2, 4, 8, COUNTERS_MOST};

START_TEST(a_long_script_counts_the_same_with_either_clock)
{
    char name[32];
    counters = numbers[_i];
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "own%d", i);
        own[i] = sw_action(name);
    }
    for (int i = 0; i < counters; i++) {
        snprintf(name, sizeof name, "counter%d", i);
        counter[i] = sw_counter(name);
    }
    struct sw_profiler *fast = open_with_cpu_clock(), *slow = open_with_made_up_clock();
    struct sw_report *is = script_play(fast), *expected = script_play(slow);
    ck_assert_uint_eq(is->counter_count, (size_t)counters);
    assert_same_uses(is, expected);
    sw_report_free(is);
    sw_report_free(expected);
    ck_assert_int_eq(sw_close(fast, NULL), 0);
    ck_assert_int_eq(sw_close(slow, NULL), 0);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

enum { WORKERS = 2, TIMES = 5000 };

static void *work(void *arg)
{
    struct sw_profiler *sw = arg;
    int outer = sw_action("outer"), inner = sw_action("inner"), tokens = sw_counter("tokens");
    for (int i = 0; i < TIMES; i++) {
        sw_begin(sw, outer);
        sw_count(sw, tokens, 3);
        sw_begin(sw, inner);
        sw_count(sw, tokens, 1);
        sw_end(sw, inner);
        sw_end(sw, outer);
    }
    return NULL;
}

static void assert_counted(const struct sw_report *report, const char *action, int64_t total,
                           int64_t self)
{
    const struct sw_report_row *row = probe_row(report, "threads", action);
    ck_assert_ptr_nonnull(row);
    const struct sw_counter_total *use = sw_row_counter(report, row, 0);
    ck_assert_int_eq(use->total, total);
    ck_assert_int_eq(use->self, self);
    ck_assert_int_eq(use->missed, 0);
}

/* A report sees a region and what it counted, or neither. */
static void assert_whole_regions(struct sw_profiler *sw)
{
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *row = probe_row(report, "threads", "outer");
    const struct sw_counter_total *use =
        row && report->counter_count ? sw_row_counter(report, row, 0) : NULL;
    if (use && use->calls)
        ck_assert_int_eq(use->total, 4 * use->calls);
    sw_report_free(report);
}

START_TEST(reports_see_whole_regions_while_threads_count)
{
    struct sw_profiler *sw = open_with_cpu_clock();
    pthread_t thread[WORKERS];
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < WORKERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work, sw), 0);
    for (int i = 0; i < 10; i++)
        assert_whole_regions(sw);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    struct sw_report *report = report_of(sw);
    assert_counted(report, "outer", 4 * WORKERS * TIMES, 3 * WORKERS * TIMES);
    assert_counted(report, "inner", WORKERS * TIMES, WORKERS * TIMES);
    sw_report_free(report);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}
END_TEST

/* Such a thread often has the memory, and with it the state, of the one before. */
START_TEST(threads_that_follow_each_other_count_all)
{
    struct sw_profiler *sw = open_with_cpu_clock();
    pthread_t thread;
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(pthread_create(&thread, NULL, work, sw), 0);
        pthread_join(thread, NULL);
    }
    struct sw_report *report = report_of(sw);
    assert_counted(report, "outer", 4 * 4 * TIMES, 4 * 3 * TIMES);
    sw_report_free(report);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}
END_TEST

SUITE(words)
{
    tcase_add_loop_test(tc, a_long_script_counts_the_same_with_either_clock, 0,
                        (int)(sizeof numbers / sizeof *numbers));
    tcase_add_test(tc, reports_see_whole_regions_while_threads_count);
    tcase_add_test(tc, threads_that_follow_each_other_count_all);
}
