/* SPDX-License-Identifier: MIT */
/* What regions use of the counters: by the golden scripts, and by the rules of durations under a
 * clock that each count moves on. */
#include "core/counters/perf_events.h"
#include "tests/support/golden.h"
#include "tests/support/sanitized.h"
#include "tests/support/probe.h"
#include "tests/support/random_calls.h"
#include "tests/support/scratch.h"
#include "core/text/buffer.h"
#include "tests/support/suite.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct sw_counter_total *counter_of(const struct sw_report *report,
                                                 const struct sw_report_row *row, const char *name)
{
    for (size_t i = 0; i < report->counter_count; i++)
        if (strcmp(sw_row_counter(report, row, i)->name, name) == 0)
            return sw_row_counter(report, row, i);
    return NULL;
}

static const struct sw_counter_total *counted(const struct sw_report *report, const char *phase,
                                              const char *action, const char *name)
{
    const struct sw_report_row *row = probe_row(report, phase, action);
    ck_assert_msg(row != NULL, "no row %s/%s", phase, action);
    return counter_of(report, row, name);
}

static struct sw_report *report_of(struct sw_profiler *sw)
{
    struct sw_report *report = NULL;
    ck_assert_int_ge(sw_report_new(sw, &report, NULL), 0);
    return report;
}

static void close_fine(struct sw_profiler *sw)
{
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}

/* ---- golden scripts -------------------------------------------------------------------------- */

static const char *argument(const json_t *event)
{
    return json_string_value(json_array_get(event, 1));
}

static int64_t number(const json_t *event)
{
    return json_integer_value(json_array_get(event, 1));
}

static void event_play(struct sw_profiler *sw, const json_t *event)
{
    const char *what = json_string_value(json_array_get(event, 0));
    if (strcmp(what, "begin") == 0)
        sw_begin(sw, sw_action(argument(event)));
    else if (strcmp(what, "end") == 0)
        sw_end(sw, sw_action(argument(event)));
    else if (strcmp(what, "next") == 0)
        sw_next(sw, sw_action(argument(event)));
    else if (strcmp(what, "cancel") == 0)
        sw_cancel(sw, sw_action(argument(event)));
    else if (strcmp(what, "batch") == 0)
        sw_end_batch(sw, number(event));
    else if (strcmp(what, "count") == 0)
        sw_count(sw, sw_counter("golden"), number(event));
    else if (strcmp(what, "pause") == 0)
        sw_pause(sw);
    else if (strcmp(what, "resume") == 0)
        sw_resume(sw);
    else
        ck_abort_msg("unknown event %s", what);
}

static void row_compare(const struct sw_report *report, const json_t *expected, const char *name)
{
    const char *phase = json_string_value(json_object_get(expected, "phase"));
    const char *action = json_string_value(json_object_get(expected, "action"));
    const struct sw_counter_total *is = counted(report, phase, action, "golden");
    const json_t *self = json_object_get(expected, "self");
    ck_assert_msg(is != NULL, "%s: %s/%s has no counter", name, phase, action);
    ck_assert_msg(is->total == json_integer_value(json_object_get(expected, "total")) &&
                      is->calls == json_integer_value(json_object_get(expected, "calls")),
                  "%s: %s/%s is %lld in %lld calls", name, phase, action, (long long)is->total,
                  (long long)is->calls);
    int64_t own = json_is_null(self) ? SW_COUNTER_NONE : json_integer_value(self);
    ck_assert_msg(is->self == own, "%s: %s/%s: self is %lld", name, phase, action,
                  (long long)is->self);
}

static size_t rows_called(const struct sw_report *report)
{
    size_t rows = 0;
    for (size_t i = 0; i < report->count; i++)
        rows += sw_report_row(report, i)->calls > 0;
    return rows;
}

/* more: counters of the configuration, which change nothing. */
static void case_play(const json_t *each, const char *more)
{
    char profiler[256];
    bool drop = json_is_true(json_object_get(each, "drop_first_batch"));
    snprintf(profiler, sizeof profiler, "mode: simple, drop_first_batch: %s%s",
             drop ? "true" : "false", more);
    struct sw_profiler *sw = probe_open(profiler);
    json_t *event, *row, *rows = json_object_get(each, "rows");
    size_t i;
    json_array_foreach(json_object_get(each, "events"), i, event) event_play(sw, event);
    struct sw_report *report = report_of(sw);
    json_array_foreach(rows, i, row)
        row_compare(report, row, json_string_value(json_object_get(each, "name")));
    ck_assert_uint_eq(rows_called(report), json_array_size(rows));
    sw_report_free(report);
    close_fine(sw);
}

