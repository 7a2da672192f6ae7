/* SPDX-License-Identifier: MIT */
/* Regions in a signal handler: those that interrupt a slow call are refused and counted, and
 * nothing is damaged, wherever the signal comes. */
#include "tests/support/probe.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__x86_64__)
static struct sw_profiler *interrupted;
static int in_handler, every, left;
static int64_t handled;

static void handler(int signal)
{
    (void)signal;
    if (--left > 0)
        return;
    left = every;
    handled++;
    sw_begin(interrupted, in_handler);
    sw_end(interrupted, in_handler);
}

/* The processor raises SIGTRAP after each instruction while the flag is set. */
static inline void trap_set(void)
{
    __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
}

static inline void trap_clear(void)
{
    __asm__ volatile("pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq" ::: "memory", "cc");
}

static void steps(struct sw_profiler *sw, int count)
{
    int own = sw_action("own");
    for (int i = 0; i < count; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        for (int k = 0; k < 5; k++) {
            sw_begin(sw, own);
            probe_now++;
            sw_end(sw, own);
        }
        sw_end_batch(sw, 1);
    }
}

static int64_t calls_of(const struct sw_report *report, const char *phase, const char *action)
{
    const struct sw_report_row *row = probe_row(report, phase, action);
    return row ? row->calls : 0;
}

static const int intervals[] = {13, 61};

START_TEST(a_region_in_a_handler_damages_nothing)
{
    enum { WARM = 50, STEPS = 3 };
    struct sw_report *report = NULL;
    if (SANITIZED) {
        puts("SKIP: a handler after each instruction of a sanitizer");
        return;
    }
    struct sw_profiler *sw = interrupted = probe_open("mode: simple, drop_first_batch: false");
    in_handler = sw_action("in handler");
    every = left = intervals[_i];
    sw_begin(sw, in_handler);
    sw_end(sw, in_handler);
    steps(sw, WARM);
    signal(SIGTRAP, handler);
    trap_set();
    steps(sw, STEPS);
    trap_clear();
    signal(SIGTRAP, SIG_DFL);
    steps(sw, WARM);
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
    if (!handled)
        puts("SKIP: there are no signals after instructions here");
    int64_t regions =
        calls_of(report, "train", "in handler") + calls_of(report, "fit", "in handler");
    ck_assert_int_le(regions, handled + 1);
    ck_assert_int_ge(regions + report->accounting.misuses,
                     handled); /* none is lost without a word */
    ck_assert_int_le(calls_of(report, "train", "own"), 5 * (STEPS + 2 * WARM));
    ck_assert_int_ge(calls_of(report, "train", "own"), 5 * 2 * WARM);
    ck_assert_int_le(calls_of(report, "train", "step"), STEPS + 2 * WARM);
    ck_assert_int_ge(calls_of(report, "train", "step"), 2 * WARM);
    sw_report_free(report);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}
END_TEST
#endif

SUITE(handlers)
{
#if defined(__x86_64__)
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, a_region_in_a_handler_damages_nothing, 0,
                        sizeof intervals / sizeof *intervals);
#else
    (void)tc;
#endif
}
