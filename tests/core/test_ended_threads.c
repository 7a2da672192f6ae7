/* SPDX-License-Identifier: MIT */
/* The program's functions and those of sinks may end, cancel or block the thread on which they run:
 * all else goes on, and the program still ends. */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- sinks ----------------------------------------------------------------------------------- */

static _Atomic pthread_t sink_thread;
static atomic_int sink_started, sink_records;

static int own_end(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)record, (void)err;
    pthread_exit(NULL);
}

static int own_cancel(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)record, (void)err;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return 0;
}

static int counted(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)err;
    atomic_store(&sink_thread, pthread_self());
    atomic_store(&sink_started, 1);
    atomic_fetch_add(&sink_records, record->type == SW_RECORD_STEP);
    return 0;
}

#define SINK(NAME, RECORD)                                                                         \
    {                                                                                              \
        SW_SINK_HEADER, .name = (NAME), .version = "1.0", .license = "MIT", .summary = "a test's", \
                        .wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_STEP),                 \
                        .state_size = 1, .record = (RECORD)                                        \
    }
static const struct sw_sink_plugin sinks[] = {SINK("ends", own_end), SINK("cancels", own_cancel),
                                              SINK("counts", counted)};

static struct sw_profiler *open_with(const char *names)
{
    struct sw_error err;
    char yaml[256];
    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++)
        ck_assert_int_eq(sw_sink_register(&sinks[i], NULL, &err), 0);
    snprintf(yaml, sizeof yaml, "profiler: { show_report: false }\nlogger_callback: [%s]\n", names);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, NULL, NULL);
    return sw;
}

static void assert_others_go_on(const char *sink)
{
    struct sw_error err;
    char names[64];
    snprintf(names, sizeof names, "%s, counts", sink);
    struct sw_profiler *sw = open_with(names);
    for (int i = 0; i < 100; i++)
        probe_step(sw, 1);
    ck_assert_int_eq(sw_flush(sw, INT64_C(10000000000)), 0);
    for (int i = 0; i < 100; i++)
        probe_step(sw, 1);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    ck_assert_msg(strstr(sw_error_text(&err), sink) && strstr(sw_error_text(&err), "thread"), "%s",
                  sw_error_text(&err));
    ck_assert_int_eq(atomic_load(&sink_records), 200);
    sw_error_free(&err);
}

START_TEST(a_sink_that_ends_its_thread_is_given_up)
{
    assert_others_go_on("ends");
}
END_TEST

START_TEST(a_sink_that_cancels_its_thread_is_given_up)
{
    assert_others_go_on("cancels");
}
END_TEST

START_TEST(the_thread_of_a_sink_cannot_be_cancelled)
{
    struct sw_profiler *sw = open_with("counts");
    probe_step(sw, 1);
    ck_assert_int_eq(sw_flush(sw, INT64_C(10000000000)), 0);
    ck_assert(atomic_load(&sink_started));
    pthread_cancel(atomic_load(&sink_thread));
    for (int i = 0; i < 99; i++)
        probe_step(sw, 1);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    ck_assert_int_eq(atomic_load(&sink_records), 100);
}
END_TEST

/* ---- functions for messages ------------------------------------------------------------------ */

static atomic_bool within, late;

static void ends_thread(void *arg, enum sw_level level, const char *text)
{
    (void)arg, (void)level, (void)text;
    atomic_store(&within, true);
    pthread_exit(NULL);
}

static void never_returns(void *arg, enum sw_level level, const char *text)
{
    (void)arg, (void)level, (void)text;
    atomic_store(&within, true);
    for (;;)
        pause();
}

static void *alert(void *sw)
{
    sw_alert(sw, SW_WARNING, "from a thread", "text");
    return NULL;
}

static void in_thread(struct sw_profiler *sw)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, alert, sw) != 0)
        _exit(97);
    pthread_detach(thread);
    while (!atomic_load(&within))
        usleep(1000);
}

static void by_exit(struct sw_profiler *sw)
{
    (void)sw;
    exit(3);
}

static void by_term(struct sw_profiler *sw)
{
    (void)sw;
    raise(SIGTERM);
    for (;;)
        pause();
}

static void by_alert(struct sw_profiler *sw)
{
    sw_alert(sw, SW_WARNING, "from the program", "text");
    by_exit(sw);
}

static void by_close(struct sw_profiler *sw)
{
    sw_set_messages(sw, NULL, NULL);
    sw_close(sw, NULL);
    _exit(3);
}

static const struct {
    sw_message_fn *fn;
    void (*end)(struct sw_profiler *sw);
    int status;
    const char *said; /* on stderr; NULL: whatever it is */
} ends[] = {
    {ends_thread, by_exit, 3 << 8, NULL},
    {ends_thread, by_term, SIGTERM, NULL},
    {ends_thread, by_close, 3 << 8, NULL},
    {never_returns, by_exit, 3 << 8, NULL},
    {never_returns, by_term, SIGTERM, NULL},
    {never_returns, by_close, 3 << 8, NULL},
    {never_returns, by_alert, 3 << 8, "alert: from the program: text"},
};

