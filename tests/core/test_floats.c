/* SPDX-License-Identifier: MIT */
/* The floating-point environment belongs to the program. Whatever it chose, no call traps, none
 * leaves an exception or a mode behind, and the figures are those of the default environment. */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/monitor.h>
#include <stepwatch/ranks.h>
#include <stepwatch/replay.h>
#include <stepwatch/values.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- environments ---------------------------------------------------------------------------- */

struct floats {
    unsigned modes; /* with the exceptions that were raised */
    unsigned x87;
};

#if defined(__x86_64__)
enum { DEFAULT = 0x1f80, DEFAULT_X87 = 0x37f };

static const struct {
    const char *what;
    struct floats floats;
} environments[] = {
    {"the default", {0x1f80, 0x37f}},
    {"every exception traps", {0x0000, 0x340}},
    {"invalid operations and divisions by zero trap", {0x1d00, 0x37a}},
    {"every exception was raised", {0x1fbf, 0x37f}},
    {"up, denormals are zero", {0x1f80 | 0x4000 | 0x8040, 0xb7f}},
    {"down", {0x1f80 | 0x2000, 0x77f}},
    {"towards zero", {0x1f80 | 0x6000, 0xf7f}},
};

/* What was raised before would trap as soon as it may: musl prints numbers by the x87 unit. */
static void floats_set(struct floats to)
{
    unsigned short x87 = (unsigned short)to.x87;
    __asm__ volatile("fnclex\n\tldmxcsr %0\n\tfldcw %1" ::"m"(to.modes), "m"(x87) : "memory");
}

static struct floats floats_get(void)
{
    unsigned modes;
    unsigned short x87;
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(modes), "=m"(x87)::"memory");
    return (struct floats){modes, x87};
}
#else
#include <fenv.h>

enum { DEFAULT = FE_TONEAREST, DEFAULT_X87 = 0 };

/* x87: the exceptions that were raised. */
static const struct {
    const char *what;
    struct floats floats;
} environments[] = {
    {"the default", {FE_TONEAREST, 0}},
    {"every exception was raised", {FE_TONEAREST, FE_ALL_EXCEPT}},
    {"up", {FE_UPWARD, 0}},
    {"down", {FE_DOWNWARD, 0}},
};

static void floats_set(struct floats to)
{
    fesetround((int)to.modes);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept((int)to.x87);
}

static struct floats floats_get(void)
{
    return (struct floats){(unsigned)fegetround(), (unsigned)fetestexcept(FE_ALL_EXCEPT)};
}
#endif

enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

static int chosen; /* the environment of the program */

enum { ERROR = 77 };

/* Makes a call in the program's environment, and compares that with what it is afterwards, and
 * errno, too. */
