/* SPDX-License-Identifier: MIT */
/* What a report says that stepwatch itself cost: the arithmetic on made-up ticks, and real loops
 * with a clock of the test's own around each call. */
#include "core/rows/cost.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- on made-up ticks ------------------------------------------------------------------------ */

enum { EMPTY = 20, LONGEST = 36000, WAY = 50 };

/* A thread whose every call begins a region; all that it really spent. */
struct made_up {
    struct swi_cost cost;
    struct swi_spent told;
    int64_t now, spent;
    int64_t regions[SWI_STRATA];
};

static struct made_up *made_up(void)
{
    static struct made_up thread;
    thread = (struct made_up){.cost.random = 12345, .now = 1000000};
    swi_cost_reset(&thread.cost);
    return &thread;
}

static void window_end(struct made_up *thread)
{
    if (--thread->cost.left == 0)
        swi_cost_turn(&thread->cost, false);
}

/* What an event of rare work says. */
static void rare_end(struct made_up *thread, enum swi_stratum stratum)
{
    const struct swi_timed_cost rare = {.rest = swi_cost_rare_work_end(&thread->cost, thread->now)};
    swi_spent_add(&thread->told, stratum, &rare);
}

/* A call that takes so many ticks, `piece` of them in one or two pieces; timed where it has to be.
 */
static void call(struct made_up *thread, int64_t ticks, int64_t piece, bool last,
                 enum swi_stratum stratum)
{
    struct swi_timed_call timed = {.entered = thread->now};
    int64_t entered = thread->now;
    bool timing_due = thread->cost.timing_due;
    if (timing_due) {
        swi_cost_call_begin(&thread->cost, &timed);
        thread->now += WAY;
    }
    timed.began = thread->now;
    thread->now += ticks;
    if (piece) {
        swi_cost_rare_work_begin(&thread->cost, thread->now - piece);
        swi_cost_rare_work_begin(&thread->cost, thread->now - piece / 2);
        rare_end(thread, stratum);
        rare_end(thread, stratum);
    }
    thread->regions[stratum]++;
    if (last)
        window_end(thread);
    thread->now += timing_due ? EMPTY : 0;
    timed.ended = thread->now;
    if (timing_due) {
        struct swi_timed_cost cost =
            swi_cost_call_end(&thread->cost, &timed, true, EMPTY, LONGEST, thread->now);
        swi_spent_add(&thread->told, stratum, &cost);
    }
    thread->spent += thread->now - entered;
    thread->now += 1000; /* the program's */
}

static double told(const struct made_up *thread)
{
    return swi_spent_ticks(&thread->told, thread->regions) / (double)thread->spent;
}

static void assert_near(double found, double expected, double by)
{
    ck_assert_msg(fabs(found / expected - 1) <= by, "%g, not %g", found, expected);
}

START_TEST(a_short_fit_is_reported_exactly)
{
    struct made_up *thread = made_up();
    for (int step = 0; step < 20; step++)
        for (int i = 0; i < 8; i++)
            call(thread, 40 + 7 * step + i, 0, i == 7, SWI_STRATUM_TRAIN);
    assert_near(told(thread), 1, 1e-9);
}
END_TEST

START_TEST(timing_a_call_is_a_cost_but_not_of_calls_that_are_not_timed)
{
    struct made_up *thread = made_up();
    for (int step = 0; step < 100000; step++)
        for (int i = 0; i < 8; i++)
            call(thread, 100, 0, i == 7, SWI_STRATUM_TRAIN);
    assert_near(told(thread), 1, 1e-6);
    assert_near((double)thread->spent, 8e7, 0.03);
}
END_TEST

START_TEST(what_happens_every_so_many_steps_is_reported)
{
    static const int every[] = {2, 8, 50, 64};
    struct made_up *thread = made_up();
    for (int step = 0; step < 200000; step++)
        for (int i = 0; i < 8; i++)
            call(thread, step % every[_i] || i != 7 ? 50 : 50 + 400 * every[_i], 0, i == 7,
                 SWI_STRATUM_TRAIN);
    assert_near(told(thread), 1, 0.25);
}
END_TEST

