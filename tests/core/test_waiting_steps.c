/* SPDX-License-Identifier: MIT */
/* The steps of a loop that does work wait before they are added up; those of a loop that does
 * nothing do not. A run that is slower by a power of two has the same reports, at any time, with
 * all durations longer by it: each figure, bin and value. */
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A step waits if it takes more than some 15 us: quick ones take a tenth of that, slow ones all
 * take longer. */
enum { QUICK = 1, SLOW = 16384, PROGRAMS = SANITIZED ? 10 : 100, STEPS = 60 };

static int64_t time_ns, slowness;
static bool recursive;
static unsigned random_state;
static _Thread_local FILE *seen; /* where the thread prints */

static int64_t clock_read(void *arg)
{
    (void)arg;
    return time_ns;
}

static unsigned random_below(unsigned n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % n;
}

static void spend(void)
{
    time_ns += slowness * (int64_t)(2 + random_below(60));
}

/* ---- what a run shows, as if it had not been slow -------------------------------------------- */

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(seen, format, args);
    va_end(args);
    fputc('\n', seen);
}

/* scale: of the values; squares are by its square. */
static void print_distribution(const struct sw_distribution *d, double scale)
{
    /* The last bits of the variance depend on the size of its integers. By a number like this, it
     * is never halfway between two of nine digits. */
    const double odd = 2.718281828459045;
    print(" %" PRId64 " %a %.9g %a %a", d->count, d->mean * scale,
          d->variance * scale * scale * odd, d->min * scale, d->max * scale);
    /* The values of calls inside each other come from two rows, in no order that matters. */
    for (size_t i = 0; i < d->kept && !recursive; i++)
        print("  value %a", d->value[i] * scale);
    for (size_t i = 0; i < d->bin_count; i++)
        print("  bin from %a %" PRIu64, d->bin[i].low * scale, d->bin[i].count);
}

static void print_row(const struct sw_report_row *row)
{
    double scale = 1 / (double)slowness;
    print("%s/%s %" PRId64 " %a %a %a %a %a %a %a", row->phase, row->action, row->calls,
          row->total_ns * scale, row->self_ns * scale, row->share, row->samples_per_s / scale,
          row->p50_ns * scale, row->p99_ns * scale, row->overall_samples_per_s / scale);
    print_distribution(&row->durations, scale);
    print_distribution(&row->rates, 1 / scale);
}

static void print_report(const struct sw_report *report)
{
    double scale = 1 / (double)slowness;
    const struct sw_accounting *a = &report->accounting;
    print("fit %d epoch %" PRId64 " step %" PRId64 " %a", report->fit, report->epoch, report->step,
          report->fit_ns * scale);
    print("%a %a %a %" PRId64 " %" PRId64, a->accounted_ns * scale, a->other_ns * scale,
          a->residue_ns * scale, a->steps, a->misuses);
    print("%" PRId64 " %a %" PRId64, report->overall_train.samples,
          report->overall_train.elapsed_ns * scale, report->overall_valid.samples);
    for (size_t i = 0; i < report->count; i++)
        print_row(&report->row[i]);
}

static void print_metric(const struct sw_metric *metric, int64_t step)
{
    bool rate = strncmp(metric->name, "throughput/", 11) == 0;
    bool time = strncmp(metric->name, "time_ms/", 8) == 0;
    double scale = rate ? (double)slowness : time ? 1 / (double)slowness : 1;
    print("metric %s %a at %" PRId64, metric->name, metric->value * scale, step);
}

static FILE *metrics; /* of the sink */

static int record_print(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)err;
    seen = metrics;
    for (size_t i = 0; i < record->metrics.count; i++)
        print_metric(sw_record_metric(record, i), record->step);
    if (record->type == SW_RECORD_EPOCH || record->type == SW_RECORD_REPORT)
        print_report(record->report);
    return 0;
}

