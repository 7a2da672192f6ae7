/* SPDX-License-Identifier: MIT */
/* Reports of epochs and fits that are made late, while the loop goes on: each is the one that would
 * have been made at once. */
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <stepwatch/sink.h>
#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { TEXTS_MAX = 4096 };

/* ---- a clock that stands until it is set on -------------------------------------------------- */

static atomic_llong time_ns;

static int64_t clock_read(void *arg)
{
    (void)arg;
    return atomic_load(&time_ns);
}

static void spend(int64_t ns)
{
    atomic_fetch_add(&time_ns, ns);
}

static unsigned random_state;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % n;
}

/* ---- a report as text ------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void print(FILE *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(to, format, args);
    va_end(args);
    fputc('\n', to);
}

static void print_distribution(FILE *to, const struct sw_distribution *d)
{
    print(to, " %" PRId64 " %a %a %a %a", d->count, d->mean, d->variance, d->min, d->max);
    for (size_t i = 0; i < d->kept; i++)
        print(to, "  value %a", d->value[i]);
    for (size_t i = 0; i < d->bin_count; i++)
        print(to, "  bin %a %a %" PRIu64, d->bin[i].low, d->bin[i].high, d->bin[i].count);
}

static void print_row(FILE *to, const struct sw_report_row *row)
{
    print(to, "%s/%s %" PRId64 " %a %a %a %a", row->phase, row->action, row->calls, row->total_ns,
          row->self_ns, row->share, row->samples_per_s);
    print_distribution(to, &row->durations);
    print_distribution(to, &row->rates);
}

/* All but what stepwatch itself costs. The caller's to free. */
static char *text_of(const struct sw_report *report)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    const struct sw_accounting *a = &report->accounting;
    print(to, "fit %d complete %d epoch %" PRId64 " step %" PRId64 " %a", report->fit,
          report->complete, report->epoch, report->step, report->fit_ns);
    print(to, "%a %a %a %" PRId64 " %" PRId64 " %" PRId64, a->accounted_ns, a->other_ns,
          a->residue_ns, a->steps, a->misuses, a->discarded);
    print(to, "%" PRId64 " %a %" PRId64 " %a", report->overall_train.samples,
          report->overall_train.elapsed_ns, report->overall_valid.samples,
          report->overall_valid.elapsed_ns);
    for (size_t i = 0; i < report->misuse_count; i++)
        print(to, "%s %" PRId64, report->misuse[i].text, report->misuse[i].times);
    for (size_t i = 0; i < report->count; i++)
        print_row(to, &report->row[i]);
    fclose(to);
    return text;
}

struct texts {
    size_t count;
    char *text[TEXTS_MAX];
};

static void texts_add(struct texts *texts, const struct sw_report *report)
{
    ck_assert_uint_lt(texts->count, TEXTS_MAX);
    texts->text[texts->count++] = text_of(report);
}

static void texts_free(struct texts *texts)
{
    while (texts->count)
        free(texts->text[--texts->count]);
}

/* ---- a sink that gets nothing while its gate is shut ----------------------------------------- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static struct texts late;
static _Atomic int64_t others_seen[TEXTS_MAX];

static int64_t others_of(const struct sw_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->row[i].phase, "threads") == 0)
            return report->row[i].calls;
    return 0;
}

static int late_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)err;
    pthread_mutex_lock(&gate);
    if (record->type == SW_RECORD_EPOCH || record->type == SW_RECORD_REPORT) {
        atomic_store(&others_seen[late.count], others_of(record->report));
        texts_add(&late, record->report);
    }
    pthread_mutex_unlock(&gate);
    return 0;
}

static const struct sw_sink_plugin plugin = {
    SW_SINK_HEADER,
    .name = "late",
    .version = "1.0",
    .license = "MIT",
    .summary = "gets its records late, for tests",
    /* By the marks it is held up before the first report. */
    .wants = SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_EPOCH) | SW_WANT(SW_RECORD_REPORT),
    .queue = SW_QUEUE_DROP_OLDEST,
    .state_size = 1,
    .record = late_record,
};

/* Reports of epochs that were counted as dropped. */
static size_t dropped;

static void close_late(struct sw_profiler *sw)
{
    SW_ERROR_SCOPE(err);
    sw_close(sw, &err);
    const char *text = sw_error_text(&err), *epochs = strstr(text, " reports of epochs");
    while (epochs && epochs > text && epochs[-1] >= '0' && epochs[-1] <= '9')
        epochs--;
    dropped = epochs ? strtoul(epochs, NULL, 10) : 0;
}

