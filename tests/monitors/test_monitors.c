/* SPDX-License-Identifier: MIT */
/* Monitors as a configuration has them: when they are sampled, what sinks get, what goes wrong. */
#include "tests/support/df.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/monitor.h>
#include <stepwatch/replay.h>
#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- a sink that writes down samples --------------------------------------------------------- */

static char
    got[8192]; /* "NAME=VALUE by origin", a line each, and an empty line after each record */
static int64_t got_step;                                 /* that of the newest record */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of it, while the run lasts */

static int keep(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)err;
    pthread_mutex_lock(&lock);
    size_t used = strlen(got);
    got_step = record->step;
    for (size_t i = 0; i < record->metrics.count && used < sizeof got; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        used += (size_t)snprintf(got + used, sizeof got - used, "%s=%g by %d\n", metric->name,
                                 metric->value, (int)metric->by);
    }
    if (record->metrics.count && used < sizeof got)
        snprintf(got + used, sizeof got - used, "\n");
    pthread_mutex_unlock(&lock);
    return 0;
}

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Waits until a text is there; the test ends without it. */
static void wait_for(const char *in, const char *text)
{
    bool there = false;
    for (int i = 0; i < 3000 && !there; i++) {
        pthread_mutex_lock(&lock);
        there = strstr(in, text);
        pthread_mutex_unlock(&lock);
        wait_a_little();
    }
}

static const struct sw_sink_plugin sees_samples = {
    SW_SINK_HEADER,         .name = "sees_samples",
    .version = "1",         .license = "MIT",
    .summary = "for tests", .wants = SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_MONITOR),
    .record = keep,
};

static const struct sw_sink_plugin sees_metrics = {
    SW_SINK_HEADER,   .name = "sees_metrics", .version = "1",
    .license = "MIT", .summary = "for tests", .wants = SW_WANT(SW_RECORD_METRICS),
    .record = keep,
};

/* In place of the one that is there without `show_report: false`. */
static const struct sw_sink_plugin table = {
    SW_SINK_HEADER,   .name = "table",        .version = "1",
    .license = "MIT", .summary = "for tests", .wants = SW_WANT(SW_RECORD_END),
    .record = keep,
};

/* ---- monitors -------------------------------------------------------------------------------- */

struct toy {
    int64_t factor;
    int64_t interval_ns;
    struct sw_monitor *monitor;
    int64_t samples;
};

static atomic_int opened, sampled, closed, lasts;
static atomic_bool stuck, go_on;

static const struct sw_option toy_options[] = {
    {.name = "factor",
     .type = SW_OPTION_INT,
     .offset = offsetof(struct toy, factor),
     .fallback = "1",
     .min = 1,
     .max = 100,
     .help = "what each value is multiplied by"},
    SW_MONITOR_INTERVAL(struct toy, interval_ns),
    {.name = NULL},
};

static int toy_open(void *state, struct sw_monitor *monitor, struct sw_error *err)
{
    (void)err;
    ((struct toy *)state)->monitor = monitor;
    atomic_fetch_add(&opened, 1);
    return 0;
}

static int toy_sample(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    struct toy *toy = state;
    (void)err;
    atomic_fetch_add(&sampled, 1);
    sw_monitor_value(toy->monitor, "toy/samples", (double)(++toy->samples * toy->factor));
    if (sample->last)
        atomic_fetch_add(&lasts, 1);
    return 0;
}

/* 100 W. */
static int burn(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    struct toy *toy = state;
    (void)err;
    if (!toy->samples)
        toy->samples = sample->time_ns;
    sw_monitor_energy(toy->monitor, (double)(sample->time_ns - toy->samples) * 1e-7);
    return 0;
}

static int toy_close(void *state, struct sw_error *err)
{
    (void)state;
    (void)err;
    atomic_fetch_add(&closed, 1);
    return 0;
}

static int refuse(void *state, struct sw_monitor *monitor, struct sw_error *err)
{
    (void)state;
    (void)monitor;
    return sw_error_set(err, SW_EIO, "the device is asleep");
}

static int fail_always(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    (void)state;
    (void)sample;
    return sw_error_set(err, SW_EIO, "it cannot be read");
}

static int hang(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    (void)state;
    (void)sample;
    (void)err;
    atomic_store(&stuck, true);
    while (!atomic_load(&go_on))
        nanosleep(&nap, NULL);
    return 0;
}