START_TEST(a_piece_counts_once_whether_the_call_is_timed_or_not)
{
    struct made_up *thread = made_up();
    for (int step = 0; step < 3000; step++)
        for (int i = 0; i < 4; i++)
            call(thread, step % 100 ? 60 : 50000, step % 100 ? 0 : 49940, i == 3,
                 SWI_STRATUM_TRAIN);
    assert_near(told(thread), 1, 1e-6);
}
END_TEST

START_TEST(train_and_valid_have_costs_of_their_own)
{
    struct made_up *thread = made_up();
    for (int step = 0; step < 20000; step++) {
        bool valid = step % 1000 >= 900;
        for (int i = 0; i < 8; i++)
            call(thread, valid ? 3000 : 50, 0, i == 7,
                 valid ? SWI_STRATUM_VALID : SWI_STRATUM_TRAIN);
    }
    assert_near(told(thread), 1, 1e-3);
}
END_TEST

START_TEST(a_call_that_was_interrupted_does_not_count_as_another)
{
    struct made_up *thread = made_up();
    bool interrupted = false;
    for (int step = 0; step < 50000; step++)
        for (int i = 0; i < 8; i++) {
            bool now = step > 40000 && thread->cost.timing_due && !interrupted;
            call(thread, now ? 4000000 : 60, 0, i == 7, SWI_STRATUM_TRAIN);
            interrupted = interrupted || now;
        }
    ck_assert(interrupted);
    assert_near(told(thread), 1, 1e-3);
}
END_TEST

START_TEST(a_call_that_ends_a_step_belongs_to_it_wherever_the_thread_is_then)
{
    const struct swi_timed_cost begin = {.ticks = 50, .begun = true}, end = {.ticks = 30};
    const int64_t regions[SWI_STRATA] = {[SWI_STRATUM_TRAIN] = 10};
    struct swi_spent spent = {0};
    swi_spent_add(&spent, SWI_STRATUM_TRAIN, &begin);
    swi_spent_add(&spent, SWI_STRATUM_OTHER, &end);
    assert_near(swi_spent_ticks(&spent, regions), 10 * (50 + 30), 1e-9);
}
END_TEST

/* ---- real loops ------------------------------------------------------------------------------ */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t spent, empty;

#define AROUND(call)                                                                               \
    do {                                                                                           \
        int64_t began_ = now_ns();                                                                 \
        call;                                                                                      \
        spent += now_ns() - began_ - empty;                                                        \
    } while (0)

static int64_t nothing(void)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < 10000; i++) {
        int64_t began = now_ns(), took = now_ns() - began;
        least = took < least ? took : least;
    }
    return least;
}

static void step(struct sw_profiler *sw)
{
    AROUND(sw_begin(sw, SW_DRAW));
    AROUND(sw_next(sw, SW_BATCH));
    AROUND(sw_begin(sw, SW_FORWARD));
    AROUND(sw_next(sw, SW_LOSS));
    AROUND(sw_next(sw, SW_BACKWARD));
    AROUND(sw_end(sw, SW_BACKWARD));
    AROUND(sw_log(sw, "train/loss", 1));
    AROUND(sw_end_batch(sw, 64));
}

/* What is left of the caches is the program's. */
static void touch(char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        ((volatile char *)memory)[i]++;
}

/* What a report says, by what the clock around the calls says. */
static double told_of(int epochs, int steps, size_t bytes)
{
    struct sw_error err;
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    char *memory = calloc(bytes + 1, 1);
    ck_assert_ptr_nonnull(memory);
    spent = 0;
    empty = nothing();
    AROUND(sw_begin(sw, SW_FIT));
    for (int epoch = 0; epoch < epochs; epoch++) {
        AROUND(sw_begin(sw, SW_EPOCH));
        AROUND(sw_begin(sw, SW_TRAIN));
        for (int i = 0; i < steps; i++) {
            touch(memory, bytes);
            step(sw);
        }
        AROUND(sw_end(sw, SW_TRAIN));
        AROUND(sw_end(sw, SW_EPOCH));
    }
    struct sw_report *report = NULL;
    ck_assert_int_ge(sw_report_new(sw, &report, NULL), 0);
    double own = report->accounting.own_ns;
    sw_report_free(report);
    sw_close(sw, NULL);
    free(memory);
    return own / (double)spent;
}

