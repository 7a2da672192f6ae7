/* SPDX-License-Identifier: MIT */
/* The clock by a counter and a kernel's clock that the test sets: whatever happens to one of them,
 * durations are those of the kernel's clock before and after it, and no time goes back. */
#include "core/clock/clock.h"
#include "tests/support/suite.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define RATE 0.4 /* ns in a tick, which the clock has to find out */

/* The two clocks as they are now, and how far each moves when it is read. */
static int64_t ticks, kernel;
static int64_t read_ticks, reads;
static int64_t interrupted_ns; /* for how long the next look loses the processor */
static bool frozen;
static struct swi_clock fake;

static int64_t ticks_read(void *arg)
{
    (void)arg;
    reads++;
    return ticks += read_ticks;
}

/* Lets both go on. */
static void pass(int64_t ns)
{
    ticks += llround((double)ns / RATE);
    kernel += frozen ? 0 : ns;
}

static int64_t kernel_read(void *arg)
{
    int64_t now = kernel;
    (void)arg;
    reads++;
    pass(interrupted_ns);
    interrupted_ns = 0;
    return now;
}

static void begin_at(int64_t tick)
{
    ticks = tick;
    kernel = 7 * SECOND;
    read_ticks = reads = 0;
    frozen = false;
    swi_clock_init_from(&fake, &(struct swi_clock_source){ticks_read, kernel_read, NULL, 0.5});
}

static int64_t time_now(void)
{
    return swi_clock_ns(&fake, ticks);
}

/* Measures a duration as a report does. */
static int64_t measured(int64_t ns)
{
    int64_t begin = ticks;
    pass(ns);
    return llround((double)(ticks - begin) * swi_clock_rate(&fake));
}

/* Some time with a look each 10 ms, as a loop has it. */
static void run(int64_t ns)
{
    for (; ns > 0; ns -= SECOND / 100) {
        pass(SECOND / 100);
        swi_clock_look(&fake);
    }
}

/* What lies across the gap, taken out as a thread does it. */
static int64_t across(int64_t begin)
{
    for (unsigned n = 0; n < atomic_load(&fake.gaps); n++) {
        struct swi_gap gap;
        ck_assert(swi_clock_gap(&fake, n, &gap));
        if (swi_gap_is_before(&gap, begin, ticks))
            begin += gap.shift;
    }
    return llround((double)(ticks - begin) * swi_clock_rate(&fake));
}

static void assert_near(int64_t ns, int64_t expected, int64_t within)
{
    ck_assert_msg(llabs(ns - expected) <= within, "%lld ns, expected %lld", (long long)ns,
                  (long long)expected);
}

/* ---- the first rate -------------------------------------------------------------------------- */