#define MONITOR(name_, ...)                                                                        \
    {                                                                                              \
        SW_MONITOR_HEADER, .name = name_, .version = "1", .license = "MIT",                        \
                           .summary = "for tests", .options = toy_options,                         \
                           .state_size = sizeof(struct toy), __VA_ARGS__                           \
    }

static const struct sw_monitor_plugin monitors[] = {
    MONITOR("toy", .open = toy_open, .sample = toy_sample, .close = toy_close),
    MONITOR("other", .open = toy_open, .sample = toy_sample, .close = toy_close),
    MONITOR("burning", .open = toy_open, .sample = burn),
    MONITOR("asleep", .open = refuse, .sample = toy_sample),
    MONITOR("failing", .sample = fail_always),
    MONITOR("hanging", .sample = hang),
};

/* ---- a run ----------------------------------------------------------------------------------- */

static char said[4096];

static void message(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    pthread_mutex_lock(&lock);
    size_t used = strlen(said);
    snprintf(said + used, sizeof said - used, "%s\n", text);
    pthread_mutex_unlock(&lock);
}

static void all_register(void)
{
    struct sw_error err;
    ck_assert_int_eq(sw_sink_register(&sees_samples, NULL, &err), 0);
    ck_assert_int_eq(sw_sink_register(&sees_metrics, NULL, &err), 0);
    ck_assert_int_eq(sw_sink_register(&table, NULL, &err), 0);
    for (size_t i = 0; i < sizeof monitors / sizeof *monitors; i++)
        ck_assert_int_eq(sw_monitor_register(&monitors[i], NULL, &err), 0);
    unsetenv("STEPWATCH_PLUGIN_PATH");
}

/* By options, so that the first message comes here, too. */
static struct sw_profiler *opened_with(const char *sink, const char *yaml)
{
    struct sw_error err = {0};
    struct sw_options options;
    scratch_enter();
    all_register();
    FILE *file = fopen("stepwatch.yaml", "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file,
            "profiler: { show_report: false, signals: false, close_timeout: 2s }\n"
            "logger_callback: %s\n%s\n",
            sink, yaml);
    fclose(file);
    sw_options_init(&options);
    options.file = "stepwatch.yaml";
    options.messages = message;
    struct sw_profiler *sw = sw_open_options(&options, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    return sw;
}

static void closes(struct sw_profiler *sw)
{
    struct sw_error err = {0};
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
}

/* What sw_open() says of a configuration, without the first part of each line. */
static const char *mistakes(const char *yaml)
{
    static char text[4096];
    struct sw_error err = {0};
    all_register();
    ck_assert_ptr_null(sw_open_text(yaml, &err));
    ck_assert_int_eq(err.code, SW_ECONFIG);
    snprintf(text, sizeof text, "%s", sw_error_text(&err));
    sw_error_free(&err);
    return text;
}

/* ---- when, and what -------------------------------------------------------------------------- */

START_TEST(a_short_run_has_a_first_sample_and_a_last_one)
{
    closes(opened_with("sees_samples", "monitors: [toy]"));
    ck_assert_str_eq(got, "toy/samples=1 by 2\n\ntoy/samples=2 by 2\n\n");
    ck_assert_int_eq(opened, 1);
    ck_assert_int_eq(closed, 1);
    ck_assert_int_eq(lasts, 1);
}
END_TEST

/* It waits a tenth of a second, in case the program replays a run. */
START_TEST(the_first_sample_has_the_step_at_which_it_was_taken)
{
    struct sw_profiler *sw = opened_with("sees_samples", "monitors: { toy: { interval: 1h } }");
    while (!atomic_load(&sampled))
        wait_a_little();
    for (int i = 0; i < 50; i++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    wait_for(got, "toy/samples=1");
    ck_assert_int_eq(got_step, 0);
    closes(sw);
    ck_assert_int_eq(got_step, 49);
}
END_TEST

START_TEST(each_monitor_is_sampled_at_its_interval)
{
    struct sw_profiler *sw =
        opened_with("sees_samples", "monitors: { interval: 1h, toy: { interval: 100ms }, other: }");
    wait_for(got, "toy/samples=4");
    closes(sw);
    /* Both at once, toy alone some times, both at the end. */
    ck_assert_ptr_nonnull(strstr(got,
                                 "toy/samples=1 by 2\ntoy/samples=1 by 2\n\ntoy/samples=2 by 2\n\n"
                                 "toy/samples=3 by 2\n\n"));
    ck_assert_int_eq(lasts, 2);
}
END_TEST

START_TEST(a_sink_that_knows_no_samples_gets_none)
{
    struct sw_profiler *sw = opened_with("sees_metrics", "monitors: toy");
    sw_log(sw, "loss", 3);
    closes(sw);
    ck_assert_str_eq(got, "loss=3 by 0\n\n");
}
END_TEST

START_TEST(a_replayed_run_has_nothing_of_this_machine)
{
    struct sw_profiler *sw = opened_with("sees_samples", "monitors: toy");
    sw_set_start(sw, 1767225600);
    closes(sw);
    ck_assert_str_eq(got, "");
}
END_TEST

START_TEST(a_program_logs_samples_of_its_own)
{
    static const char *const names[] = {"room/celsius", "room/lux", NULL};
    struct sw_profiler *sw = opened_with("sees_samples", "");
    sw_log_sample(sw, names, (const double[]){21.5, 300, 0}, 3);
    sw_log_sample(NULL, names, (const double[]){1, 2}, 2);
    closes(sw);
    ck_assert_str_eq(got, "room/celsius=21.5 by 2\nroom/lux=300 by 2\n\n");
}
END_TEST

static double joules, fit_ns;
static int64_t samples;

static int report_keep(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)err;
    joules = record->report->accounting.joules;
    fit_ns = record->report->fit_ns;
    samples = record->report->overall_train.samples;
    return 0;
}

static const struct sw_sink_plugin sees_reports = {
    SW_SINK_HEADER,        .name = "sees_reports", .version = "1",
    .license = "MIT",      .summary = "for tests", .wants = SW_WANT(SW_RECORD_REPORT),
    .record = report_keep,
};

START_TEST(the_report_of_a_fit_has_the_energy_that_it_took)
{
    const struct timespec nap = {.tv_nsec = 30000000};
    struct sw_error err;
    ck_assert_int_eq(sw_sink_register(&sees_reports, NULL, &err), 0);
    struct sw_profiler *sw = opened_with("sees_reports", "monitors: burning");
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        nanosleep(&nap, NULL);
        sw_end_batch(sw, 8);
    }
    sw_end(sw, SW_FIT);
    closes(sw);
    ck_assert_int_eq(samples, 24);
    ck_assert_double_gt(fit_ns, 9e7);
    /* The clocks of readings and of regions are read one after the other, on a busy machine. */
    ck_assert_double_gt(joules, 0.3 * fit_ns * 1e-7);
    ck_assert_double_lt(joules, 3 * fit_ns * 1e-7);
}
END_TEST