static const struct sw_sink_plugin plugin = {
    SW_SINK_HEADER,
    .name = "waiting",
    .version = "1.0",
    .license = "MIT",
    .summary = "prints what it gets",
    .wants = SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_EPOCH),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .state_size = 1,
    .record = record_print,
};

/* ---- a random program ------------------------------------------------------------------------ */

static void region(struct sw_profiler *sw, int action, int depth)
{
    static const char *const inside[] = {"inside", "deep", "deeper"};
    sw_begin(sw, action);
    spend();
    while (depth < 3 && random_below(3) == 0)
        region(sw, recursive && action >= SW_BUILTIN_ACTIONS ? action : sw_action(inside[depth]),
               depth + 1);
    spend();
    sw_end(sw, action);
}

static void batch(struct sw_profiler *sw, bool training)
{
    static const int actions[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
    sw_begin(sw, SW_BATCH);
    spend();
    for (unsigned i = 0; i < (training ? 5 : 2); i++)
        if (random_below(8) != 0)
            region(sw, training ? actions[i] : SW_PREDICT, 3);
    while (random_below(2) == 0)
        region(sw, sw_action("own"), 0);
    if (random_below(3) == 0)
        sw_log(sw, "loss", (double)random_below(100));
    if (random_below(12) == 0)
        sw_cancel(sw, SW_BATCH);
    else
        sw_end_batch(sw, random_below(10) == 0 ? 0 : 1 + random_below(64));
}

static void step(struct sw_profiler *sw, bool training)
{
    struct sw_report *report;
    for (unsigned draws = random_below(3); draws > 0; draws--)
        region(sw, SW_DRAW, random_below(4) == 0 ? 2 : 3);
    if (random_below(6) == 0)
        region(sw, sw_action("between"), 0);
    batch(sw, training);
    if (random_below(7) != 0)
        return;
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
    print_report(report);
    sw_report_free(report);
}

static void epoch(struct sw_profiler *sw)
{
    bool contained = random_below(2) == 0;
    sw_begin(sw, SW_EPOCH);
    if (contained)
        sw_begin(sw, SW_TRAIN);
    for (unsigned i = random_below(STEPS); i > 0; i--)
        step(sw, true);
    if (contained)
        sw_end(sw, SW_TRAIN);
    sw_begin(sw, SW_VALID);
    for (unsigned i = random_below(20); i > 0; i--)
        step(sw, false);
    sw_end(sw, SW_VALID);
    sw_end(sw, SW_EPOCH);
}

/* Returns what a program shows, which the caller must free. */
static char *run(unsigned seed, int64_t slower)
{
    char config[256], *text[2] = {NULL, NULL}, *both;
    size_t size[2];
    time_ns = 0, slowness = slower, random_state = seed;
    recursive = random_below(2) == 0;
    seen = open_memstream(&text[0], &size[0]);
    metrics = open_memstream(&text[1], &size[1]);
    snprintf(config, sizeof config,
             "profiler: {mode: %s, drop_first_batch: %s, rolling_average: %u, show_report: false}\n"
             "logger_callback: waiting\n",
             random_below(4) ? "simple" : "throughput", random_below(2) ? "true" : "false",
             1 + random_below(12));
    struct sw_profiler *sw = sw_open_text(config, NULL);
    sw_set_clock(sw, clock_read, NULL);
    for (unsigned fits = 1 + random_below(2); fits > 0; fits--) {
        sw_begin(sw, SW_FIT);
        for (unsigned epochs = 1 + random_below(3); epochs > 0; epochs--)
            epoch(sw);
        sw_end(sw, SW_FIT);
    }
    sw_close(sw, NULL);
    fclose(seen);
    fclose(metrics);
    both = malloc(size[0] + size[1] + 1);
    memcpy(both, text[0], size[0]);
    memcpy(both + size[0], text[1], size[1] + 1);
    free(text[0]);
    free(text[1]);
    return both;
}

START_TEST(a_slow_program_shows_what_a_quick_one_does)
{
    ck_assert_int_eq(sw_sink_register(&plugin, NULL, NULL), 0);
    for (unsigned seed = 1; seed <= PROGRAMS; seed++) {
        char *quick = run(seed, QUICK), *slow = run(seed, SLOW);
        ck_assert_msg(strcmp(quick, slow) == 0, "seed %u", seed);
        free(quick);
        free(slow);
    }
}
END_TEST

/* ---- a fit that is cut off ------------------------------------------------------------------- */

static int findings; /* a pipe */

/* Without the finding on what stepwatch's own calls cost, which real time decides. */
static int findings_print(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)err;
    for (size_t i = 0; i < record->report->finding_count; i++) {
        const struct sw_finding *finding = sw_report_finding(record->report, i);
        if (strcmp(finding->id, "overhead") != 0)
            dprintf(findings, "%s %a\n%s\n", finding->id, finding->gain, finding->text);
    }
    return 0;
}