START_TEST(the_first_conversion_waits_for_nothing)
{
    begin_at(1000);
    pass(20000);
    ck_assert_int_eq(time_now(), 20000);
    assert_near(measured(5000), 5000, 1);
    ck_assert_int_lt(reads, 200);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(after_the_first_look_times_run_by_what_it_found)
{
    begin_at(1000);
    pass(300000);
    swi_clock_look(&fake);
    pass(20000000);
    int64_t first = time_now();
    assert_near(first, 20300000, 100);
    pass(20000000);
    assert_near(time_now() - first, 20000000, 100);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(what_was_before_the_first_look_has_times_by_the_rate_that_it_found)
{
    begin_at(1000);
    pass(10000);
    int64_t early = ticks;
    pass(10000);
    ck_assert_int_eq(time_now(), 20000);
    assert_near(swi_clock_ns(&fake, early), 10000, 1);
    swi_clock_fini(&fake);
}
END_TEST

/* From 100 ns to 100 days, with rates that are rough at first. */
START_TEST(a_tick_keeps_its_time_however_late_it_is_asked_again)
{
    enum { ASKED = 160 };
    int64_t tick[ASKED], time[ASKED];
    int asked = 0;
    begin_at(1000);
    read_ticks = 25;
    for (int64_t ns = 100; ns < 8640000 * SECOND; ns += ns / 4) {
        pass(ns / 4);
        tick[asked] = ticks;
        time[asked++] = time_now();
    }
    ck_assert_int_gt(asked, 100);
    for (int i = 0; i < asked; i++)
        ck_assert_int_eq(swi_clock_ns(&fake, tick[i]), time[i]);
    swi_clock_fini(&fake);
}
END_TEST

/* The first rate is 0.3 % wrong, which the second look finds. */
START_TEST(a_time_that_came_back_on_track_stays_there_when_nobody_looks)
{
    begin_at(1000);
    pass(100000);
    kernel += 300;
    swi_clock_look(&fake);
    kernel -= 300;
    pass(5000000);
    swi_clock_look(&fake);
    pass(SECOND / 3);
    assert_near(time_now(), kernel - 7 * SECOND, 1000);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(a_kernel_clock_that_stops_makes_nothing_wait_or_go_back)
{
    begin_at(1000);
    frozen = true;
    int64_t before = 0;
    for (int i = 0; i < 1000; i++) {
        pass(i % 2 ? 1000 : SECOND / 50);
        int64_t now = time_now();
        ck_assert_int_ge(now, before);
        before = now;
        ck_assert(isfinite(swi_clock_rate(&fake)) && swi_clock_rate(&fake) > 0);
    }
    ck_assert_int_lt(reads, 1000 * 400);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(a_clock_that_stops_later_goes_on_by_the_counter)
{
    begin_at(1000);
    run(2 * SECOND);
    frozen = true;
    int64_t begin = ticks;
    run(3 * SECOND);
    assert_near(across(begin), 3 * SECOND, SECOND / 1000);
    assert_near(time_now(), 5 * SECOND, SECOND / 1000);
    frozen = false;
    run(SECOND);
    assert_near(time_now(), 6 * SECOND, SECOND / 1000);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(a_clock_that_steps_back_and_forth_makes_nothing_go_back)
{
    begin_at(1000);
    int64_t before = 0;
    for (int i = 0; i < 2000; i++) {
        pass(SECOND / 100);
        if (i % 7 == 0)
            kernel += i % 2 ? 3600 * SECOND : -3600 * SECOND;
        int64_t now = time_now();
        ck_assert_int_ge(now, before);
        before = now;
        ck_assert_int_ge(measured(1000), 0);
    }
    assert_near(measured(SECOND / 1000), SECOND / 1000, SECOND / 100000);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(a_rate_that_is_known_better_moves_no_time_back)
{
    begin_at(1000);
    read_ticks = 25; /* ten ns to read it: the first rates are rough */
    int64_t before = 0;
    for (int64_t ns = 100; ns < 10 * SECOND; ns += ns / 3) {
        pass(ns / 3);
        int64_t now = time_now();
        ck_assert_int_ge(now, before);
        before = now;
    }
    assert_near(before, kernel - 7 * SECOND, SECOND / 20000);
    ck_assert_double_eq_tol(swi_clock_rate(&fake), RATE, RATE * 1e-5);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(a_clock_that_is_slewed_has_no_gap)
{
    begin_at(1000);
    run(SECOND);
    for (int i = 0; i < 300; i++) {
        pass(SECOND / 100);
        kernel += i < 100 ? SECOND / 1200 : -SECOND / 2000000;
        swi_clock_look(&fake);
    }
    ck_assert_uint_eq(fake.gaps, 0);
    swi_clock_fini(&fake);
}
END_TEST

/* ---- gaps ------------------------------------------------------------------------------------ */

/* What becomes of the counter and of the kernel's clock. */
static const struct gap_case {
    const char *what;
    int64_t begin; /* the counter's first value */
    int64_t counter_ns, kernel_ns;
    bool reset;
} gap_cases[] = {
    {"suspended, the counter ran on", 1000, 3600 * SECOND, 0, false},
    {"suspended for a minute", 1000, 60 * SECOND, 0, false},
    {"the counter stopped for a minute", 1000, 0, 60 * SECOND, false},
    {"the counter stopped for an hour", 1000, 0, 3600 * SECOND, false},
    {"the counter was set to 0", INT64_C(1) << 50, 0, 0, true},
    {"set to 0 after a day", INT64_C(1) << 50, 0, 86400 * SECOND, true},
    {"set to 0 soon", 1000, 0, SECOND, true},
    {"both went on, the counter for longer", 1000, 3700 * SECOND, 100 * SECOND, false},
    {"both went on, the counter for less", 1000, 100 * SECOND, 160 * SECOND, false},
    {"the counter was set back by a minute", INT64_C(1) << 50, -60 * SECOND, 0, false},
};
enum { GAP_CASES = sizeof gap_cases / sizeof *gap_cases };

static void gap_make(const struct gap_case *gap)
{
    ticks = gap->reset ? 5 : ticks + llround((double)gap->counter_ns / RATE);
    kernel += gap->kernel_ns;
}

START_TEST(durations_on_both_sides_of_a_gap_are_those_of_the_kernel)
{
    const struct gap_case *gap = &gap_cases[_i];
    begin_at(gap->begin);
    run(2 * SECOND);
    assert_near(measured(SECOND / 1000), SECOND / 1000, 100);
    gap_make(gap);
    assert_near(measured(SECOND / 1000), SECOND / 1000, 100);
    run(SECOND);
    assert_near(measured(SECOND / 1000), SECOND / 1000, 100);
    ck_assert_double_eq_tol(swi_clock_rate(&fake), RATE, RATE * 1e-6);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(what_lies_across_a_gap_lasts_as_long_as_the_kernel_says)
{
    const struct gap_case *gap = &gap_cases[_i];
    begin_at(gap->begin);
    run(SECOND);
    int64_t outer = ticks;
    run(2 * SECOND);
    int64_t inner = ticks;
    pass(SECOND / 200);
    gap_make(gap);
    int64_t after = ticks;
    pass(SECOND / 100);
    swi_clock_look(&fake);
    assert_near(across(outer), 2 * SECOND + SECOND / 100 + SECOND / 200 + gap->kernel_ns,
                SECOND / 1000);
    assert_near(across(inner), SECOND / 100 + SECOND / 200 + gap->kernel_ns, SECOND / 1000);
    assert_near(across(after), SECOND / 100, SECOND / 1000);
    run(SECOND);
    ck_assert_uint_eq(fake.gaps, 1);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(no_time_goes_back_across_a_gap_and_each_is_the_kernels)
{
    const struct gap_case *gap = &gap_cases[_i];
    begin_at(gap->begin);
    int64_t before = 0;
    for (int i = 0; i < 400; i++) {
        if (i == 200)
            gap_make(gap);
        pass(SECOND / 100);
        int64_t now = time_now();
        ck_assert_msg(now >= before, "%s: %lld after %lld", gap->what, (long long)now,
                      (long long)before);
        before = now;
    }
    assert_near(before, 4 * SECOND + gap->kernel_ns, SECOND);
    swi_clock_look(&fake);
    pass(SECOND);
    assert_near(time_now(), kernel - 7 * SECOND, SECOND / 100);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(a_time_from_before_a_gap_stays_what_it_was)
{
    const struct gap_case *gap = &gap_cases[_i];
    begin_at(gap->begin);
    run(3 * SECOND);
    int64_t tick = ticks, time = time_now();
    gap_make(gap);
    run(SECOND / 10);
    assert_near(swi_clock_ns(&fake, tick), time, SECOND / 50);
    swi_clock_fini(&fake);
}
END_TEST

/* Two sinks may ask for the same time before and after the gap is found. */
START_TEST(a_time_from_between_the_last_look_and_a_gap_stays_exactly_what_it_was)
{
    const struct gap_case *gap = &gap_cases[_i];
    int64_t asked[3], times[3];
    begin_at(gap->begin);
    run(3 * SECOND + SECOND / 3);
    interrupted_ns = SECOND / 25; /* the look is wrong by so much, which bends the course */
    pass(SECOND);
    swi_clock_look(&fake);
    for (int i = 0; i < 3; i++) {
        pass(SECOND / 300);
        asked[i] = ticks;
        times[i] = time_now();
    }
    gap_make(gap);
    run(SECOND / 10);
    ck_assert_uint_eq(atomic_load(&fake.gaps), 1);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(swi_clock_ns(&fake, asked[i]), times[i]);
    swi_clock_fini(&fake);
}
END_TEST

/* ---- the machine's own ----------------------------------------------------------------------- */

START_TEST(a_look_that_was_interrupted_moves_no_time_from_before_a_gap)
{
    begin_at(1000);
    run(3 * SECOND + _i * SECOND / 10);
    interrupted_ns = 40 * SECOND / 1000;
    swi_clock_look(&fake);
    pass(SECOND / 100);
    int64_t before = ticks, time = time_now();
    assert_near(time, kernel - 7 * SECOND, 1000);
    ticks += llround(60 * SECOND / RATE);
    run(SECOND / 10);
    ck_assert_uint_eq(atomic_load(&fake.gaps), 1);
    assert_near(swi_clock_ns(&fake, before), time, 1000);
    swi_clock_fini(&fake);
}
END_TEST

START_TEST(a_second_of_this_machine_is_a_second)
{
    struct swi_clock clock;
    struct timespec pause = {.tv_nsec = 200000000};
    swi_clock_init(&clock);
    int64_t begin = swi_monotonic_ns(), tick = swi_clock_tick(&clock);
    nanosleep(&pause, NULL);
    int64_t end_tick = swi_clock_tick(&clock), end = swi_monotonic_ns();
    double ns = (double)(end_tick - tick) * swi_clock_rate(&clock);
    ck_assert_double_eq_tol(ns, (double)(end - begin), 1e6);
    ck_assert_double_eq_tol((double)clock.second, 1e9 / swi_clock_rate(&clock), 1e6);
    swi_clock_fini(&clock);
}
END_TEST

static void with_a_trap(void)
{
    struct swi_clock clock;
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        _exit(77);
    swi_clock_init(&clock);
    int64_t tick = swi_clock_tick(&clock), before = swi_monotonic_ns();
    bool fine = !clock.counter && swi_clock_ns(&clock, tick) >= 0 && before >= tick &&
                swi_clock_rate(&clock) == 1;
    swi_clock_look(&clock);
    _exit(fine ? 0 : 1);
}

START_TEST(a_counter_that_is_a_trap_is_not_read)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        with_a_trap();
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        puts("SKIP: this machine's counter cannot be made a trap");
    else
        ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

SUITE(clock)
{
    tcase_add_test(tc, the_first_conversion_waits_for_nothing);
    tcase_add_test(tc, after_the_first_look_times_run_by_what_it_found);
    tcase_add_test(tc, what_was_before_the_first_look_has_times_by_the_rate_that_it_found);
    tcase_add_test(tc, a_tick_keeps_its_time_however_late_it_is_asked_again);
    tcase_add_test(tc, a_time_that_came_back_on_track_stays_there_when_nobody_looks);
    tcase_add_test(tc, a_kernel_clock_that_stops_makes_nothing_wait_or_go_back);
    tcase_add_test(tc, a_clock_that_stops_later_goes_on_by_the_counter);
    tcase_add_test(tc, a_clock_that_steps_back_and_forth_makes_nothing_go_back);
    tcase_add_test(tc, a_rate_that_is_known_better_moves_no_time_back);
    tcase_add_test(tc, a_clock_that_is_slewed_has_no_gap);
    tcase_add_loop_test(tc, durations_on_both_sides_of_a_gap_are_those_of_the_kernel, 0, GAP_CASES);
    tcase_add_loop_test(tc, what_lies_across_a_gap_lasts_as_long_as_the_kernel_says, 0, GAP_CASES);
    tcase_add_loop_test(tc, no_time_goes_back_across_a_gap_and_each_is_the_kernels, 0, GAP_CASES);
    tcase_add_loop_test(tc, a_time_from_before_a_gap_stays_what_it_was, 0, GAP_CASES);
    tcase_add_loop_test(tc, a_time_from_between_the_last_look_and_a_gap_stays_exactly_what_it_was,
                        0, GAP_CASES);
    tcase_add_loop_test(tc, a_look_that_was_interrupted_moves_no_time_from_before_a_gap, 0, 8);
    tcase_add_test(tc, a_second_of_this_machine_is_a_second);
    tcase_add_test(tc, a_counter_that_is_a_trap_is_not_read);
}