/* ---- what goes wrong ------------------------------------------------------------------------- */

START_TEST(a_monitor_that_cannot_be_opened_leaves_the_others_alone)
{
    closes(opened_with("sees_samples", "monitors: [asleep, toy]"));
    ck_assert_str_eq(got, "toy/samples=1 by 2\n\ntoy/samples=2 by 2\n\n");
    ck_assert_str_eq(said, "monitor asleep: the device is asleep; the run continues without this "
                           "monitor\n");
}
END_TEST

START_TEST(ten_failures_in_a_row_end_a_monitor)
{
    struct sw_profiler *sw =
        opened_with("sees_samples", "monitors: { failing: { interval: 100ms } }");
    wait_for(said, "gave up");
    closes(sw);
    ck_assert_str_eq(said, "monitor failing: it cannot be read\n"
                           "monitor failing: gave up after 10 failures in a row; the run continues "
                           "without it\n");
}
END_TEST

START_TEST(a_monitor_that_hangs_is_left_alone_and_named)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    struct sw_error err = {0};
    struct sw_profiler *sw = opened_with("sees_samples", "monitors: [toy, hanging]");
    for (int i = 0; i < 10000 && !atomic_load(&stuck); i++)
        nanosleep(&nap, NULL);
    sw_log(sw, "loss", 3);
    ck_assert_int_eq(sw_flush(sw, 60000000000), 0);
    ck_assert_int_eq(sw_close(sw, &err), SW_ETIME);
    ck_assert_str_eq(sw_error_text(&err),
                     "monitor hanging: did not finish in time and was left alone");
    ck_assert_str_eq(got, "loss=3 by 0\n\n");
    atomic_store(&go_on, true);
    sw_error_free(&err);
}
END_TEST