static const struct loop {
    const char *what;
    int epochs, steps;
    size_t bytes;
} loops[] = {
    {"a tight loop", 1, 5000, 0},
    {"4 MiB of memory between two steps", 1, 100, 4 << 20},
    {"epochs of five steps", 40, 5, 0},
};
enum { LOOPS = sizeof loops / sizeof *loops, TRIES = 40 };

/* Other programs interrupt calls, and few of those are timed: one quiet time is enough. */
START_TEST(the_report_agrees_with_a_clock_around_the_calls)
{
    const struct loop *loop = &loops[_i];
    double ratio = 0;
    for (int i = 0; i < TRIES && fabs(ratio - 1) > 0.25; i++)
        ratio = told_of(loop->epochs, loop->steps, loop->bytes);
    if (SANITIZED)
        puts("SKIP: a sanitizer has costs of its own");
    else
        ck_assert_msg(fabs(ratio - 1) <= 0.25, "%s: the report tells %.2f of what it costs",
                      loop->what, ratio);
}
END_TEST

/* A thousand reports take some milliseconds. */
START_TEST(what_was_before_the_fit_is_not_of_it)
{
    struct sw_error err;
    struct sw_report *report = NULL;
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_begin(sw, SW_FORWARD);
    sw_end(sw, SW_FORWARD);
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_ge(sw_report_new(sw, &report, NULL), 0);
        sw_report_free(report);
    }
    ck_assert_int_ge(sw_report_new(sw, &report, NULL), 0);
    double without = report->accounting.own_ns;
    sw_report_free(report);
    sw_begin(sw, SW_FIT);
    step(sw);
    ck_assert_int_ge(sw_report_new(sw, &report, NULL), 0);
    double own = report->accounting.own_ns;
    sw_report_free(report);
    sw_close(sw, NULL);
    ck_assert_msg(own < 0.2 * without, "%g ns of the fit, %g before it", own, without);
}
END_TEST

static double cpu_ns(clockid_t clock)
{
    struct timespec used;
    ck_assert_int_eq(clock_gettime(clock, &used), 0);
    return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}

static double of_others(void)
{
    return cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int see(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)record, (void)err;
    return 0;
}

static const struct sw_sink_plugin sees = {
    SW_SINK_HEADER,   .name = "sees",         .version = "1",
    .license = "MIT", .summary = "for tests", .wants = SW_WANT(SW_RECORD_REGIONS),
    .record = see,
};

/* Given a program of one thread, then all others are stepwatch's, and the report tells what they
 * have used. */
START_TEST(the_report_tells_what_other_threads_of_stepwatch_use)
{
    struct sw_error err;
    ck_assert_int_eq(sw_sink_register(&sees, NULL, &err), 0);
    struct sw_profiler *sw = sw_open_text(
        "profiler: { mode: simple, show_report: false, signals: false }\nlogger_callback: sees\n",
        &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    double before = of_others();
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int64_t end = now_ns() + 300000000; now_ns() < end;)
        step(sw);
    struct sw_report *report = NULL;
    ck_assert_int_ge(sw_report_new(sw, &report, NULL), 0);
    double told = report->accounting.own_threads_ns, used = of_others() - before;
    sw_report_free(report);
    sw_close(sw, NULL);
    ck_assert_msg(told > 0 && fabs(told - used) < 0.1 * used + 5e6, "told %g ns, used %g", told,
                  used);
}
END_TEST

SUITE(cost)
{
    tcase_add_test(tc, the_report_tells_what_other_threads_of_stepwatch_use);
    tcase_add_test(tc, a_short_fit_is_reported_exactly);
    tcase_add_test(tc, timing_a_call_is_a_cost_but_not_of_calls_that_are_not_timed);
    tcase_add_loop_test(tc, what_happens_every_so_many_steps_is_reported, 0, 4);
    tcase_add_test(tc, a_piece_counts_once_whether_the_call_is_timed_or_not);
    tcase_add_test(tc, train_and_valid_have_costs_of_their_own);
    tcase_add_test(tc, a_call_that_was_interrupted_does_not_count_as_another);
    tcase_add_test(tc, a_call_that_ends_a_step_belongs_to_it_wherever_the_thread_is_then);
    tcase_add_test(tc, what_was_before_the_fit_is_not_of_it);
    tcase_add_loop_test(tc, the_report_agrees_with_a_clock_around_the_calls, 0, LOOPS);
}
