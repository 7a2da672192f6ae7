/* SPDX-License-Identifier: MIT */
/* What reaches a sink, and what a sink that misbehaves does not do to the loop and the others. */
#include "tests/support/suite.h"
#include "tests/support/unruly.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLUGINS BUILDDIR "/tests/plugins/.libs"

static struct sw_error err;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void log_values(struct sw_profiler *sw, int from, int to)
{
    for (int i = from; i < to; i++)
        sw_log(sw, "loss", i);
}

static int count(const struct unruly_log *log, enum sw_record_type type)
{
    int n = 0;
    for (int i = 0; i < log->records; i++)
        n += log->type[i] == type;
    return n;
}

/* The values of all records of a type, "1 2 3". */
static const char *values(const struct unruly_log *log, enum sw_record_type type)
{
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < log->records; i++)
        if (log->type[i] == type)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%g", used ? " " : "",
                                     log->value[i]);
    return text;
}

/* ---- what arrives ---------------------------------------------------------------------------- */

START_TEST(the_run_comes_first_and_the_end_last)
{
    struct sw_profiler *sw = unruly_open("unruly");
    sw_hparam_int(sw, "seed", 7);
    sw_log(sw, "loss", 1);
    ck_assert_int_eq(sw_close(sw, &err), 0);

    ck_assert_int_eq(unruly.records, 4);
    ck_assert_int_eq(unruly.type[0], SW_RECORD_RUN);
    ck_assert_int_eq(unruly.type[1], SW_RECORD_HPARAM);
    ck_assert_int_eq(unruly.type[2], SW_RECORD_METRICS);
    ck_assert_int_eq(unruly.type[3], SW_RECORD_END);
    ck_assert_int_eq(unruly.closed, 1);
    ck_assert_str_eq(unruly.thread, "sw-unruly");
    ck_assert_str_eq(unruly_messages(), "");
}
END_TEST

START_TEST(a_sink_that_keeps_up_gets_everything_in_order)
{
    enum { VALUES = 3000 };
    struct sw_profiler *sw = unruly_open("listener");
    log_values(sw, 0, VALUES);
    ck_assert_int_eq(sw_close(sw, &err), 0);

    ck_assert_int_eq(count(&listener, SW_RECORD_METRICS), VALUES);
    for (int i = 0; i < VALUES; i++)
        ck_assert_double_eq(listener.value[i + 1], i);
}
END_TEST

START_TEST(a_sink_gets_no_kind_that_it_declined_at_open)
{
    struct sw_profiler *sw = unruly_open("unruly: { narrow: true }");
    log_values(sw, 0, 5);
    sw_hparam_int(sw, "seed", 7);
    ck_assert_int_eq(sw_close(sw, &err), 0);

    ck_assert_int_eq(unruly.records, 2);
    ck_assert_int_eq(unruly.type[0], SW_RECORD_HPARAM);
    ck_assert_int_eq(unruly.type[1], SW_RECORD_END);
}
END_TEST

START_TEST(a_plugin_that_is_named_twice_is_two_sinks)
{
    struct sw_profiler *sw = unruly_open("unruly, unruly: { fail: open }");
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    ck_assert_str_eq(sw_error_text(&err), "sink unruly-2: the moon is full; 1 record missed");
    ck_assert_int_eq(unruly.opened, 2);
    ck_assert_int_eq(unruly.closed, 1);
}
END_TEST

START_TEST(a_flush_waits_for_what_was_handed_over)
{
    struct sw_profiler *sw = unruly_open("unruly, listener");
    log_values(sw, 0, 5);
    ck_assert_int_eq(sw_flush(sw, INT64_C(20000000000)), 0);
    ck_assert_int_eq(count(&unruly, SW_RECORD_METRICS), 5);
    ck_assert_int_eq(count(&listener, SW_RECORD_METRICS), 5);
    ck_assert_int_eq(unruly.flushed, 1);
    sw_close(sw, &err);
}
END_TEST