START_TEST(golden_scripts_count_as_they_say)
{
    static const char *const more[] = {"", ", counters: [page_faults]",
                                       ", counters: [cpu: steps, switches, cpu_wait]"};
    json_t *golden = golden_json("resources/counters/cases.json"), *each;
    size_t i;
    json_array_foreach(json_object_get(golden, "cases"), i, each) case_play(each, more[_i]);
    ck_assert_uint_ge(i, 10);
    json_decref(golden);
}
END_TEST

/* ---- random scripts: a count moves the clock, so what is counted is what a region takes ------ */

static void count_and_wait(struct sw_profiler *sw)
{
    int64_t n = random_below(1000);
    sw_count(sw, sw_counter("golden"), n);
    probe_wait(n);
}

/* No action is ever open twice but by misuse of a builtin one: then a region takes as much in all
 * as its outermost calls do. */
static void event_random(struct sw_profiler *sw)
{
    static const int actions[] = {SW_FORWARD, SW_LOSS,  SW_BACKWARD, SW_OPT_STEP,
                                  SW_DRAW,    SW_BATCH, SW_TRAIN,    SW_VALID};
    int action = actions[random_below(sizeof actions / sizeof *actions)];
    count_and_wait(sw);
    random_call(sw, action, count_and_wait);
}

static bool is_same(double duration, int64_t used)
{
    return isnan(duration) ? used == SW_COUNTER_NONE : (int64_t)llround(duration) == used;
}

static void assert_rows_equal(const struct sw_report *report, int script)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        const struct sw_counter_total *use = counter_of(report, row, "golden");
        if (!row->calls || !use)
            continue;
        ck_assert_msg(is_same(row->total_ns, use->total) && is_same(row->self_ns, use->self),
                      "script %d: %s/%s took %g ns (own %g), and counted %lld (own %lld)", script,
                      row->phase, row->action, row->total_ns, row->self_ns, (long long)use->total,
                      (long long)use->self);
    }
}

static void ignore(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    (void)text;
}

static void assert_script_follows_the_rules(int script)
{
    random_begin(2654435761u * (uint32_t)(script + 1));
    struct sw_profiler *sw =
        probe_open(script % 2 ? "mode: simple, drop_first_batch: false" : "mode: simple");
    sw_set_messages(sw, ignore, NULL);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 200; i++)
        event_random(sw);
    count_and_wait(sw);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    assert_rows_equal(report, script);
    sw_report_free(report);
    close_fine(sw);
}

START_TEST(what_is_counted_follows_the_rules_of_durations)
{
    for (int script = 0; script < 300; script++)
        assert_script_follows_the_rules(script);
}
END_TEST

/* ---- the program's own counters -------------------------------------------------------------- */

START_TEST(a_counter_that_was_never_counted_is_in_no_report)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    int tokens = sw_counter("tokens");
    ck_assert_int_eq(sw_counter("tokens"), tokens);
    sw_begin(sw, SW_FIT);
    probe_step(sw, 1);
    struct sw_report *report = report_of(sw);
    ck_assert_uint_eq(report->counter_count, 0);
    sw_report_free(report);
    sw_count(sw, tokens, 7);
    report = report_of(sw);
    ck_assert_uint_eq(report->counter_count, 1);
    sw_report_free(report);
    sw_end(sw, SW_FIT);
    report = report_of(sw);
    ck_assert_int_eq(counted(report, "fit", "fit", "tokens")->total, 7);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