static const struct sw_sink_plugin findings_plugin = {
    SW_SINK_HEADER,
    .name = "findings",
    .version = "1.0",
    .license = "MIT",
    .summary = "prints findings",
    .wants = SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_FINDINGS),
    .state_size = 1,
    .record = findings_print,
};

/* Every tenth draw takes long. */
static void cut_off(unsigned rolling, int steps)
{
    char config[256];
    snprintf(config, sizeof config,
             "profiler: {mode: simple, rolling_average: %u, show_report: false}\n"
             "logger_callback: findings\n",
             rolling);
    struct sw_profiler *sw = sw_open_text(config, NULL);
    sw_set_clock(sw, clock_read, NULL);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < steps; i++) {
        sw_begin(sw, SW_DRAW);
        time_ns += i % 10 ? 1000000 : 9000000;
        sw_end(sw, SW_DRAW);
        sw_begin(sw, SW_BATCH);
        region(sw, SW_FORWARD, 3);
        region(sw, i < steps - 5 ? SW_BACKWARD : sw_action("late"), 3);
        sw_end_batch(sw, 32);
    }
    exit(0);
}

/* ThreadSanitizer waits for a second at the exit of each process that has threads. */
enum { LENGTHS_APART = SANITIZED ? 7 : 1 };

/* With a rolling average of one step, no step waits. */
static void findings_read(unsigned rolling, int steps, char *text, size_t size)
{
    int ends[2], status;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        findings = ends[1];
        cut_off(rolling, steps);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    text[fread(text, 1, size - 1, from)] = '\0';
    fclose(from);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

START_TEST(findings_of_a_fit_that_is_cut_off_know_all_steps)
{
    int any = 0;
    ck_assert_int_eq(sw_sink_register(&findings_plugin, NULL, NULL), 0);
    for (int steps = 30; steps < 70; steps += LENGTHS_APART) {
        char now[8192], later[8192];
        slowness = SLOW, time_ns = 0, random_state = 1;
        findings_read(1, steps, now, sizeof now);
        findings_read(1000, steps, later, sizeof later);
        ck_assert_str_eq(now, later);
        any += *now != '\0';
    }
    ck_assert_int_gt(any, 10 / LENGTHS_APART);
}
END_TEST

/* ---- what waits is there --------------------------------------------------------------------- */

static const struct sw_report_row *row_of(const struct sw_report *report, const char *action)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->row[i].phase, "train") == 0 &&
            strcmp(report->row[i].action, action) == 0)
            return &report->row[i];
    return NULL;
}

static struct sw_profiler *fit_open(void)
{
    slowness = 1, time_ns = 0;
    struct sw_profiler *sw =
        sw_open_text("profiler: {mode: simple, drop_first_batch: false, rolling_average: 1000, "
                     "show_report: false}\n",
                     NULL);
    sw_set_clock(sw, clock_read, NULL);
    sw_begin(sw, SW_FIT);
    return sw;
}