START_TEST(mistakes_are_told_with_their_place)
{
    static const struct {
        const char *yaml, *expected;
    } cases[] = {
        {"monitors: [toy, toy]\n",
         "configuration:1:17: monitors: toy is given twice; first at 1:12"},
        {"monitors:\n  - toy: { factr: 2 }\n",
         "configuration:2:12: monitor toy: unknown option \"factr\"; did you mean factor? It has: "
         "factor, interval"},
        {"monitors: { toy: { factor: 101 } }\n",
         "configuration:1:28: monitor toy: factor: 101 is not within 1..100"},
        {"monitors: { toy: 0 }\n",
         "configuration:1:18: monitor toy: factor: 0 is not within 1..100"},
        {"monitors: { toy: {}, interval: 1 }\n", NULL},
        {"monitors: { interval: [1s], toy: {} }\n",
         "configuration:1:23: monitors: interval: found a list, expected a duration, like 15s"},
        {"monitors: { what: { toy: 1 } }\n",
         "configuration:1:19: monitors: what: found a mapping, expected a list of monitors, like "
         "[system, gpu]"},
        {"monitors: [[toy]]\n",
         "configuration:1:12: monitors: found a list, expected the name of a "
         "monitor, or name: {options}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].expected)
            ck_assert_str_eq(mistakes(cases[i].yaml), cases[i].expected);
        else
            ck_assert_ptr_nonnull(strstr(mistakes(cases[i].yaml), "monitor toy: interval: 1 "));
    ck_assert_ptr_nonnull(strstr(mistakes("monitors: [tyo]\n"),
                                 "1:12: monitor tyo was not found; did you mean toy? Tried "));
}
END_TEST

/* ---- the plugins of the tree ----------------------------------------------------------------- */

static char *printed(const char *yaml)
{
    struct sw_error err = {0};
    char *text = NULL;
    FILE *file = fopen("stepwatch.yaml", "w");
    ck_assert_ptr_nonnull(file);
    fputs(yaml, file);
    fclose(file);
    ck_assert_msg(sw_config_print("stepwatch.yaml", &text, &err) == 0, "%s", sw_error_text(&err));
    return text;
}

START_TEST(all_forms_of_the_key_mean_the_same)
{
    static const char *const forms[] = {
        "monitors: true\n",
        "monitors: [system, gpu, rapl]\n",
        "monitors: [process, system, nvml, energy]\n",
        "monitors: { what: [process, system, gpu, energy], interval: 15s }\n",
        "monitors: { system: , gpu: visible, rapl: { interval: 15s } }\n",
    };
    scratch_enter();
    setenv("STEPWATCH_PLUGIN_PATH", BUILDDIR "/sinks/.libs", 1);
    char *first = printed(forms[0]);
    const char *gpu = strstr(first, "  - gpu:\n"), *rapl = strstr(first, "  - rapl:\n");
    ck_assert_ptr_nonnull(strstr(first, "monitors:\n  - system:\n      what: [process, system]\n"
                                        "      interval: 15s\n"));
    ck_assert(gpu && rapl);
    for (size_t i = 1; i < sizeof forms / sizeof *forms; i++) {
        char *text = printed(forms[i]);
        /* The order may differ. */
        ck_assert_uint_eq(strlen(text), strlen(first));
        ck_assert_ptr_nonnull(strstr(text, "  - gpu:\n      devices: [visible]\n"));
        free(text);
    }
    free(first);
    char *some = printed("monitors: { gpu: [0, 1], process: }\n");
    ck_assert_ptr_nonnull(strstr(some, "      devices: [\"0\", \"1\"]\n"));
    ck_assert_ptr_nonnull(strstr(some, "      what: [process]\n"));
    free(some);
}
END_TEST

START_TEST(the_monitors_of_the_tree_are_found_and_sinks_are_not_among_them)
{
    struct sw_monitors *found;
    struct sw_sinks *sinks;
    struct sw_error err;
    int known = 0;
    setenv("STEPWATCH_PLUGIN_PATH", BUILDDIR "/sinks/.libs", 1);
    ck_assert_int_gt(sw_monitors_find("/dev/null", &found, &err), 0);
    for (size_t i = 0; i < found->count; i++) {
        const char *name = found->item[i].name;
        ck_assert_str_ne(name, "table");
        known +=
            strcmp(name, "system") == 0 || strcmp(name, "gpu") == 0 || strcmp(name, "rapl") == 0;
    }
    ck_assert_int_ge(known, 3);
    sw_monitors_free(found);
    ck_assert_int_gt(sw_sinks_find("/dev/null", &sinks, &err), 0);
    for (size_t i = 0; i < sinks->count; i++)
        ck_assert_str_ne(sinks->item[i].name, "system");
    sw_sinks_free(sinks);
}
END_TEST

START_TEST(the_real_monitors_sample_this_machine)
{
    struct sw_error err = {0};
    setenv("STEPWATCH_PLUGIN_PATH", BUILDDIR "/sinks/.libs", 1);
    ck_assert_int_eq(sw_sink_register(&sees_samples, NULL, &err), 0);
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false, signals: false }\n"
                                          "logger_callback: sees_samples\nmonitors: true\n",
                                          &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL); /* rates are of a real time */
    closes(sw);
    ck_assert_ptr_nonnull(strstr(got, "process/rss_bytes="));
    ck_assert_ptr_nonnull(strstr(got, "process/cpus_available="));
    ck_assert_ptr_nonnull(strstr(got, "process/cpu_percent="));
    ck_assert_ptr_nonnull(strstr(got, "system/memory_total_bytes="));
    const char *percent = strstr(got, "system/filesystem///used_percent=");
    ck_assert_ptr_nonnull(percent);
    ck_assert_double_eq_tol(atof(strchr(percent, '=') + 1), df_used_percent(), 1.5);
}
END_TEST