START_TEST(after_64_names_each_new_one_is_other)
{
    char name[32];
    struct sw_profiler *sw = probe_open("mode: simple");
    int own = sw_action("own"), last = 0;
    sw_begin(sw, own);
    for (int i = 0; i < 70; i++) {
        snprintf(name, sizeof name, "counter %d", i);
        last = sw_counter(name);
        sw_count(sw, last, i);
    }
    ck_assert_int_eq(last, sw_counter("one more"));
    ck_assert_int_eq(last, sw_counter(NULL));
    sw_end(sw, own);
    struct sw_report *report = report_of(sw);
    ck_assert_uint_ge(report->counter_count, 64);
    ck_assert_int_eq(counted(report, "fit", "own", "counter 5")->total, 5);
    ck_assert_int_ge(counted(report, "fit", "own", "other")->total, 69);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

START_TEST(a_negative_count_is_a_misuse_and_ignored)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    int own = sw_action("own"), tokens = sw_counter("tokens");
    sw_begin(sw, own);
    sw_count(sw, tokens, 5);
    sw_count(sw, tokens, -3);
    ck_assert_ptr_nonnull(strstr(probe_message, "sw_count() of tokens"));
    sw_end(sw, own);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(counted(report, "fit", "own", "tokens")->total, 5);
    ck_assert_int_eq(report->accounting.misuses, 1);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

/* So much that five steps are more than an int64_t holds. */
#define MUCH INT64_C(2000000000000000000)

static void much_count(struct sw_profiler *sw, int flops, int steps)
{
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < steps; i++) {
        sw_begin(sw, SW_DRAW);
        probe_wait(10);
        sw_next(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_count(sw, flops, MUCH);
        probe_wait(90);
        sw_next(sw, SW_LOSS);
        sw_count(sw, flops, 1000);
        probe_wait(10);
        sw_end(sw, SW_LOSS);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
}

static double number_in(const struct sw_report *report, const char *action, const char *key)
{
    for (size_t i = 0; i < report->column_count; i++)
        if (strcmp(sw_report_column(report, i)->key, key) == 0)
            return sw_column_number(sw_report_column(report, i),
                                    probe_row(report, "train", action));
    ck_abort_msg("no column %s", key);
}

/* In as many fits as there are: each begins anew. */
START_TEST(a_sum_that_is_too_large_stays_at_the_largest_number)
{
    static const int steps[] = {3, 6, 12, 30};
    struct sw_profiler *sw =
        probe_open("mode: simple, drop_first_batch: false, peak_flops: 1000T, rolling_average: 5");
    int flops = sw_counter("flops"), told = 0;
    for (int fit = 0; fit < 4; fit++) {
        bool large = steps[fit] > 4;
        much_count(sw, flops, steps[fit]);
        struct sw_report *report = report_of(sw);
        int64_t sum = large ? INT64_MAX : steps[fit] * MUCH;
        ck_assert_int_eq(counted(report, "train", "forward", "flops")->total, sum);
        ck_assert_int_eq(counted(report, "train", "forward", "flops")->self, sum);
        ck_assert_int_eq(counted(report, "train", "loss", "flops")->total, 1000 * steps[fit]);
        sum = large ? INT64_MAX : sum + 1000 * steps[fit];
        ck_assert_int_eq(counted(report, "train", "step", "flops")->total, sum);
        ck_assert_int_eq(counted(report, "train", "batch", "flops")->total, sum);
        ck_assert_int_eq(counted(report, "train", "batch", "flops")->self, 0);
        ck_assert_int_eq(counted(report, "fit", "train", "flops")->total, sum);
        ck_assert_int_eq(counted(report, "fit", "train", "flops")->self, 0);
        ck_assert_int_eq(counted(report, "fit", "fit", "flops")->total, sum);
        ck_assert(isnan(number_in(report, "step", "mfu")) == large);
        ck_assert(isnan(number_in(report, "forward", "gflop_per_s")) == large);
        ck_assert(!isnan(number_in(report, "loss", "gflop_per_s")));
        told += large && probe_messages == 1;
        sw_report_free(report);
    }
    close_fine(sw);
    ck_assert_int_eq(told, 3);
    ck_assert_ptr_nonnull(strstr(probe_message, "the sum of a counter is larger than 2^63 - 1"));
    int means = 0;
    for (size_t i = 0; i < probe.metric_count; i++)
        if (strncmp(probe.metric[i].name, "counters/forward/flops", 22) == 0) {
            ck_assert_double_eq(probe.metric[i].value, (double)MUCH);
            means++;
        }
    ck_assert_int_gt(means, 5);
}
END_TEST

/* The first window has four steps, of which three count. */
START_TEST(a_mean_is_of_all_steps_of_its_window_whenever_counting_began)
{
    struct sw_profiler *sw =
        probe_open("mode: simple, drop_first_batch: false, rolling_average: 4");
    int tokens = sw_counter("tokens");
    for (int i = 0; i < 9; i++) {
        sw_begin(sw, SW_BATCH);
        probe_wait(10);
        if (i >= 2)
            sw_count(sw, tokens, 100);
        sw_end_batch(sw, 8);
    }
    close_fine(sw);
    double mean[2] = {0, 0};
    int means = 0;
    for (size_t i = 0; i < probe.metric_count; i++)
        if (strcmp(probe.metric[i].name, "counters/batch/tokens") == 0 && means < 2)
            mean[means++] = probe.metric[i].value;
    ck_assert_int_eq(means, 2);
    ck_assert_double_eq(mean[0], 75);
    ck_assert_double_eq(mean[1], 100);
}
END_TEST

START_TEST(counts_before_the_first_region_belong_to_none)
{
    struct sw_profiler *sw = probe_open("mode: simple");
    int tokens = sw_counter("tokens");
    sw_count(sw, tokens, 100);
    sw_begin(sw, SW_FIT);
    sw_count(sw, tokens, 1);
    sw_end(sw, SW_FIT);
    sw_count(sw, tokens, 50);
    sw_begin(sw, SW_FIT);
    sw_count(sw, tokens, 2);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(counted(report, "fit", "fit", "tokens")->total, 2);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

START_TEST(a_loop_without_a_fit_has_all_that_its_thread_counted)
{
    struct sw_profiler *sw = probe_open("mode: simple, drop_first_batch: false");
    int tokens = sw_counter("tokens"), own = sw_action("own");
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, own);
        sw_count(sw, tokens, 1000);
        sw_end(sw, own);
        sw_begin(sw, SW_DRAW);
        sw_count(sw, tokens, 10);
        sw_next(sw, SW_BATCH);
        sw_count(sw, tokens, 1);
        sw_end_batch(sw, 4);
    }
    close_fine(sw);
    ck_assert_uint_eq(probe.report_count, 1);
}
END_TEST

/* ---- threads --------------------------------------------------------------------------------- */

struct worker {
    struct sw_profiler *sw;
    int times;
};

static void *work(void *arg)
{
    const struct worker *worker = arg;
    int own = sw_action("own"), tokens = sw_counter("tokens");
    for (int i = 0; i < worker->times; i++) {
        sw_begin(worker->sw, own);
        sw_count(worker->sw, tokens, 3);
        sw_begin(worker->sw, SW_DRAW);
        sw_count(worker->sw, tokens, 1);
        sw_end(worker->sw, SW_DRAW);
        sw_end(worker->sw, own);
    }
    return NULL;
}

/* Reports see a region's time and its counts, or neither. */
static void report_while_running(struct sw_profiler *sw)
{
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *row = probe_row(report, "threads", "own");
    const struct sw_counter_total *use = row ? counter_of(report, row, "tokens") : NULL;
    if (use && use->calls)
        ck_assert_int_eq(use->total, 4 * use->calls);
    sw_report_free(report);
}

START_TEST(each_thread_counts_for_itself)
{
    enum { WORKERS = 3, TIMES = 2000 };
    struct sw_profiler *sw = probe_open("mode: simple, counters: [switches]");
    pthread_t thread[WORKERS];
    struct worker worker = {sw, TIMES};
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < WORKERS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &worker), 0);
    for (int i = 0; i < 20; i++)
        report_while_running(sw);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    struct sw_report *report = report_of(sw);
    const struct sw_counter_total *own = counted(report, "threads", "own", "tokens");
    ck_assert_int_eq(own->total, 4 * WORKERS * TIMES);
    ck_assert_int_eq(own->self, 3 * WORKERS * TIMES);
    ck_assert_int_eq(own->missed, 0);
    ck_assert_int_eq(counted(report, "threads", "draw", "tokens")->total, WORKERS * TIMES);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