static struct sw_profiler *open_late(void)
{
    static bool registered;
    struct sw_error err;
    if (!registered)
        ck_assert_int_eq(sw_sink_register(&plugin, NULL, &err), 0);
    registered = true;
    struct sw_profiler *sw = sw_open_text("profiler: { mode: simple, show_report: false, signals: "
                                          "false, close_timeout: 60s }\nlogger_callback: late\n",
                                          &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, NULL, NULL);
    sw_set_clock(sw, clock_read, NULL);
    atomic_store(&time_ns, 1000);
    random_state = 1;
    texts_free(&late);
    return sw;
}

/* ---- what is measured ------------------------------------------------------------------------ */

static int action_number(unsigned i)
{
    char name[16];
    snprintf(name, sizeof name, "own%u", i);
    return sw_action(name);
}

enum { ACTIONS = 40 };

/* Nested, recursive, short and long; now and then one that is never ended. */
static void own_actions(struct sw_profiler *sw, int depth)
{
    for (unsigned i = random_below(6); i > 0; i--) {
        int action = action_number(random_below(ACTIONS));
        sw_begin(sw, action);
        spend(1 + random_below(1U << (random_below(9) + 1)));
        if (depth < 3)
            own_actions(sw, depth + 1);
        if (random_below(50))
            sw_end(sw, action);
    }
}

static void step(struct sw_profiler *sw)
{
    sw_begin(sw, SW_DRAW);
    spend(1 + random_below(1000));
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    spend(1 + random_below(5000));
    sw_end(sw, SW_FORWARD);
    own_actions(sw, 2);
    if (random_below(20))
        sw_end_batch(sw, random_below(64));
    else
        sw_cancel(sw, SW_BATCH);
}

static void phase(struct sw_profiler *sw, int which)
{
    sw_begin(sw, which);
    for (unsigned i = random_below(12); i > 0; i--)
        step(sw);
    sw_end(sw, which);
}

static void epoch(struct sw_profiler *sw)
{
    sw_begin(sw, SW_EPOCH);
    own_actions(sw, 0);
    phase(sw, SW_TRAIN);
    if (random_below(2))
        phase(sw, SW_VALID);
    sw_end(sw, SW_EPOCH);
}

/* Many of these fit into a queue. */
static void short_epoch(struct sw_profiler *sw)
{
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, action_number(0));
    spend(1 + random_below(3));
    sw_end(sw, action_number(0));
    sw_end(sw, SW_EPOCH);
}

/* The report that is made at once, by whoever asks for it. */
static void ask(struct sw_profiler *sw, struct texts *texts)
{
    struct sw_report *report;
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), 0);
    texts_add(texts, report);
    sw_report_free(report);
}

static void are_the_same(const struct texts *expected)
{
    ck_assert_uint_eq(late.count, expected->count);
    for (size_t i = 0; i < expected->count; i++)
        ck_assert_msg(strcmp(late.text[i], expected->text[i]) == 0,
                      "report %zu is\n%s\ninstead of\n%s", i, late.text[i], expected->text[i]);
}

/* All but those that are counted as dropped, of which the last one is none. */
static void are_the_same_but_dropped(const struct texts *expected)
{
    size_t found = 0;
    for (size_t i = 0; i < expected->count && found < late.count; i++)
        found += strcmp(late.text[found], expected->text[i]) == 0;
    ck_assert_uint_eq(found, late.count);
    ck_assert_uint_eq(late.count + dropped, expected->count);
    ck_assert_str_eq(late.text[late.count - 1], expected->text[expected->count - 1]);
}

/* ---- the tests ------------------------------------------------------------------------------- */

/* Held up: no report is made before all is over; else the sink makes them while the loop runs. */
static void assert_late_reports_are_right(bool held_up, int epochs,
                                          void (*run)(struct sw_profiler *),
                                          void (*compare)(const struct texts *expected))
{
    static struct texts expected;
    struct sw_profiler *sw = open_late();
    if (held_up)
        pthread_mutex_lock(&gate);
    sw_begin(sw, SW_FIT);
    sw_begin(sw, action_number(0)); /* it and its row stay open from one epoch to the next */
    for (int i = 0; i < epochs; i++) {
        run(sw);
        ask(sw, &expected);
        if (run == epoch && random_below(4) == 0)
            own_actions(sw, 0);
    }
    sw_end(sw, action_number(0));
    sw_end(sw, SW_FIT);
    ask(sw, &expected);
    if (held_up)
        pthread_mutex_unlock(&gate);
    close_late(sw);
    compare(&expected);
    texts_free(&expected);
}

START_TEST(the_report_of_an_epoch_shows_its_end_however_late_it_is_made)
{
    assert_late_reports_are_right(true, 40, epoch, are_the_same);
}
END_TEST