START_TEST(a_flush_gives_up_on_a_sink_that_hangs_and_nothing_is_lost_by_that)
{
    struct sw_profiler *sw = unruly_open("unruly: { block: record }, listener");
    log_values(sw, 0, 5);
    ck_assert_int_eq(sw_flush(sw, 50000000), SW_ETIME);
    unruly_release();
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_int_eq(count(&unruly, SW_RECORD_METRICS), 5);
}
END_TEST

START_TEST(a_sink_is_flushed_about_once_a_second_also_when_idle)
{
    struct sw_profiler *sw = unruly_open("unruly");
    sw_log(sw, "loss", 1);
    unruly_wait(&unruly.flushed, 2);
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

START_TEST(a_sink_may_stop_the_run)
{
    struct sw_profiler *sw = unruly_open("unruly: { stop: true }");
    unruly_wait(&unruly.opened, 1);
    ck_assert(sw_should_stop(sw));
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

/* ---- queues that are full -------------------------------------------------------------------- */

/* Blocks the sink in its first record, fills its queue of 8 with 20 metrics and 20 hyper-parameters
 * in turn. */
static struct sw_profiler *overfill(const char *sink)
{
    char sinks[128];
    snprintf(sinks, sizeof sinks, "%s: { block: record, at: 0 }, listener", sink);
    struct sw_profiler *sw = unruly_open(sinks);
    unruly_wait(&unruly.records, 1);
    for (int i = 0; i < 20; i++) {
        sw_log(sw, "loss", i);
        sw_hparam_int(sw, "seed", i);
    }
    return sw;
}

static void expect_rest_complete(void)
{
    ck_assert_str_eq(values(&unruly, SW_RECORD_HPARAM),
                     "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19");
    ck_assert_int_eq(count(&unruly, SW_RECORD_END), 1);
    ck_assert_int_eq(unruly.type[unruly.records - 1], SW_RECORD_END);
    ck_assert_int_eq(count(&listener, SW_RECORD_METRICS), 20);
}

START_TEST(a_full_queue_keeps_what_came_first_and_all_that_must_arrive)
{
    struct sw_profiler *sw = overfill("unruly");
    unruly_release();
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);

    ck_assert_str_eq(sw_error_text(&err),
                     "sink unruly: 12 records dropped because the sink was too slow (12 "
                     "metrics, 0 steps, 0 regions)");
    ck_assert_str_eq(values(&unruly, SW_RECORD_METRICS), "0 1 2 3 4 5 6 7");
    expect_rest_complete();
}
END_TEST

START_TEST(a_full_queue_keeps_the_newest_where_the_sink_wants_that)
{
    struct sw_profiler *sw = overfill("unruly_newest");
    unruly_release();
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);

    ck_assert_str_eq(sw_error_text(&err),
                     "sink unruly_newest: 12 records dropped because the sink was too slow (12 "
                     "metrics, 0 steps, 0 regions)");
    ck_assert_str_eq(values(&unruly, SW_RECORD_METRICS), "12 13 14 15 16 17 18 19");
    expect_rest_complete();
}
END_TEST

START_TEST(what_is_left_of_a_full_queue_arrives_in_order)
{
    struct sw_profiler *sw = overfill("unruly");
    unruly_release();
    sw_close(sw, &err);
    ck_assert_int_eq(unruly.type[0], SW_RECORD_RUN);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(unruly.type[1 + 2 * i], SW_RECORD_METRICS);
        ck_assert_int_eq(unruly.type[2 + 2 * i], SW_RECORD_HPARAM);
    }
}
END_TEST

/* The dispatcher sleeps when the burst comes. */
START_TEST(a_burst_after_a_pause_goes_through_a_small_queue_whole)
{
    enum { VALUES = 200 };
    struct sw_profiler *sw = unruly_open("unruly");
    sw_log(sw, "loss", 0);
    unruly_wait(&unruly.records, 2);
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    log_values(sw, 0, VALUES);
    unruly_wait(&unruly.records, 2 + VALUES);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    for (int i = 0; i < VALUES; i++)
        ck_assert_double_eq(unruly.value[2 + i], i);
}
END_TEST