/* Runs a child whose stderr is the file err.txt, and returns its wait status. */
static int status_of(void (*run)(int i), int i)
{
    int status = -1;
    scratch_enter();
    pid_t child = fork();
    if (child == 0) {
        int err = open("err.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(err, STDERR_FILENO);
        run(i);
        _exit(98);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void assert_said(const char *part, bool expected)
{
    size_t size;
    char *text = scratch_read("err.txt", &size);
    ck_assert_msg((strstr(text, part) != NULL) == expected, "%s \"%s\" in:\n%s",
                  expected ? "expected" : "did not expect", part, text);
    free(text);
}

static void run_end(int i)
{
    struct sw_error err;
    struct sw_profiler *sw =
        sw_open_text("profiler: { show_report: false, close_timeout: 200ms }\n", &err);
    if (!sw) {
        sw_error_print(stderr, &err);
        _exit(96);
    }
    sw_set_messages(sw, ends[i].fn, NULL);
    in_thread(sw);
    ends[i].end(sw);
}

START_TEST(a_function_that_does_not_come_back_keeps_no_program_alive)
{
    ck_assert_int_eq(status_of(run_end, _i), ends[_i].status);
    if (ends[_i].said)
        assert_said(ends[_i].said, true);
}
END_TEST

static void noted(void *arg, enum sw_level level, const char *text)
{
    (void)arg, (void)level;
    fprintf(stderr, "%s: %s\n", atomic_load(&late) ? "called after exit()" : "called", text);
}

static void exit_begins(void)
{
    atomic_store(&late, true);
}

static int fails(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)record;
    return sw_error_set(err, SW_EIO, "no luck");
}

static const struct sw_sink_plugin failing = {
    SW_SINK_HEADER,
    .name = "failing",
    .version = "1.0",
    .license = "MIT",
    .summary = "fails at the end of the run",
    .wants = SW_WANT(SW_RECORD_END),
    .record = fails,
};

/* What sw_open() finds registered is called after what is registered later. */
static void run_exit(int by_signal)
{
    struct sw_error err;
    sw_sink_register(&failing, NULL, &err);
    struct sw_profiler *sw =
        sw_open_text("profiler: { show_report: false }\nlogger_callback: [failing]\n", &err);
    atexit(exit_begins);
    sw_set_messages(sw, noted, NULL);
    sw_alert(sw, SW_WARNING, "before", "it");
    probe_step(sw, 1);
    if (by_signal)
        by_term(sw);
    exit(0);
}

START_TEST(messages_go_to_stderr_once_the_program_ends)
{
    int status = status_of(run_exit, _i);
    ck_assert_int_eq(status, _i ? SIGTERM : 0);
    assert_said("called: alert: before: it", true);
    assert_said("stepwatch: error: sink failing: no luck", true);
    assert_said("called after exit()", false);
    assert_said("called: sink", false);
}
END_TEST

static int speaks(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)state, (void)err;
    sw_sink_say(sink, SW_WARNING, "a word");
    return 0;
}

static const struct sw_sink_plugin speaking = {
    SW_SINK_HEADER,
    .name = "speaking",
    .version = "1.0",
    .license = "MIT",
    .summary = "sends a message",
    .wants = SW_WANT(SW_RECORD_END),
    .open = speaks,
    .state_size = 1,
    .record = counted,
};

static void crashes(void *arg, enum sw_level level, const char *text)
{
    (void)arg, (void)level, (void)text;
    abort();
}

static void run_crash(int i)
{
    (void)i;
    struct sw_error err;
    signal(SIGABRT, SIG_DFL);
    sw_sink_register(&speaking, NULL, &err);
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }\nlogger_callback: "
                                          "[speaking, runlog: { path: run.jsonl }]\n",
                                          &err);
    sw_set_messages(sw, crashes, NULL);
    for (int k = 0; k < 60; k++)
        sleep(1);
}

START_TEST(a_crash_of_the_function_is_not_that_of_a_sink)
{
    size_t size;
    ck_assert_int_eq(status_of(run_crash, 0) & 0x7f, SIGABRT);
    assert_said("function for messages crashed", true);
    assert_said("sink speaking crashed", false);
    char *log = scratch_read("run.jsonl", &size);
    ck_assert_ptr_nonnull(strstr(log, "SIGABRT"));
    ck_assert_ptr_null(strstr(log, "in sink speaking"));
    free(log);
}
END_TEST

SUITE(ended_threads)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_sink_that_ends_its_thread_is_given_up);
    tcase_add_test(tc, a_sink_that_cancels_its_thread_is_given_up);
    tcase_add_test(tc, the_thread_of_a_sink_cannot_be_cancelled);
    tcase_add_loop_test(tc, a_function_that_does_not_come_back_keeps_no_program_alive, 0,
                        sizeof ends / sizeof *ends);
    tcase_add_loop_test(tc, messages_go_to_stderr_once_the_program_ends, 0, 2);
    tcase_add_test(tc, a_crash_of_the_function_is_not_that_of_a_sink);
}