START_TEST(the_same_while_the_sink_keeps_up)
{
    assert_late_reports_are_right(false, 100, epoch, are_the_same);
}
END_TEST

/* Epochs that are shorter than it takes to make their reports. */
START_TEST(where_so_many_wait_that_they_are_made_early_the_others_are_counted)
{
    assert_late_reports_are_right(true, 600, short_epoch, are_the_same_but_dropped);
    ck_assert_uint_ge(late.count, 64);
}
END_TEST

/* asked: each report is made before the next fit begins. */
static void fits_run(bool asked, struct texts *texts)
{
    struct sw_profiler *sw = open_late();
    pthread_mutex_lock(&gate);
    for (int fit = 0; fit < 8; fit++) {
        own_actions(sw, 0);
        sw_begin(sw, SW_FIT);
        for (unsigned i = random_below(4); i > 0; i--) {
            epoch(sw);
            if (asked)
                ask(sw, texts);
        }
        step(sw);
        if (random_below(2))
            sw_end(sw, SW_FIT);
        else
            sw_cancel(sw, SW_FIT);
        if (asked)
            ask(sw, texts);
        if (random_below(2))
            spend(5000);
    }
    pthread_mutex_unlock(&gate);
    sw_close(sw, NULL);
}

START_TEST(the_report_of_a_fit_shows_nothing_of_the_next_however_late_it_is_made)
{
    static struct texts expected;
    fits_run(true, &expected);
    fits_run(false, NULL);
    are_the_same(&expected);
    texts_free(&expected);
}
END_TEST

/* ---- other threads ---- */

static struct sw_profiler *shared;
static atomic_llong turns;
static atomic_bool over;
static pthread_barrier_t barrier;

static void *some_regions(void *arg)
{
    static const char *const name[] = {"load", "decode", "load"};
    for (int i = 0; i < 300; i++) {
        int action = sw_action(name[i % 3]);
        sw_begin(shared, action);
        spend(7);
        sw_end(shared, action);
    }
    return arg;
}

static void threads_join(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, some_regions, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}

static void *lasting_thread(void *arg)
{
    int open = sw_action("lasting");
    sw_begin(shared, open);
    while (!atomic_load(&over)) {
        some_regions(NULL);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    sw_end(shared, open);
    return arg;
}

START_TEST(it_shows_of_other_threads_what_they_had_by_then)
{
    static struct texts expected;
    pthread_t thread;
    struct sw_profiler *sw = shared = open_late();
    atomic_store(&over, false);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_mutex_lock(&gate);
    pthread_create(&thread, NULL, lasting_thread, NULL);
    for (int i = 0; i < 20; i++) {
        if (i % 5 == 0)
            sw_begin(sw, SW_FIT);
        pthread_barrier_wait(&barrier);
        if (i % 3)
            threads_join();
        epoch(sw);
        ask(sw, &expected);
        if (i % 5 == 4) {
            sw_end(sw, SW_FIT);
            ask(sw, &expected);
        }
        atomic_store(&over, i == 19);
        pthread_barrier_wait(&barrier);
    }
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&gate);
    sw_close(sw, NULL);
    are_the_same(&expected);
    texts_free(&expected);
    pthread_barrier_destroy(&barrier);
}
END_TEST

static void *busy_thread(void *arg)
{
    int action = sw_action("busy");
    while (!atomic_load(&over)) {
        sw_begin(shared, action);
        sw_end(shared, action);
        atomic_fetch_add(&turns, 1);
    }
    return arg;
}

/* One call may be under way. */
START_TEST(a_thread_that_goes_on_is_shown_as_it_was_at_the_end_of_the_epoch)
{
    enum { EPOCHS = 50 };
    int64_t before[EPOCHS], after[EPOCHS];
    pthread_t thread;
    struct sw_profiler *sw = shared = open_late();
    atomic_store(&over, false);
    atomic_store(&turns, 0);
    sw_begin(sw, SW_FIT);
    pthread_create(&thread, NULL, busy_thread, NULL);
    for (int i = 0; i < EPOCHS; i++) {
        int64_t waited = atomic_load(&turns);
        if (i % 2)
            pthread_mutex_lock(&gate);
        while (atomic_load(&turns) < waited + 200)
            continue;
        sw_begin(sw, SW_EPOCH);
        before[i] = atomic_load(&turns);
        sw_end(sw, SW_EPOCH);
        after[i] = atomic_load(&turns);
        while (atomic_load(&turns) < after[i] + 200)
            continue;
        if (i % 2)
            pthread_mutex_unlock(&gate);
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
    for (int i = 0; i < EPOCHS; i++) {
        ck_assert_int_ge(others_seen[i], before[i]);
        ck_assert_int_le(others_seen[i], after[i] + 1);
    }
}
END_TEST

/* ---- memory ---- */

static int64_t resident_most_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

START_TEST(a_report_of_10000_actions_takes_less_than_8_mib)
{
    char name[32];
    struct sw_report *report;
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }\n", NULL);
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "many%d", i);
        int action = sw_action(name);
        sw_begin(sw, action);
        sw_end(sw, action);
    }
    int64_t before = resident_most_kib();
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), 9000);
    if (!SANITIZED)
        ck_assert_int_lt(resident_most_kib() - before, 8 * 1024);
    sw_report_free(report);
    sw_close(sw, NULL);
}
END_TEST