static void *end_elsewhere(void *arg)
{
    struct sw_profiler *sw = arg;
    sw_set_thread(sw, 7);
    sw_count(sw, sw_counter("tokens"), 5);
    sw_end(sw, sw_action("moved"));
    sw_begin(sw, sw_action("whole"));
    sw_count(sw, sw_counter("tokens"), 6);
    sw_end(sw, sw_action("whole"));
    return NULL;
}

START_TEST(a_region_that_ends_on_another_os_thread_has_no_use)
{
    struct sw_profiler *sw = probe_open("mode: simple, counters: [page_faults]");
    pthread_t thread;
    sw_begin(sw, SW_FIT);
    sw_set_thread(sw, 7);
    sw_begin(sw, sw_action("moved"));
    sw_count(sw, sw_counter("tokens"), 5);
    ck_assert_int_eq(pthread_create(&thread, NULL, end_elsewhere, sw), 0);
    pthread_join(thread, NULL);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(counted(report, "threads", "moved", "tokens")->missed, 1);
    ck_assert_int_eq(counted(report, "threads", "moved", "tokens")->total, SW_COUNTER_NONE);
    ck_assert_int_eq(counted(report, "threads", "moved", "page_faults")->calls, 0);
    ck_assert_int_eq(counted(report, "threads", "whole", "tokens")->total, 6);
    ck_assert_ptr_nonnull(strstr(probe_message, "is not known"));
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

/* ---- counters of the system ------------------------------------------------------------------ */

enum { PAGES = 400 };

static void pages_touch(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *memory =
        mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne((void *)memory, MAP_FAILED);
    madvise((void *)memory, PAGES * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        memory[i * page] = 1;
    munmap((void *)memory, PAGES * page);
}

START_TEST(page_faults_are_those_of_the_region)
{
    struct sw_profiler *sw = probe_open("mode: simple, counters: [page_faults, major_faults]");
    int own = sw_action("own"), quiet = sw_action("quiet");
    for (int i = 0; i < 10; i++) {
        sw_begin(sw, own);
        pages_touch();
        sw_end(sw, own);
        sw_begin(sw, quiet);
        sw_end(sw, quiet);
    }
    struct sw_report *report = report_of(sw);
    int64_t faults = counted(report, "fit", "own", "page_faults")->total;
    ck_assert_int_ge(faults, 10 * PAGES);
    /* A sanitizer touches pages of its own. */
    if (!SANITIZED) {
        ck_assert_int_le(faults, 10 * PAGES + 200);
        ck_assert_int_le(counted(report, "fit", "quiet", "page_faults")->total, 20);
    }
    ck_assert_int_le(counted(report, "fit", "own", "major_faults")->total, faults);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

/* On the clock of the processor, as such calls are not those of another one; in many steps, because
 * the first calls of a loop are timed. */
START_TEST(sw_next_divides_what_is_counted_where_it_divides_the_time)
{
    static const char *const actions[] = {"draw", "batch", "forward", "backward"};
    enum { STEPS = 40 };
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, drop_first_batch: false, "
                     "counters: [page_faults] }\n"
                     "logger_callback: []\n",
                     NULL);
    ck_assert_ptr_nonnull(sw);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < STEPS; i++) {
        sw_begin(sw, SW_DRAW);
        pages_touch();
        sw_next(sw, SW_BATCH);
        pages_touch();
        sw_begin(sw, SW_FORWARD);
        pages_touch();
        sw_next(sw, SW_BACKWARD);
        pages_touch();
        sw_end(sw, SW_BACKWARD);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        int64_t faults = counted(report, "train", actions[i], "page_faults")->self;
        ck_assert_int_ge(faults, STEPS * PAGES);
        if (!SANITIZED)
            ck_assert_int_lt(faults, STEPS * PAGES + PAGES);
    }
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

static void spin_ns(int64_t ns)
{
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - from.tv_sec) * INT64_C(1000000000) + now.tv_nsec - from.tv_nsec < ns);
}