START_TEST(the_loop_does_not_wait_for_a_sink_that_hangs)
{
    enum { VALUES = 100000 };
    struct sw_profiler *sw = unruly_open("unruly: { block: record }");
    unruly_wait(&unruly.records, 1);
    double begin = seconds();
    log_values(sw, 0, VALUES);
    ck_assert_double_lt((seconds() - begin) / VALUES, 100e-6);
    unruly_release();
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------- */

/* Runs both sinks with five metrics; the listener must have got everything. */
static void run_with(const char *sink, int rc)
{
    char sinks[256];
    snprintf(sinks, sizeof sinks, "%s, listener", sink);
    struct sw_profiler *sw = unruly_open(sinks);
    log_values(sw, 0, 5);
    ck_assert_int_eq(sw_close(sw, &err), rc);
    ck_assert_int_eq(count(&listener, SW_RECORD_METRICS), 5);
    ck_assert_int_eq(listener.type[listener.records - 1], SW_RECORD_END);
    ck_assert_int_eq(listener.closed, 1);
}

#define NOT_OWN "a file that this sink did not get from sw_sink_create(), or has finished"

static const struct {
    const char *options;
    const char *said;
    const char *summary;
    int closed;
} failing[] = {
    {"fail: open", "error: sink unruly: the moon is full; the run continues without this sink\n",
     "sink unruly: the moon is full; 6 records missed", 0},
    {"fail: record, at: 2", "error: sink unruly: the moon is full\n",
     "sink unruly: 1 of 7 records failed: first error: the moon is full", 1},
    {"fail: record", "error: sink unruly: the moon is full\n",
     "sink unruly: 7 of 7 records failed: first error: the moon is full", 1},
    {"fail: flush", "error: sink unruly: the moon is full\n", "sink unruly: the moon is full", 1},
    {"fail: close", "error: sink unruly: the moon is full\n", "sink unruly: the moon is full", 1},
    {"fail: open, error: \"\"",
     "error: sink unruly: opening it failed, and the sink gave no reason; the run continues "
     "without this sink\n",
     "sink unruly: opening it failed, and the sink gave no reason; 6 records missed", 0},
    {"fail: record, at: 2, error: write", "error: sink unruly: " NOT_OWN "\n",
     "sink unruly: 1 of 7 records failed: first error: " NOT_OWN, 1},
    {"fail: close, error: finish", "error: sink unruly: " NOT_OWN "\n", "sink unruly: " NOT_OWN, 1},
    {"fail: close, error: \"\\e[2Jgone\\n\\u202eHa\"",
     "error: sink unruly: \\x1b[2Jgone\\x0a\\u{202e}Ha\n",
     "sink unruly: \\x1b[2Jgone\\x0a\\u{202e}Ha", 1},
};

START_TEST(a_failure_is_reported_once_and_summed_up_at_close)
{
    char sink[128];
    snprintf(sink, sizeof sink, "unruly: { %s }", failing[_i].options);
    run_with(sink, SW_ESINK);
    ck_assert_str_eq(unruly_messages(), failing[_i].said);
    ck_assert_str_eq(sw_error_text(&err), failing[_i].summary);
    ck_assert_int_eq(unruly.closed, failing[_i].closed);
}
END_TEST

/* The struct is as a caller may leave it: not initialised. */
START_TEST(a_service_that_an_older_core_lacks_says_so)
{
    const struct sw_sink_services older = {.size = offsetof(struct sw_sink_services, head)};
    struct sw_sink sink = {.size = sizeof sink, .services = &older};
    const void *bytes;
    size_t size;
    for (int i = 0; i < 3; i++) {
        struct sw_error failure;
        memset(&failure, 0xaa, sizeof failure);
        int rc = i == 0   ? sw_sink_write(&sink, stdout, "", 0, &failure)
                 : i == 1 ? sw_sink_finish(&sink, stdout, NULL, &failure)
                          : sw_sink_encode(&sink, NULL, &bytes, &size, &failure);
        ck_assert_int_eq(rc, SW_EINVAL);
        ck_assert_int_eq(failure.code, SW_EINVAL);
        ck_assert_str_eq(sw_error_text(&failure),
                         "this stepwatch is older than the sink and cannot do that");
    }
}
END_TEST

START_TEST(an_error_text_that_does_not_end_is_cut)
{
    run_with("unruly: { fail: close, error: garbage }", SW_ESINK);
    ck_assert_uint_lt(strlen(sw_error_text(&err)), 5120);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "\\x9b\\x9b"));
    ck_assert_ptr_null(strchr(sw_error_text(&err), (char)0x9b));
}
END_TEST