/* However different their durations are: so few are kept as they are. */
START_TEST(ten_thousand_actions_of_21_calls_take_less_than_10_mib)
{
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }\n", NULL);
    sw_set_clock(sw, clock_read, NULL);
    int64_t before = resident_most_kib();
    for (int call = 0; call < 21; call++)
        for (unsigned i = 0; i < 10000; i++) {
            sw_begin(sw, action_number(i));
            spend(1 << call);
            sw_end(sw, action_number(i));
        }
    sw_flush(sw, INT64_C(10000000000));
    if (!SANITIZED)
        ck_assert_int_lt(resident_most_kib() - before, 10 * 1024);
    sw_close(sw, NULL);
}
END_TEST

static long calls_of(const char *row, const char *text)
{
    const char *found = strstr(text, row);
    return found ? strtol(found + strlen(row), NULL, 10) : 0;
}

/* A sink that hangs costs so much, however many epochs and actions there are. Which epochs it is
 * not told of depends on when records were taken from the loop; the last one always comes. */
START_TEST(epochs_of_many_actions_take_no_more_memory_while_a_sink_hangs)
{
    enum { EPOCHS = 150 };
    struct sw_profiler *sw = open_late();
    pthread_mutex_lock(&gate);
    sw_begin(sw, SW_FIT);
    int64_t before = resident_most_kib();
    for (int i = 0; i < EPOCHS; i++) {
        sw_begin(sw, SW_EPOCH);
        for (unsigned k = 0; k < 1000; k++) {
            sw_begin(sw, action_number(k));
            spend(1 + k);
            sw_end(sw, action_number(k));
        }
        sw_end(sw, SW_EPOCH);
    }
    if (!SANITIZED)
        ck_assert_int_le(resident_most_kib() - before, 64 * 1024);
    pthread_mutex_unlock(&gate);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
    ck_assert_uint_gt(late.count, 1);
    long before_it = 0;
    for (size_t i = 0; i < late.count; i++) {
        long calls = calls_of("fit/own999 ", late.text[i]);
        ck_assert_int_gt(calls, before_it);
        before_it = calls;
    }
    ck_assert_int_eq(before_it, EPOCHS);
    texts_free(&late);
}
END_TEST

/* As many as `stepwatch replay` plays before it waits for the sinks. */
START_TEST(a_replay_drops_no_epoch_of_a_burst)
{
    enum { EPOCHS = 500 };
    struct sw_profiler *sw = open_late();
    sw_set_start(sw, 0);
    pthread_mutex_lock(&gate);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < EPOCHS; i++) {
        sw_begin(sw, SW_EPOCH);
        spend(1);
        sw_end(sw, SW_EPOCH);
    }
    pthread_mutex_unlock(&gate);
    sw_end(sw, SW_FIT);
    close_late(sw);
    ck_assert_uint_eq(dropped, 0);
    ck_assert_uint_eq(late.count, EPOCHS + 1);
    texts_free(&late);
}
END_TEST

SUITE(moments)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_report_of_an_epoch_shows_its_end_however_late_it_is_made);
    tcase_add_test(tc, the_same_while_the_sink_keeps_up);
    tcase_add_test(tc, where_so_many_wait_that_they_are_made_early_the_others_are_counted);
    tcase_add_test(tc, the_report_of_a_fit_shows_nothing_of_the_next_however_late_it_is_made);
    tcase_add_test(tc, it_shows_of_other_threads_what_they_had_by_then);
    tcase_add_test(tc, a_thread_that_goes_on_is_shown_as_it_was_at_the_end_of_the_epoch);
    tcase_add_test(tc, a_report_of_10000_actions_takes_less_than_8_mib);
    tcase_add_test(tc, ten_thousand_actions_of_21_calls_take_less_than_10_mib);
    tcase_add_test(tc, epochs_of_many_actions_take_no_more_memory_while_a_sink_hangs);
    tcase_add_test(tc, a_replay_drops_no_epoch_of_a_burst);
}