START_TEST(each_step_is_in_the_next_report)
{
    struct sw_profiler *sw = fit_open();
    for (int i = 1; i <= 100; i++) {
        struct sw_report *report;
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        time_ns += 1000000;
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 32);
        ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
        ck_assert_int_eq(row_of(report, "step")->calls, i);
        ck_assert_int_eq(row_of(report, "forward")->calls, i);
        ck_assert_double_eq(row_of(report, "forward")->self_ns, i * 1e6);
        ck_assert_double_eq_tol(row_of(report, "forward")->samples_per_s, 32000, 1e-6);
        ck_assert_int_eq(row_of(report, "forward")->rates.count, i);
        ck_assert_double_eq(report->accounting.residue_ns, 0);
        sw_report_free(report);
    }
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}
END_TEST

/* The rates of calls inside a call of the same action, which waits or is discarded, count for
 * nothing. */
START_TEST(a_rate_that_waits_is_not_added_to_rates_that_do_not_count)
{
    struct sw_report *report;
    int own = sw_action("again");
    struct sw_profiler *sw = fit_open();
    for (int i = 1; i <= 3; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, own);
        time_ns += i < 3 ? i * 1000 : 3000000;
        if (i < 3)
            sw_begin(sw, own);
        time_ns += i < 3 ? i * 1000 : 3000000;
        sw_end(sw, own);
        sw_end_batch(sw, 60);
    }
    sw_report_new(sw, &report, NULL);
    ck_assert_int_eq(row_of(report, "again")->calls, 3);
    ck_assert_int_eq(row_of(report, "again")->rates.count, 1);
    ck_assert_double_eq_tol(row_of(report, "again")->rates.mean, 10000, 1e-6);
    ck_assert_double_eq_tol(row_of(report, "again")->rates.variance, 0, 1e-6);
    sw_report_free(report);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}
END_TEST

static atomic_bool stop;
static atomic_int looks, torn;

static bool is_whole(const struct sw_report *report)
{
    int64_t calls = row_of(report, "step")->calls;
    return row_of(report, "batch")->calls == calls && row_of(report, "forward")->calls == calls &&
           row_of(report, "forward")->rates.count == calls &&
           row_of(report, "step")->rates.count == calls &&
           report->overall_train.samples == 32 * calls;
}

/* Check's assertions are for the thread of the test. */
static void *look(void *arg)
{
    while (!atomic_load(&stop)) {
        struct sw_report *report;
        bool made = sw_report_new(arg, &report, NULL) > 0;
        atomic_fetch_add(&torn, !made || !is_whole(report));
        atomic_fetch_add(&looks, 1);
        if (made)
            sw_report_free(report);
    }
    return NULL;
}

static void work(int64_t ns)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < ns);
}

START_TEST(another_thread_sees_whole_steps_at_any_time)
{
    pthread_t reader;
    char name[16];
    struct sw_profiler *sw = sw_open_text(
        "profiler: {mode: simple, drop_first_batch: false, show_report: false}\n", NULL);
    sw_begin(sw, SW_FIT);
    pthread_create(&reader, NULL, look, sw);
    for (int i = 0; i < 5000; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        work(i % 100 ? 20000 : 1000);
        sw_end(sw, SW_FORWARD);
        snprintf(name, sizeof name, "new%d", i / 40); /* whose row is new */
        sw_begin(sw, sw_action(name));
        sw_end(sw, sw_action(name));
        sw_end_batch(sw, 32);
    }
    atomic_store(&stop, true);
    pthread_join(reader, NULL);
    ck_assert_int_gt(atomic_load(&looks), 0);
    ck_assert_int_eq(atomic_load(&torn), 0);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}
END_TEST

SUITE(waiting_steps)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_slow_program_shows_what_a_quick_one_does);
    tcase_add_test(tc, findings_of_a_fit_that_is_cut_off_know_all_steps);
    tcase_add_test(tc, each_step_is_in_the_next_report);
    tcase_add_test(tc, a_rate_that_waits_is_not_added_to_rates_that_do_not_count);
    tcase_add_test(tc, another_thread_sees_whole_steps_at_any_time);
}