START_TEST(a_sink_that_always_fails_is_given_up)
{
    struct sw_profiler *sw = unruly_open("unruly_newest: { fail: record }, listener");
    for (int i = 0; i < 30; i++)
        sw_hparam_int(sw, "seed", i);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);

    ck_assert_int_eq(unruly.records, 10);
    ck_assert_int_eq(unruly.closed, 1);
    ck_assert_str_eq(unruly_messages(), "error: sink unruly_newest: the moon is full\n"
                                        "error: sink unruly_newest: gave up after 10 failures in a "
                                        "row; the run continues without it\n");
    ck_assert_str_eq(sw_error_text(&err),
                     "sink unruly_newest: 10 of 10 records failed: first error: the moon "
                     "is full; gave up after 10 failures in a row; 22 records missed");
    ck_assert_int_eq(count(&listener, SW_RECORD_HPARAM), 30);
}
END_TEST

/* ---- full disks ------------------------------------------------------------------------------ */

START_TEST(a_sink_whose_disk_is_full_at_the_start_gets_its_records_when_there_is_room)
{
    struct sw_profiler *sw = unruly_open("unruly: { full: 1, say: 1 }");
    for (int i = 0; i < 5; i++)
        sw_hparam_int(sw, "seed", i);
    ck_assert_int_eq(sw_close(sw, &err), 0);

    ck_assert_int_eq(unruly.opened, 2);
    ck_assert_int_eq(unruly.closed, 1);
    ck_assert_int_eq(count(&unruly, SW_RECORD_RUN), 1);
    ck_assert_str_eq(values(&unruly, SW_RECORD_HPARAM), "0 1 2 3 4");
    ck_assert_str_eq(unruly_messages(),
                     "note: sink unruly: message \\x1b[2J0\n"
                     "warning: sink unruly: out.txt: No space left on device; its records wait "
                     "until there is room\n"
                     "note: sink unruly: message \\x1b[2J0\n"
                     "note: sink unruly: there is room again: it gets the records that waited\n");
}
END_TEST

START_TEST(a_disk_that_is_full_until_the_end_is_a_failure)
{
    struct sw_profiler *sw = unruly_open("unruly: { full: 100 }, listener");
    for (int i = 0; i < 5; i++)
        sw_hparam_int(sw, "seed", i);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);

    ck_assert_int_eq(unruly.closed, 0);
    ck_assert_int_eq(unruly.records, 0);
    ck_assert_str_eq(sw_error_text(&err),
                     "sink unruly: out.txt: No space left on device; 6 records missed");
    ck_assert_int_eq(count(&listener, SW_RECORD_HPARAM), 5);
}
END_TEST

START_TEST(a_flush_does_not_wait_for_a_disk)
{
    struct sw_profiler *sw = unruly_open("unruly: { full: 100 }");
    sw_log(sw, "loss", 1);
    ck_assert_int_eq(sw_flush(sw, INT64_C(60000000000)), 0);
    ck_assert_int_eq(unruly.flushed, 0);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
}
END_TEST

/* ---- sinks that do not come back ------------------------------------------------------------- */