START_TEST(a_file_system_is_measured_below_the_home_folder_or_named)
{
    setenv("HOME", "/", 1);
    struct sw_profiler *sw =
        opened_with("sees_samples", "monitors: { system: { filesystems: [~/tmp, ~/none] } }\n"
                                    "plugin_path: " BUILDDIR "/sinks/.libs");
    closes(sw);
    ck_assert_msg(strstr(got, "system/filesystem//tmp/used_percent=") != NULL, "%s", got);
    ck_assert_msg(strstr(said, "filesystems: /none cannot be measured: No such file or directory"),
                  "%s", said);
}
END_TEST

/* ---- a sink that asks for a monitor ---------------------------------------------------------- */

struct asking {
    struct sw_sink *sink;
};

static int64_t asked_interval_ns;

/* A sample as keep() writes it, or "none". */
static void ask(const struct asking *asking)
{
    SW_ERROR_SCOPE(ignored);
    const struct sw_record *sample = sw_sink_sample(asking->sink, asked_interval_ns);
    if (sample) {
        keep(NULL, sample, &ignored);
        return;
    }
    pthread_mutex_lock(&lock);
    strcat(got, "none\n");
    pthread_mutex_unlock(&lock);
}

static int asking_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct asking *asking = state;
    (void)err;
    asking->sink = sink;
    ask(asking);
    return 0;
}

static int asking_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)err;
    if (sw_record_metric(record, 0)->by == SW_BY_USER)
        ask(state);
    else
        keep(NULL, record, err);
    return 0;
}

#define ASKING(name_, monitor_)                                                                    \
    {                                                                                              \
        SW_SINK_HEADER, .name = name_, .version = "1", .license = "MIT", .summary = "for tests",   \
                        .wants = SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_MONITOR),          \
                        .state_size = sizeof(struct asking), .open = asking_open,                  \
                        .record = asking_record, .monitor = monitor_                               \
    }

static const struct sw_sink_plugin askers[] = {
    ASKING("asks", "toy"),
    ASKING("asks_the_sleeper", "asleep"),
    ASKING("asks_nobody", "nowhere"),
};

/* Asks when it is opened, and at each of two values. */
static void run_asking(const char *sink, const char *yaml, int64_t interval_ns, bool replayed)
{
    struct sw_error err = {0};
    asked_interval_ns = interval_ns;
    for (size_t i = 0; i < sizeof askers / sizeof *askers; i++)
        ck_assert_int_eq(sw_sink_register(&askers[i], NULL, &err), 0);
    struct sw_profiler *sw = opened_with(sink, yaml);
    if (replayed)
        sw_set_start(sw, 1767225600);
    sw_log(sw, "loss", 1);
    sw_log(sw, "loss", 2);
    closes(sw);
}