START_TEST(cpu_time_is_that_of_the_thread_and_not_of_its_sleep)
{
    struct sw_profiler *sw = probe_open("mode: simple, counters: [cpu, switches]");
    int busy = sw_action("busy"), idle = sw_action("idle");
    sw_begin(sw, busy);
    spin_ns(3000000);
    sw_end(sw, busy);
    sw_begin(sw, idle);
    usleep(3000);
    sw_end(sw, idle);
    struct sw_report *report = report_of(sw);
    ck_assert_int_ge(counted(report, "fit", "busy", "cpu")->total, 2900000);
    ck_assert_int_lt(counted(report, "fit", "idle", "cpu")->total, 2900000);
    ck_assert_int_ge(counted(report, "fit", "idle", "switches")->total, 1);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* What one reading of a row's counters other than the CPU's time took. */
static double others_ns(const struct sw_report *report, const struct sw_report_row *row)
{
    static const char *const others[] = {"cpu_wait", "page_faults"};
    double ns = 0;
    for (size_t i = 0; i < report->counter_count; i++)
        for (size_t k = 0; k < 2; k++)
            if (strcmp(sw_row_counter(report, row, i)->name, others[k]) == 0)
                ns += sw_row_counter(report, row, i)->reading_ns / (2 * (double)row->calls);
    return ns;
}

/* Returns by how much the CPU's time of a region is larger than its duration: the median of many,
 * since other programs make it smaller. */
static double cpu_excess_ns(const char *yaml, double *reading_ns)
{
    enum { REGIONS = 101 };
    double more[REGIONS];
    size_t count = 0;
    char name[16];
    struct sw_profiler *sw = sw_open_text(yaml, NULL);
    ck_assert_ptr_nonnull(sw);
    for (int i = 0; i < REGIONS; i++) {
        snprintf(name, sizeof name, "spin %d", i);
        SW_SCOPE(sw, sw_action(name));
        spin_ns(20000);
    }
    struct sw_report *report = report_of(sw);
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if (!row->calls || strncmp(row->action, "spin", 4) != 0)
            continue;
        more[count++] = (double)counter_of(report, row, "cpu")->total - row->total_ns;
        *reading_ns = others_ns(report, row);
    }
    ck_assert_uint_eq(count, REGIONS);
    qsort(more, count, sizeof *more, by_value);
    sw_report_free(report);
    close_fine(sw);
    return more[count / 2];
}