static const struct {
    const char *where;
    int64_t missing; /* of END, 5 metrics; RUN does not go through the queue */
} hanging[] = {{"open", 6}, {"record", 6}, {"close", 0}};

START_TEST(a_sink_that_hangs_is_left_alone_at_the_deadline_and_named)
{
    char sink[64], expected[256];
    snprintf(sink, sizeof sink, "unruly: { block: %s }", hanging[_i].where);
    double begin = seconds();
    run_with(sink, SW_ETIME);
    ck_assert_double_lt(seconds() - begin, 5);
    snprintf(expected, sizeof expected,
             "sink unruly: did not finish within close_timeout (0.2 s) and was left alone; %d "
             "records did not make it",
             (int)hanging[_i].missing);
    ck_assert_str_eq(sw_error_text(&err), expected);
    unruly_release();
}
END_TEST

START_TEST(a_sink_that_was_left_alone_says_nothing_more)
{
    struct sw_profiler *sw = unruly_open("unruly: { block: record, fail: record }");
    sw_log(sw, "loss", 1);
    ck_assert_int_eq(sw_close(sw, &err), SW_ETIME);
    unruly_release();
    unruly_wait(&unruly.closed, 1);
    ck_assert_int_eq(unruly_message_count, 0);
}
END_TEST

/* Four times close_timeout, in parts that are much shorter. */
static void crawl(struct sw_sink *sink)
{
    for (int i = 0; i < 80; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        sw_sink_progress(sink);
    }
}

static bool records_crawl;

static int crawling_close(void *state, struct sw_error *error)
{
    (void)error;
    if (!records_crawl)
        crawl(*(struct sw_sink **)state);
    return 0;
}

static int crawling_open(void *state, struct sw_sink *sink, struct sw_error *error)
{
    (void)error;
    *(struct sw_sink **)state = sink;
    return 0;
}

static int crawling_record(void *state, const struct sw_record *record, struct sw_error *error)
{
    (void)record;
    (void)error;
    if (records_crawl)
        crawl(*(struct sw_sink **)state);
    return 0;
}

static const struct sw_sink_plugin crawling = {SW_SINK_HEADER,
                                               .name = "crawling",
                                               .version = "1",
                                               .license = "MIT",
                                               .summary = "takes long to close, for tests",
                                               .wants = SW_WANT(SW_RECORD_END),
                                               .state_size = sizeof(struct sw_sink *),
                                               .open = crawling_open,
                                               .record = crawling_record,
                                               .close = crawling_close};

START_TEST(a_sink_that_gets_on_is_waited_for_and_one_that_hangs_is_not)
{
    ck_assert_int_eq(sw_sink_register(&crawling, NULL, &err), 0);
    struct sw_profiler *sw;
    for (int i = 0; i < 2; i++) {
        records_crawl = i;
        sw = unruly_open("crawling");
        ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
    }
    sw = unruly_open("crawling, unruly: { block: close }");
    ck_assert_int_eq(sw_close(sw, &err), SW_ETIME);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "sink unruly: did not finish"));
    ck_assert_ptr_null(strstr(sw_error_text(&err), "sink crawling"));
    unruly_release();
}
END_TEST

START_TEST(sinks_that_hang_share_one_deadline)
{
    struct sw_profiler *sw = unruly_open(
        "unruly: { block: close }, unruly: { block: close }, unruly: { block: open }, "
        "unruly: { block: record }, unruly: { block: close }, unruly: { block: close }, "
        "unruly: { block: open }, unruly: { block: record }");
    double begin = seconds();
    ck_assert_int_eq(sw_close(sw, &err), SW_ETIME);
    ck_assert_double_lt(seconds() - begin, 1.2); /* one after the other it would be 1.6 s */
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "sink unruly-8: did not finish"));
    unruly_release();
}
END_TEST

/* ---- messages -------------------------------------------------------------------------------- */