#define CALL(call)                                                                                 \
    do {                                                                                           \
        floats_set(environments[chosen].floats);                                                   \
        errno = ERROR;                                                                             \
        call;                                                                                      \
        int error_left = errno;                                                                    \
        struct floats left = floats_get();                                                         \
        floats_set((struct floats){DEFAULT, DEFAULT_X87});                                         \
        assert_kept(#call, left);                                                                  \
        ck_assert_msg(error_left == ERROR, "%s: errno is %d", #call, error_left);                  \
    } while (0)

static void assert_kept(const char *call, struct floats left)
{
    const struct floats *was = &environments[chosen].floats;
    ck_assert_msg(left.modes == was->modes && left.x87 == was->x87,
                  "%s: %s: the environment was %x %x and is %x %x", environments[chosen].what, call,
                  was->modes, was->x87, left.modes, left.x87);
}

/* ---- a loop ---------------------------------------------------------------------------------- */

static double signalling_nan(void)
{
    const uint64_t bits = UINT64_C(0x7ff0000000000001);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A step whose rate is not a number of the machine. */
static void step(struct sw_profiler *sw, int64_t ns, int64_t samples)
{
    int own = sw_action("own");
    CALL(sw_begin(sw, SW_DRAW));
    probe_now += 7;
    CALL(sw_next(sw, SW_BATCH));
    CALL(sw_begin(sw, own));
    CALL(sw_count(sw, sw_counter("tokens"), 3));
    probe_now += ns;
    CALL(sw_end(sw, own));
    probe_now += 11;
    CALL(sw_end_batch(sw, samples));
}

static void steps(struct sw_profiler *sw)
{
    for (int i = 0; i < 64; i++)
        step(sw, 90 + 13 * i, i % 9 == 8 ? 0 : 1 + i % 7);
}

/* Longer than a double counts without rounding. */
static void long_region(struct sw_profiler *sw)
{
    CALL(sw_begin(sw, sw_action("long")));
    probe_now += (INT64_C(1) << 55) + 1;
    CALL(sw_end(sw, sw_action("long")));
}

static void odd_steps(struct sw_profiler *sw)
{
    CALL(sw_begin(sw, SW_BATCH));
    for (int i = 0; i < 3000; i++) {
        CALL(sw_begin(sw, sw_action_shaped(sw_action("shaped"), i % 2 ? "1x2" : "2x1")));
        probe_now += i;
        CALL(sw_end(sw, sw_action_shaped(sw_action("shaped"), i % 2 ? "1x2" : "2x1")));
    }
    CALL(sw_cancel(sw, SW_BATCH));
    CALL(sw_end(sw, SW_BATCH)); /* not begun: a misuse */
    CALL(sw_event(sw, SW_BEFORE_BATCH));
    probe_now += 5;
    CALL(sw_event_batch(sw, 3));
    CALL(sw_end_batch(sw, 1));
}

static void fit(struct sw_profiler *sw)
{
    CALL(sw_begin(sw, SW_FIT));
    for (int epoch = 0; epoch < 2; epoch++) {
        CALL(sw_begin(sw, SW_EPOCH));
        CALL(sw_begin(sw, SW_TRAIN));
        steps(sw);
        CALL(sw_end(sw, SW_TRAIN));
        CALL(sw_begin(sw, SW_VALID));
        steps(sw);
        CALL(sw_end(sw, SW_VALID));
        CALL(sw_end(sw, SW_EPOCH));
    }
    CALL(sw_pause(sw));
    CALL(sw_resume(sw));
    odd_steps(sw);
    long_region(sw);
    CALL(sw_end(sw, SW_FIT));
}

static struct sw_report *report_of_fit(int environment)
{
    struct sw_report *report = NULL;
    chosen = environment;
    struct sw_profiler *sw = NULL;
    CALL(sw = probe_open("mode: simple, rolling_average: 5"));
    fit(sw);
    CALL(sw_report_new(sw, &report, NULL));
    ck_assert_ptr_nonnull(report);
    CALL(sw_log_report(sw, report, NULL));
    CALL(sw_flush(sw, INT64_C(1000000000)));
    CALL(sw_close(sw, NULL));
    return report;
}

START_TEST(a_loop_leaves_the_environment_as_it_was)
{
    sw_report_free(report_of_fit(_i));
}
END_TEST

static void assert_same(const char *environment, const struct sw_report_row *row, double was,
                        double is)
{
    ck_assert_msg(memcmp(&was, &is, sizeof was) == 0, "%s: %s/%s: %.17g, and by default %.17g",
                  environment, row->phase, row->action, is, was);
}

START_TEST(figures_are_those_of_the_default_environment)
{
    struct sw_report *plain = report_of_fit(0), *report = report_of_fit(_i);
    const char *what = environments[_i].what;
    ck_assert_uint_eq(report->count, plain->count);
    for (size_t i = 0; i < plain->count; i++) {
        const struct sw_report_row *a = sw_report_row(plain, i), *b = sw_report_row(report, i);
        assert_same(what, a, a->mean_ns, b->mean_ns);
        assert_same(what, a, a->std_ns, b->std_ns);
        assert_same(what, a, a->self_ns, b->self_ns);
        assert_same(what, a, a->p50_ns, b->p50_ns);
        assert_same(what, a, a->p99_ns, b->p99_ns);
        assert_same(what, a, a->rates.mean, b->rates.mean);
        assert_same(what, a, a->rates.variance, b->rates.variance);
        assert_same(what, a, a->rates.min, b->rates.min);
        assert_same(what, a, a->rates.max, b->rates.max);
    }
    sw_report_free(plain);
    sw_report_free(report);
}
END_TEST

/* ---- all other calls ------------------------------------------------------------------------- */

static void numbers(struct sw_profiler *sw)
{
    static const double odd[] = {0.1, NAN, INFINITY, DBL_MIN / 3, -0.0, 1e300};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        CALL(sw_log(sw, "loss", odd[i]));
        CALL(sw_log_many(sw, &(struct sw_named){"many", odd[i]}, 1));
        CALL(sw_hparam_float(sw, "lr", odd[i]));
        CALL(sw_summary(sw, "best", odd[i]));
        CALL(sw_log_sample(sw, (const char *const[]){"sampled"}, &odd[i], 1));
    }
    double nan = signalling_nan();
    CALL(sw_log(sw, "loss", nan));
    CALL(sw_log(sw, "signalling", nan));
    CALL(sw_param(sw, "given", 0.3));
}

static void arrays(struct sw_profiler *sw)
{
    static const double wide[] = {1e300, 3, NAN, 1e-310, INFINITY, -7};
    static const float narrow[] = {0.1f, 300, NAN, 1e-40f, -1, 0.5f};
    static const int64_t whole[] = {1, INT64_MAX, -3, 0, 5, 6};
    const struct sw_bin bins[] = {{0.1, 0.3, 5}, {0.7, 1e9, 2}};
    const struct sw_table_column column[] = {{"a", SW_F64, wide}, {"b", SW_F32, narrow}};
    const struct sw_image image = {.size = sizeof image,
                                   .data = wide,
                                   .layout = SW_HWC,
                                   .type = SW_F64,
                                   .width = 3,
                                   .height = 2,
                                   .channels = 1,
                                   .low = 0.1,
                                   .high = 0.7};
    CALL(sw_log_vector(sw, "wide", SW_F64, wide, 6, SW_WHAT_ALL));
    CALL(sw_log_vector(sw, "narrow", SW_F32, narrow, 6, SW_WHAT_ALL));
    CALL(sw_log_vector(sw, "half", SW_F16, narrow, 12, SW_WHAT_ALL));
    CALL(sw_log_vector(sw, "whole", SW_I64, whole, 6, SW_WHAT_ALL));
    CALL(sw_log_bins(sw, "bins", bins, 2));
    CALL(sw_log_image(sw, "image", SW_F32, narrow, 3, 2, 1, NULL));
    CALL(sw_log_images(sw, "images", &image, 1));
    CALL(sw_log_table(sw, "table", column, 2, 6));
}

static void texts(struct sw_profiler *sw)
{
    CALL(sw_hparam_int(sw, "epochs", 3));
    CALL(sw_hparam_string(sw, "model", "mlp"));
    CALL(sw_log_text(sw, "text", "words"));
    CALL(sw_log_line(sw, SW_NOTE, "a line"));
    CALL(sw_summary_text(sw, "how", "well"));
    CALL(sw_note(sw, "a note"));
    CALL(sw_alert(sw, SW_WARNING, "title", "text"));
    CALL(sw_define(sw, "loss",
                   &(struct sw_rule){.size = sizeof(struct sw_rule), .keep = SW_KEEP_MIN}));
}

static void others(struct sw_profiler *sw)
{
    struct sw_steps *made = NULL;
    CALL(sw_keep_steps(sw, NULL));
    step(sw, 9, 3);
    CALL(sw_steps_new(sw, &made, NULL));
    sw_steps_free(made);
    int64_t span = 0;
    CALL(span = sw_span_begin(sw, sw_action("span")));
    probe_now += 3;
    CALL(sw_span_end(sw, span));
    CALL(sw_capture(sw, 2));
    step(sw, 9, 3);
    CALL(sw_expect_steps(sw, 1000));
    CALL(sw_set_step(sw, 77));
    CALL(sw_now(sw));
    CALL(sw_log_clock(sw, 3, 1));
    CALL(sw_set_costs(sw, 1, 0.1, 0.2, 0.3));
    CALL(sw_set_steps(sw, 3));
    step(sw, 9, 3);
    CALL(sw_set_start(sw, 1.7e9));
    CALL(sw_set_program(sw, "digits", "evening"));
    CALL(sw_set_clock(sw, NULL, NULL));
}

static void configurations(void)
{
    struct sw_error err;
    struct sw_sinks *sinks = NULL;
    char *text = NULL;
    double value = 0;
    const char *yaml = "profiler: { mode: simple, close_timeout: 0.7 }\n";
    scratch_write("c.yaml", yaml, strlen(yaml));
    CALL(sw_config_check("c.yaml", &text, &err));
    free(text);
    text = NULL;
    CALL(sw_config_print("c.yaml", &text, &err));
    free(text);
    CALL(sw_sinks_find("c.yaml", &sinks, &err));
    sw_sinks_free(sinks);
    const char *sweep = "wandb_version: 1\nlr:\n  value: 0.1\n";
    scratch_write("sweep.yaml", sweep, strlen(sweep));
    setenv("WANDB_SWEEP_PARAM_PATH", "sweep.yaml", 1);
    CALL(value = sw_param(NULL, "lr", 0.3));
    ck_assert_double_eq(value, 0.1);
}

START_TEST(no_other_call_changes_it_either)
{
    chosen = _i;
    scratch_enter();
    struct sw_profiler *sw = NULL;
    CALL(sw = probe_open("mode: simple"));
    numbers(sw);
    arrays(sw);
    texts(sw);
    others(sw);
    CALL(sw_close(sw, NULL));
    configurations();
}
END_TEST

/* ---- stepwatch's own clock and threads ------------------------------------------------------- */

static _Atomic unsigned seen_modes = 1;

static int seen_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    (void)err;
    atomic_store(&seen_modes, floats_get().modes);
    return 0;
}

static const struct sw_sink_plugin seen = {
    SW_SINK_HEADER,
    .name = "seen",
    .version = "1.0",
    .license = "MIT",
    .summary = "keeps the floating-point modes of its thread, for tests",
    .wants = SW_WANT(SW_RECORD_STEP),
    .state_size = 1,
    .record = seen_record,
};

/* For as long as the loop's thread compares the processor's counter with the kernel's time several
 * times. */
static void steps_for_a_while(struct sw_profiler *sw)
{
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    do {
        step(sw, 0, 64);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - began.tv_sec) * 1e9 + (double)(now.tv_nsec - began.tv_nsec) <
             2e8);
}

/* The clock is the processor's counter, whose ticks are compared with the kernel's time. */
START_TEST(threads_of_stepwatch_begin_with_the_default)
{
    struct sw_profiler *sw = NULL;
    struct sw_error err;
    chosen = _i;
    CALL(sw_sink_register(&seen, NULL, &err));
    CALL(sw = sw_open_text("profiler: { show_report: false }\nlogger_callback: [seen]\n", &err));
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    steps_for_a_while(sw);
    CALL(sw_close(sw, NULL));
    ck_assert_uint_eq(atomic_load(&seen_modes) & ~0x3fU, DEFAULT);
}
END_TEST

SUITE(floats)
{
    tcase_add_loop_test(tc, a_loop_leaves_the_environment_as_it_was, 0, ENVIRONMENTS);
    tcase_add_loop_test(tc, figures_are_those_of_the_default_environment, 1, ENVIRONMENTS);
    tcase_add_loop_test(tc, no_other_call_changes_it_either, 0, ENVIRONMENTS);
    tcase_add_loop_test(tc, threads_of_stepwatch_begin_with_the_default, 0, ENVIRONMENTS);
}