#define COUNTING(counters)                                                                         \
    "profiler: { mode: simple, show_report: false, counters: [" counters "] }\n"                   \
    "logger_callback: []\n"

/* Half of a reading is left to the noise of a busy machine. They take turns, so that a processor
 * that is slow for a while makes no difference. A sanitizer has costs of its own. */
START_TEST(cpu_time_of_a_region_does_not_have_what_reading_other_counters_takes)
{
    enum { TURNS = 5 };
    double none, reading, again, alone = INFINITY, first = INFINITY, last = INFINITY;
    for (int i = 0; i < TURNS; i++) {
        alone = fmin(alone, cpu_excess_ns(COUNTING("cpu"), &none));
        first = fmin(first, cpu_excess_ns(COUNTING("cpu, cpu_wait, page_faults"), &reading));
        last = fmin(last, cpu_excess_ns(COUNTING("page_faults, cpu_wait, cpu"), &again));
    }
    ck_assert_double_gt(reading, 0);
    if (SANITIZED)
        return;
    ck_assert_double_lt(first - alone, reading / 2);
    ck_assert_double_lt(last - alone, again / 2);
}
END_TEST

START_TEST(a_counter_of_steps_is_read_for_steps_alone)
{
    struct sw_profiler *sw =
        probe_open("mode: simple, drop_first_batch: false, counters: [page_faults: steps]");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    sw_begin(sw, SW_DRAW);
    sw_end(sw, SW_DRAW);
    sw_begin(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    pages_touch();
    sw_next(sw, SW_LOSS);
    sw_end(sw, SW_LOSS);
    sw_end_batch(sw, 1);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    ck_assert_int_eq(counted(report, "train", "forward", "page_faults")->total, SW_COUNTER_NONE);
    ck_assert_int_ge(counted(report, "train", "batch", "page_faults")->self, PAGES);
    ck_assert_int_ge(counted(report, "train", "step", "page_faults")->total, PAGES);
    ck_assert_int_lt(counted(report, "fit", "train", "page_faults")->self, PAGES);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

static char said[1024];
static int times_said;

static void keep(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    ck_assert_int_eq(level, SW_WARNING);
    snprintf(said, sizeof said, "%s", text);
    times_said++;
}

/* name: the counters, up to a NULL. */
static void assert_lacking_said_once(const char *const *name, const char *expected, size_t measured)
{
    const char *keys[16] = {"show_report", "false"};
    for (size_t i = 2; *name; i += 2) {
        keys[i] = "counters";
        keys[i + 1] = *name++;
    }
    struct sw_options options;
    times_said = 0;
    sw_options_init(&options);
    options.options = keys;
    options.messages = keep;
    struct sw_profiler *sw = sw_open_options(&options, NULL);
    ck_assert_ptr_nonnull(sw);
    ck_assert_ptr_nonnull(strstr(said, expected));
    ck_assert_ptr_nonnull(strstr(said, "stepwatch run --memory"));
    ck_assert_int_eq(times_said, 1);
    sw_begin(sw, SW_FIT);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    ck_assert_uint_eq(report->counter_count, measured);
    ck_assert_str_eq(sw_row_counter(report, report->row, 0)->name, "page_faults");
    sw_report_free(report);
    close_fine(sw);
}

START_TEST(what_this_machine_lacks_is_said_once_and_the_others_go_on)
{
    const char *const one[] = {"allocs", "page_faults", NULL};
    const char *const two[] = {"allocs", "page_faults", "net", NULL};
    const char *const three[] = {"allocs", "page_faults", "net", "cpu", "peak", NULL};
    assert_lacking_said_once(one, "counter allocs is not measured: ", 1);
    assert_lacking_said_once(two, "counters allocs and net are not measured: ", 1);
    assert_lacking_said_once(three, "counters allocs, net and peak are not measured: ", 2);
}
END_TEST

/* ---- what reading costs ---------------------------------------------------------------------- */

START_TEST(a_row_knows_about_how_long_reading_its_counters_took)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open_text(
        "profiler: { mode: simple, show_report: false, drop_first_batch: false, counters: [cpu, "
        "page_faults: steps] }\n",
        &err);
    ck_assert_ptr_nonnull(sw);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 10; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    double forward = counted(report, "train", "forward", "cpu")->reading_ns;
    ck_assert_double_gt(forward, 0);
    ck_assert_double_eq_tol(counted(report, "train", "batch", "cpu")->reading_ns, forward, 1e-9);
    ck_assert_double_eq(counted(report, "train", "step", "cpu")->reading_ns, 0);
    ck_assert_double_eq(counted(report, "train", "forward", "page_faults")->reading_ns, 0);
    ck_assert_double_gt(counted(report, "train", "batch", "page_faults")->reading_ns, 0);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

START_TEST(under_a_clock_that_was_set_reading_costs_nothing)
{
    struct sw_profiler *sw = probe_open("mode: simple, counters: [cpu]");
    sw_begin(sw, SW_FIT);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    ck_assert_double_eq(counted(report, "fit", "fit", "cpu")->reading_ns, 0);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

/* ---- the processor --------------------------------------------------------------------------- */

static uint64_t field(const json_t *page, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(page, key));
}

/* Integers of JSON have a sign here, so that those of 64 bits without one become texts. */
static json_t *pages_load(void)
{
    enum { DIGITS = 19 };
    struct swi_text quoted = {0};
    size_t size;
    json_error_t error;
    char *text = scratch_read(SRCDIR "/tests/golden/resources/perf/pages.json", &size);
    for (const char *at = text; *at;) {
        size_t digits = strspn(at, "0123456789");
        swi_text_put(&quoted, digits >= DIGITS ? "\"" : "");
        swi_text_add(&quoted, at, digits ? digits : 1);
        swi_text_put(&quoted, digits >= DIGITS ? "\"" : "");
        at += digits ? digits : 1;
    }
    json_t *all = json_loads(quoted.data, 0, &error);
    ck_assert_msg(all != NULL, "%s", error.text);
    swi_text_free(&quoted);
    free(text);
    return all;
}

static struct swi_perf_mmap page_of(const json_t *page)
{
    return (struct swi_perf_mmap){.index = (uint32_t)field(page, "index"),
                                  .offset = (int64_t)field(page, "offset"),
                                  .time_enabled = field(page, "time_enabled"),
                                  .time_running = field(page, "time_running"),
                                  .cap_user_rdpmc = field(page, "cap_user_rdpmc"),
                                  .pmc_width = (uint16_t)field(page, "pmc_width")};
}

static void same(const char *name, const char *what, const json_t *expected, bool known,
                 int64_t found)
{
    bool wanted = !json_is_null(expected);
    ck_assert_msg(wanted == known && (!known || json_integer_value(expected) == found),
                  "%s: %s is %s %lld", name, what, known ? "known:" : "not known, not",
                  (long long)(known ? found : json_integer_value(expected)));
}

static void page_check(const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    struct swi_perf_mmap page = page_of(json_object_get(test, "page"));
    uint32_t number;
    bool readable = swi_perf_mmap_register(&page, &number);
    int64_t count = swi_perf_mmap_count(&page, field(test, "pmc"));
    same(name, "register", json_object_get(test, "rdpmc_register"), readable, number);
    same(name, "count", json_object_get(test, "count"), readable, count);
}

START_TEST(the_page_of_an_event_is_read_as_expected)
{
    size_t i;
    json_t *test, *all = pages_load();
    ck_assert_uint_ge(json_array_size(json_object_get(all, "cases")), 10);
    json_array_foreach(json_object_get(all, "cases"), i, test) page_check(test);
    json_decref(all);
}
END_TEST

/* ---- columns --------------------------------------------------------------------------------- */

START_TEST(a_report_has_columns_for_its_counters)
{
    struct sw_profiler *sw = probe_open("mode: simple, counters: [cpu]");
    sw_begin(sw, SW_FIT);
    sw_count(sw, sw_counter("tokens"), 9);
    sw_end(sw, SW_FIT);
    struct sw_report *report = report_of(sw);
    bool found = false;
    for (size_t i = 0; i < report->column_count; i++) {
        const struct sw_column *column = sw_report_column(report, i);
        if (strcmp(column->key, "counter/tokens/self") != 0)
            continue;
        found = true;
        ck_assert_str_eq(column->header, "Self tokens");
        ck_assert_double_eq(sw_column_number(column, sw_report_row(report, 0)), 9);
        ck_assert_int_eq(sw_column_count(column, sw_report_row(report, 0)), 9);
        ck_assert(isnan(sw_column_number(column, sw_report_row(report, 1))));
    }
    ck_assert(found);
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

static double derived(const struct sw_report *report, const char *key,
                      const struct sw_report_row *row)
{
    for (size_t i = 0; i < report->column_count; i++)
        if (strcmp(sw_report_column(report, i)->key, key) == 0)
            return sw_column_number(sw_report_column(report, i), row);
    ck_abort_msg("no column %s", key);
    return 0;
}

/* 1,000 operations in 100 ns are 10 GFLOP/s; of 40 GFLOP/s, 25 %. */
START_TEST(flops_have_rates_and_a_utilization_of_the_peak)
{
    struct sw_profiler *sw =
        probe_open("mode: simple, drop_first_batch: false, peak_flops: 40G, counters: []");
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    sw_begin(sw, SW_DRAW);
    probe_wait(20);
    sw_next(sw, SW_BATCH);
    sw_count(sw, sw_counter("flops"), 1000);
    sw_count(sw, sw_counter("bytes"), 250);
    sw_count(sw, sw_counter("tokens"), 8);
    probe_wait(80);
    sw_end_batch(sw, 1);
    struct sw_report *report = report_of(sw);
    const struct sw_report_row *step = probe_row(report, "train", "step");
    const struct sw_report_row *batch = probe_row(report, "train", "batch");
    ck_assert_double_eq_tol(derived(report, "gflop_per_s", step), 10, 1e-9);
    ck_assert_double_eq_tol(derived(report, "gflop_per_s", batch), 12.5, 1e-9);
    ck_assert_double_eq_tol(derived(report, "mfu", step), 25, 1e-9);
    ck_assert(isnan(derived(report, "mfu", batch)));
    ck_assert_double_eq_tol(derived(report, "gb_per_s", batch), 250.0 / 80, 1e-9);
    ck_assert_double_eq_tol(derived(report, "flop_per_byte", batch), 4, 1e-9);
    ck_assert_double_eq_tol(derived(report, "tokens_per_s", batch), 1e8, 1);
    ck_assert(isnan(derived(report, "tokens_per_s", probe_row(report, "train", "loss"))));
    sw_report_free(report);
    close_fine(sw);
}
END_TEST

SUITE(counters)
{
    tcase_add_test(tc, flops_have_rates_and_a_utilization_of_the_peak);
    tcase_add_loop_test(tc, golden_scripts_count_as_they_say, 0, 3);
    tcase_add_test(tc, what_is_counted_follows_the_rules_of_durations);
    tcase_add_test(tc, a_counter_that_was_never_counted_is_in_no_report);
    tcase_add_test(tc, after_64_names_each_new_one_is_other);
    tcase_add_test(tc, a_negative_count_is_a_misuse_and_ignored);
    tcase_add_test(tc, a_sum_that_is_too_large_stays_at_the_largest_number);
    tcase_add_test(tc, a_mean_is_of_all_steps_of_its_window_whenever_counting_began);
    tcase_add_test(tc, counts_before_the_first_region_belong_to_none);
    tcase_add_test(tc, a_loop_without_a_fit_has_all_that_its_thread_counted);
    tcase_add_test(tc, each_thread_counts_for_itself);
    tcase_add_test(tc, a_region_that_ends_on_another_os_thread_has_no_use);
    tcase_add_test(tc, a_row_knows_about_how_long_reading_its_counters_took);
    tcase_add_test(tc, under_a_clock_that_was_set_reading_costs_nothing);
    tcase_add_test(tc, the_page_of_an_event_is_read_as_expected);
    tcase_add_test(tc, page_faults_are_those_of_the_region);
    tcase_add_test(tc, sw_next_divides_what_is_counted_where_it_divides_the_time);
    tcase_add_test(tc, cpu_time_is_that_of_the_thread_and_not_of_its_sleep);
    tcase_add_test(tc, cpu_time_of_a_region_does_not_have_what_reading_other_counters_takes);
    tcase_add_test(tc, a_counter_of_steps_is_read_for_steps_alone);
    tcase_add_test(tc, what_this_machine_lacks_is_said_once_and_the_others_go_on);
    tcase_add_test(tc, a_report_has_columns_for_its_counters);
}
