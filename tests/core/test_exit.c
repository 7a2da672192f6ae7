/* SPDX-License-Identifier: MIT */
/* A program that ends without sw_close(): the report is made once, and its end is as without
 * stepwatch. */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/sink.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void training(const char *more)
{
    struct sw_error err;
    char yaml[256];
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false%s }\nlogger_callback: [table: { path: report.txt, "
             "plain: true }]\n",
             more);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!sw)
        _exit(99);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 5; i++)
        probe_step(sw, 1);
}

/* Runs `end` after some training in a process of its own, and returns its wait status. */
static int status_of(void (*end)(void), const char *more)
{
    int status = -1;
    scratch_enter();
    pid_t child = fork();
    if (child == 0) {
        /* Check has handlers of its own. */
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        training(more);
        end();
        _exit(98);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void reported(void)
{
    size_t size;
    char *text = scratch_read("report.txt", &size);
    ck_assert_ptr_nonnull(strstr(text, "Interrupted"));
    ck_assert_ptr_null(strstr(strstr(text, "Profiling Results") + 1, "Profiling Results"));
    free(text);
}

static void by_exit(void)
{
    exit(3);
}

/* The thread that waits for signals ends the process; until then this one goes on. */
static void by_signal(int signal)
{
    raise(signal);
    sleep(60);
}

static void by_int(void)
{
    by_signal(SIGINT);
}

static void by_term(void)
{
    by_signal(SIGTERM);
}

static void by_hup(void)
{
    by_signal(SIGHUP);
}

static void by_term_twice(void)
{
    raise(SIGTERM);
    by_signal(SIGTERM);
}

static int never_ready(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)record, (void)err;
    while (pause() < 0)
        continue;
    return 0;
}

static const struct sw_sink_plugin stuck = {
    SW_SINK_HEADER,
    .name = "stuck",
    .version = "1.0",
    .license = "MIT",
    .summary = "takes no record",
    .wants = SW_WANT(SW_RECORD_RUN),
    .record = never_ready,
};

/* A person who has waited for half a second. */
static void by_term_and_again(void)
{
    struct timespec half = {0, 500000000};
    struct sw_error err;
    if (sw_sink_register(&stuck, &err) < 0 ||
        !sw_open_text("profiler: { close_timeout: 1h }\nlogger_callback: stuck", &err))
        _exit(97);
    raise(SIGTERM);
    while (nanosleep(&half, &half) < 0)
        continue;
    by_signal(SIGTERM);
}

static void own_handler(int signal)
{
    _exit(signal == SIGINT ? 42 : 43);
}

static void by_own_handler(void)
{
    signal(SIGINT, own_handler);
    by_signal(SIGINT);
}

/* Its child has the handlers, but not the thread that waits for signals. */
static void by_exit_after_a_child(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        by_term();
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM)
        _exit(97);
    exit(3);
}

static void by_term_after_another_was_closed(void)
{
    sw_close(sw_open_text("profiler: { show_report: false }", NULL), NULL);
    by_term();
}

START_TEST(exit_without_close_makes_the_report_and_keeps_its_status)
{
    int status = status_of(by_exit, "");
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 3);
    reported();
}
END_TEST

START_TEST(a_signal_makes_the_report_and_still_ends_the_program)
{
    static const struct {
        void (*end)(void);
        int signal;
    } cases[] = {{by_int, SIGINT}, {by_term, SIGTERM}, {by_hup, SIGHUP}};
    int status = status_of(cases[_i].end, "");
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), cases[_i].signal);
    reported();
}
END_TEST

/* On a machine with other work a quarter of a second may pass between the two: then they are two.
 */
START_TEST(a_signal_that_comes_twice_at_once_is_one)
{
    bool made = false;
    for (int i = 0; i < 5 && !made; i++) {
        int status = status_of(by_term_twice, "");
        ck_assert(WIFSIGNALED(status));
        ck_assert_int_eq(WTERMSIG(status), SIGTERM);
        made = access("report.txt", F_OK) == 0;
    }
    reported();
}
END_TEST

START_TEST(a_second_signal_does_not_wait_for_the_report)
{
    int status = status_of(by_term_and_again, "");
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGTERM);
}
END_TEST

START_TEST(a_forked_child_is_ended_by_a_signal_at_once)
{
    if (strstr(TEST_SANITIZER, "thread")) {
        puts("SKIP: the thread sanitizer keeps a child from raising a signal in a handler");
        return;
    }
    int status = status_of(by_exit_after_a_child, "");
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 3);
    reported();
}
END_TEST

START_TEST(a_profiler_that_is_closed_leaves_signals_to_those_that_are_open)
{
    int status = status_of(by_term_after_another_was_closed, "");
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGTERM);
    reported();
}
END_TEST

static bool is_default(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

START_TEST(the_last_profiler_gives_signals_back)
{
    signal(SIGHUP, SIG_DFL);
    struct sw_profiler *a = sw_open_text("profiler: { show_report: false }", NULL);
    struct sw_profiler *b = sw_open_text("profiler: { show_report: false }", NULL);
    ck_assert(!is_default(SIGHUP));
    sw_close(a, NULL);
    ck_assert(!is_default(SIGHUP));
    sw_close(b, NULL);
    ck_assert(is_default(SIGHUP));
}
END_TEST

START_TEST(a_handler_of_the_programs_own_is_left_alone)
{
    int status = status_of(by_own_handler, "");
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 42);
}
END_TEST

START_TEST(without_signals_nothing_is_made_of_them)
{
    int status = status_of(by_int, ", signals: false");
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGINT);
    ck_assert_int_ne(access("report.txt", F_OK), 0);
}
END_TEST

SUITE(exit)
{
    tcase_add_test(tc, exit_without_close_makes_the_report_and_keeps_its_status);
    tcase_add_loop_test(tc, a_signal_makes_the_report_and_still_ends_the_program, 0, 3);
    tcase_add_test(tc, a_signal_that_comes_twice_at_once_is_one);
    tcase_add_test(tc, a_second_signal_does_not_wait_for_the_report);
    tcase_add_test(tc, a_forked_child_is_ended_by_a_signal_at_once);
    tcase_add_test(tc, a_profiler_that_is_closed_leaves_signals_to_those_that_are_open);
    tcase_add_test(tc, the_last_profiler_gives_signals_back);
    tcase_add_test(tc, a_handler_of_the_programs_own_is_left_alone);
    tcase_add_test(tc, without_signals_nothing_is_made_of_them);
}