START_TEST(a_sink_that_floods_is_cut_off_and_its_escapes_are_shown)
{
    struct sw_profiler *sw = unruly_open("unruly: { say: 1000 }");
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    ck_assert_int_eq(unruly_message_count, 20);
    ck_assert_str_eq(sw_error_text(&err), "sink unruly: 980 messages left out");
    ck_assert_int_eq(strncmp(unruly_messages(), "note: sink unruly: message \\x1b[2J0\nnote: ", 40),
                     0);
}
END_TEST

/* ---- crashes --------------------------------------------------------------------------------- */

/* Opens in a child, so that it may die, and catches its stderr. Returns the child's status. */
static int child_with(const char *profiler, const char *plugin, char *output, size_t size)
{
    int out[2], status;
    ck_assert_int_eq(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
        char yaml[512];
        dup2(out[1], STDERR_FILENO);
        snprintf(yaml, sizeof yaml,
                 "profiler: { show_report: false%s }\nplugin_path: [ " PLUGINS
                 " ]\nlogger_callback: %s\n",
                 profiler, plugin);
        sw_close(sw_open_text(yaml, &err), &err);
        _exit(0);
    }
    close(out[1]);
    ssize_t n = read(out[0], output, size - 1);
    output[n > 0 ? n : 0] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    return status;
}

static bool faults_are_handled(void)
{
    struct sigaction action;
    return sigaction(SIGSEGV, NULL, &action) != 0 || action.sa_handler != SIG_DFL;
}

static const struct {
    const char *plugin;
    const char *signal_name;
    int signal;
} crashing[] = {
    {"crash_load", "SIGABRT", SIGABRT},
    {"crash_open", "SIGSEGV", SIGSEGV},
};

START_TEST(the_last_words_of_a_program_name_the_sink_that_crashed_it)
{
    char output[512], expected[128];
    if (faults_are_handled()) {
        puts("SKIP: a sanitizer handles faults by itself");
        return;
    }
    int status = child_with("", crashing[_i].plugin, output, sizeof output);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), crashing[_i].signal);
    snprintf(expected, sizeof expected,
             "stepwatch: error: sink %s crashed, which ends the program: %s\n", crashing[_i].plugin,
             crashing[_i].signal_name);
    ck_assert_str_eq(output, expected);
}
END_TEST

START_TEST(without_signals_a_crash_is_left_to_the_program)
{
    char output[512];
    if (faults_are_handled())
        return;
    int status = child_with(", signals: false", "crash_open", output, sizeof output);
    ck_assert_int_eq(WTERMSIG(status), SIGSEGV);
    ck_assert_str_eq(output, "");
}
END_TEST

START_TEST(a_closed_profiler_leaves_no_handler_behind)
{
    struct sigaction action;
    char yaml[] = "profiler: { show_report: false }\nlogger_callback: unruly\n";
    if (faults_are_handled())
        return;
    sw_close(unruly_open("unruly"), &err);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    sigaction(SIGSEGV, NULL, &action);
    ck_assert(action.sa_handler != SIG_DFL);
    sw_close(sw, &err);
    sigaction(SIGSEGV, NULL, &action);
    ck_assert(action.sa_handler == SIG_DFL);
}
END_TEST

static void own_fault_handler(int signal)
{
    (void)signal;
}

START_TEST(a_fault_handler_of_the_programs_own_stays)
{
    struct sigaction action;
    signal(SIGFPE, own_fault_handler);
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }", &err);
    sigaction(SIGFPE, NULL, &action);
    ck_assert(action.sa_handler == own_fault_handler);
    sw_close(sw, &err);
    sigaction(SIGFPE, NULL, &action);
    ck_assert(action.sa_handler == own_fault_handler);
}
END_TEST

START_TEST(faults_are_handled_until_the_last_profiler_is_closed)
{
    struct sigaction action;
    signal(SIGFPE, SIG_DFL);
    struct sw_profiler *a = sw_open_text("profiler: { show_report: false }", &err);
    struct sw_profiler *b = sw_open_text("profiler: { show_report: false }", &err);
    sw_close(a, &err);
    sigaction(SIGFPE, NULL, &action);
    ck_assert(action.sa_handler != SIG_DFL);
    sw_close(b, &err);
    sigaction(SIGFPE, NULL, &action);
    ck_assert(action.sa_handler == SIG_DFL);
}
END_TEST