START_TEST(a_sink_samples_a_monitor_that_the_configuration_does_not_have)
{
    run_asking("asks", "", 0, false);
    ck_assert_str_eq(got, "toy/samples=1 by 2\n\ntoy/samples=2 by 2\n\ntoy/samples=3 by 2\n\n");
    ck_assert_int_eq(opened, 1);
    ck_assert_int_eq(closed, 1);
    ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_sink_gets_no_sample_before_its_interval_has_passed)
{
    run_asking("asks", "", INT64_C(3600000000000), false);
    ck_assert_str_eq(got, "toy/samples=1 by 2\n\nnone\nnone\n");
}
END_TEST

START_TEST(samples_for_a_sink_go_to_no_other)
{
    run_asking("[sees_samples, asks]", "", 0, false);
    ck_assert_ptr_nonnull(strstr(got, "loss=1 by 0"));
    ck_assert_int_eq(sampled, 3);
    ck_assert_ptr_null(strstr(strstr(got, "toy/samples=3") + 1, "toy/samples=3"));
}
END_TEST

START_TEST(each_sink_has_a_monitor_of_its_own)
{
    run_asking("[asks, asks]", "", 0, false);
    ck_assert_int_eq(opened, 2);
    ck_assert_int_eq(sampled, 6);
    ck_assert_int_eq(closed, 2);
}
END_TEST

START_TEST(samples_of_a_monitor_that_is_configured_come_only_as_records)
{
    run_asking("asks", "monitors: { toy: { factor: 10 } }", 0, false);
    ck_assert_int_eq(opened, 1);
    ck_assert_ptr_nonnull(strstr(got, "none\n"));
    ck_assert_ptr_nonnull(strstr(got, "toy/samples=10 by 2\n\n"));
    ck_assert_ptr_null(strstr(got, "toy/samples=1 "));
}
END_TEST

START_TEST(a_sink_gets_no_samples_for_a_replayed_run)
{
    run_asking("asks", "", 0, true);
    ck_assert_str_eq(got, "none\nnone\nnone\n");
    ck_assert_int_eq(opened, 0);
}
END_TEST

START_TEST(a_sink_goes_on_without_its_monitor)
{
    run_asking("[asks_the_sleeper, asks_nobody]", "", 0, false);
    ck_assert_str_eq(got, "none\nnone\nnone\nnone\nnone\nnone\n");
    ck_assert_msg(strstr(said, "monitor asleep: the device is asleep; the run continues without "
                               "this monitor"),
                  "%s", said);
    ck_assert_msg(strstr(said, "sink asks_nobody: monitor nowhere was not found; tried "), "%s",
                  said);
    ck_assert_msg(strstr(said, "; the sink has no samples of it"), "%s", said);
}
END_TEST

SUITE(monitors)
{
    tcase_add_test(tc, a_sink_samples_a_monitor_that_the_configuration_does_not_have);
    tcase_add_test(tc, a_sink_gets_no_sample_before_its_interval_has_passed);
    tcase_add_test(tc, samples_for_a_sink_go_to_no_other);
    tcase_add_test(tc, each_sink_has_a_monitor_of_its_own);
    tcase_add_test(tc, samples_of_a_monitor_that_is_configured_come_only_as_records);
    tcase_add_test(tc, a_sink_gets_no_samples_for_a_replayed_run);
    tcase_add_test(tc, a_sink_goes_on_without_its_monitor);
    tcase_add_test(tc, a_file_system_is_measured_below_the_home_folder_or_named);
    tcase_add_test(tc, a_short_run_has_a_first_sample_and_a_last_one);
    tcase_add_test(tc, the_first_sample_has_the_step_at_which_it_was_taken);
    tcase_add_test(tc, each_monitor_is_sampled_at_its_interval);
    tcase_add_test(tc, a_sink_that_knows_no_samples_gets_none);
    tcase_add_test(tc, a_replayed_run_has_nothing_of_this_machine);
    tcase_add_test(tc, a_program_logs_samples_of_its_own);
    tcase_add_test(tc, the_report_of_a_fit_has_the_energy_that_it_took);
    tcase_add_test(tc, a_monitor_that_cannot_be_opened_leaves_the_others_alone);
    tcase_add_test(tc, ten_failures_in_a_row_end_a_monitor);
    tcase_add_test(tc, a_monitor_that_hangs_is_left_alone_and_named);
    tcase_add_test(tc, mistakes_are_told_with_their_place);
    tcase_add_test(tc, all_forms_of_the_key_mean_the_same);
    tcase_add_test(tc, the_monitors_of_the_tree_are_found_and_sinks_are_not_among_them);
    tcase_add_test(tc, the_real_monitors_sample_this_machine);
}