/* ---- many threads ---------------------------------------------------------------------------- */

static void *log_from_thread(void *sw)
{
    for (int i = 0; i < 500; i++)
        sw_log(sw, "loss", i);
    return NULL;
}

START_TEST(records_of_many_threads_all_arrive)
{
    pthread_t thread[6];
    struct sw_profiler *sw = unruly_open("listener");
    for (int i = 0; i < 6; i++)
        pthread_create(&thread[i], NULL, log_from_thread, sw);
    for (int i = 0; i < 6; i++)
        pthread_join(thread[i], NULL);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_int_eq(count(&listener, SW_RECORD_METRICS), 6 * 500);
}
END_TEST

SUITE(pipeline)
{
    tcase_add_test(tc, the_run_comes_first_and_the_end_last);
    tcase_add_test(tc, a_sink_that_keeps_up_gets_everything_in_order);
    tcase_add_test(tc, a_sink_gets_no_kind_that_it_declined_at_open);
    tcase_add_test(tc, a_plugin_that_is_named_twice_is_two_sinks);
    tcase_add_test(tc, a_flush_waits_for_what_was_handed_over);
    tcase_add_test(tc, a_flush_gives_up_on_a_sink_that_hangs_and_nothing_is_lost_by_that);
    tcase_add_test(tc, a_sink_is_flushed_about_once_a_second_also_when_idle);
    tcase_add_test(tc, a_sink_may_stop_the_run);
    tcase_add_test(tc, a_full_queue_keeps_what_came_first_and_all_that_must_arrive);
    tcase_add_test(tc, a_full_queue_keeps_the_newest_where_the_sink_wants_that);
    tcase_add_test(tc, what_is_left_of_a_full_queue_arrives_in_order);
    tcase_add_test(tc, a_burst_after_a_pause_goes_through_a_small_queue_whole);
    tcase_add_test(tc, the_loop_does_not_wait_for_a_sink_that_hangs);
    tcase_add_loop_test(tc, a_failure_is_reported_once_and_summed_up_at_close, 0,
                        sizeof failing / sizeof *failing);
    tcase_add_test(tc, a_service_that_an_older_core_lacks_says_so);
    tcase_add_test(tc, an_error_text_that_does_not_end_is_cut);
    tcase_add_test(tc, a_sink_that_always_fails_is_given_up);
    tcase_add_test(tc, a_sink_whose_disk_is_full_at_the_start_gets_its_records_when_there_is_room);
    tcase_add_test(tc, a_disk_that_is_full_until_the_end_is_a_failure);
    tcase_add_test(tc, a_flush_does_not_wait_for_a_disk);
    tcase_add_loop_test(tc, a_sink_that_hangs_is_left_alone_at_the_deadline_and_named, 0,
                        sizeof hanging / sizeof *hanging);
    tcase_add_test(tc, a_sink_that_was_left_alone_says_nothing_more);
    tcase_add_test(tc, a_sink_that_gets_on_is_waited_for_and_one_that_hangs_is_not);
    tcase_add_test(tc, sinks_that_hang_share_one_deadline);
    tcase_add_test(tc, a_sink_that_floods_is_cut_off_and_its_escapes_are_shown);
    tcase_add_loop_test(tc, the_last_words_of_a_program_name_the_sink_that_crashed_it, 0,
                        sizeof crashing / sizeof *crashing);
    tcase_add_test(tc, without_signals_a_crash_is_left_to_the_program);
    tcase_add_test(tc, a_fault_handler_of_the_programs_own_stays);
    tcase_add_test(tc, faults_are_handled_until_the_last_profiler_is_closed);
    tcase_add_test(tc, a_closed_profiler_leaves_no_handler_behind);
    tcase_add_test(tc, records_of_many_threads_all_arrive);
}
