/* SPDX-License-Identifier: MIT */
/* A program that ends without sw_close(): the report is made once, and its end is as without
 * stepwatch. */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/monitor.h>
#include <stepwatch/sink.h>

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sw_profiler *opened;

static void training(const char *more)
{
    struct sw_error err;
    char yaml[256];
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false%s }\nlogger_callback: [table: { path: report.txt, "
             "plain: true }]\n",
             more);
    struct sw_profiler *sw = opened = sw_open_text(yaml, &err);
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

static void by_quick_exit(void)
{
    sw_set_exit_status(opened, 4);
    quick_exit(4);
}

static void *quick_exit_again(void *arg)
{
    (void)arg;
    quick_exit(4);
}

/* The second call must not end the process while the first makes the report. */
static void by_quick_exit_twice(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, quick_exit_again, NULL);
    quick_exit(4);
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
    if (sw_sink_register(&stuck, NULL, &err) < 0 ||
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

START_TEST(quick_exit_makes_the_report_as_well)
{
    int status = status_of(_i ? by_quick_exit_twice : by_quick_exit, "");
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 4);
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

/* ---- two that want to end it ----------------------------------------------------------------- */

static void by_term_and_close(void)
{
    raise(SIGTERM);
    sw_close(opened, NULL);
    _exit(0);
}

static void by_term_and_exit(void)
{
    raise(SIGTERM);
    exit(0);
}

START_TEST(what_a_program_does_after_a_signal_does_not_change_its_end)
{
    int status = status_of(_i ? by_term_and_exit : by_term_and_close, "");
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGTERM);
    reported();
}
END_TEST

/* Sends SIGTERM once the main thread waits. */
static void *term_in_a_wait(void *arg)
{
    char text[256] = "";
    const char *state = NULL;
    while (!state || strncmp(state, ") S", 3) != 0) {
        FILE *file = fopen("/proc/self/stat", "re");
        size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
        text[size] = '\0';
        state = strrchr(text, ')');
        if (file)
            fclose(file);
    }
    kill(getpid(), SIGTERM);
    return arg;
}

static void term_soon(void)
{
    sigset_t term;
    pthread_t thread;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, NULL);
    if (pthread_create(&thread, NULL, term_in_a_wait, NULL) != 0)
        _exit(97);
    pthread_sigmask(SIG_UNBLOCK, &term, NULL);
}

static void by_pause(void)
{
    term_soon();
    pause();
    _exit(0);
}

static void by_sleep(void)
{
    term_soon();
    sleep(60);
    _exit(0);
}

static void by_poll(void)
{
    term_soon();
    poll(NULL, 0, 60000);
    _exit(0);
}

static void by_raise(void)
{
    raise(SIGTERM);
    _exit(0);
}

static void (*const waits[])(void) = {by_raise, by_pause, by_sleep, by_poll};

START_TEST(a_wait_that_a_signal_ends_does_not_end_the_program_first)
{
    int status = status_of(waits[_i], "");
    ck_assert_msg(WIFSIGNALED(status), "it ended with the status %x", (unsigned)status);
    ck_assert_int_eq(WTERMSIG(status), SIGTERM);
    reported();
}
END_TEST

static atomic_bool in_sink, go_on;

static int waits_at_the_end(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)record, (void)err;
    atomic_store(&in_sink, true);
    while (!atomic_load(&go_on))
        usleep(1000);
    return 0;
}

static const struct sw_sink_plugin patient = {
    SW_SINK_HEADER,
    .name = "patient",
    .version = "1.0",
    .license = "MIT",
    .summary = "takes the end when it is told to",
    .wants = SW_WANT(SW_RECORD_END),
    .record = waits_at_the_end,
};

static void wait_for_sink(void)
{
    while (!atomic_load(&in_sink))
        usleep(1000);
}

static void *close_there(void *arg)
{
    sw_close(arg, NULL);
    return NULL;
}

/* Closes on another thread, and comes back when that is in the middle of it. */
static pthread_t closing(void)
{
    pthread_t thread;
    struct sw_error err;
    if (sw_sink_register(&patient, NULL, &err) < 0)
        _exit(97);
    struct sw_profiler *sw = sw_open_text("logger_callback: [ patient, table: { path: report.txt, "
                                          "plain: true } ]\n"
                                          "profiler: { show_report: false }",
                                          &err);
    if (!sw)
        _exit(97);
    sw_begin(sw, SW_FIT);
    sw_end(sw, SW_FIT);
    if (pthread_create(&thread, NULL, close_there, sw) != 0)
        _exit(97);
    wait_for_sink();
    return thread;
}

static void *let_go(void *arg)
{
    (void)arg;
    usleep(20000);
    atomic_store(&go_on, true);
    return NULL;
}

static void let_go_soon(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, let_go, NULL) != 0)
        _exit(97);
    pthread_detach(thread);
}

static void by_exit_while_closing(void)
{
    pthread_detach(closing());
    let_go_soon();
    exit(atomic_load(&go_on) ? 9 : 3);
}

static void by_term_while_closing(void)
{
    pthread_t thread = closing();
    raise(SIGTERM);
    let_go_soon();
    /* sw_close() does not come back: the program ends by the signal. */
    pthread_join(thread, NULL);
    _exit(0);
}

static void whole(void)
{
    size_t size;
    char *text = scratch_read("report.txt", &size);
    ck_assert_ptr_nonnull(strstr(text, "Profiling Results"));
    free(text);
}

START_TEST(exit_waits_for_a_close_on_another_thread)
{
    int status = status_of(by_exit_while_closing, "");
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 3);
    whole();
}
END_TEST

START_TEST(a_signal_lets_a_close_finish_and_then_ends_the_program)
{
    int status = status_of(by_term_while_closing, "");
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGTERM);
    whole();
}
END_TEST

static void close_second(void)
{
    struct sw_error err;
    int rc = sw_close(opened, &err);
    _exit(rc == 0 ? 5 : 6);
}

static int status_with_older_handler(void)
{
    int status = -1;
    scratch_enter();
    pid_t child = fork();
    if (child == 0) {
        atexit(close_second);
        training("");
        exit(4);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(a_close_after_exit_has_ended_the_run_frees_nothing)
{
    int status = status_with_older_handler();
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 5);
    reported();
}
END_TEST

/* ---- the end in a pause ---------------------------------------------------------------------- */

static int64_t paused_clock(void *arg)
{
    return *(int64_t *)arg;
}

/* A thread of the program could go on in this very moment, too: the end has begun, but its report
 * is not made yet. */
static int resume_at_the_end(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    (void)state, (void)err;
    if (sample->last)
        sw_resume(opened);
    return 0;
}

static const struct sw_monitor_plugin resuming = {
    SW_MONITOR_HEADER,
    .name = "resuming",
    .version = "1.0",
    .license = "MIT",
    .summary = "goes on at the end",
    .sample = resume_at_the_end,
};

static int fit_write(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state, (void)err;
    FILE *file = fopen("fit", "w");
    fprintf(file, "%.0f ns", record->report->fit_ns);
    return fclose(file);
}

static const struct sw_sink_plugin fit_writer = {
    SW_SINK_HEADER,
    .name = "fit_writer",
    .version = "1.0",
    .license = "MIT",
    .summary = "writes how long the fit took",
    .wants = SW_WANT(SW_RECORD_REPORT),
    .record = fit_write,
};

/* 10 ms, and a pause of 300 ms. */
static void by_exit_in_a_pause(void)
{
    struct sw_error err;
    int64_t now = 0;
    sw_close(opened, NULL);
    if (sw_sink_register(&fit_writer, NULL, &err) < 0 ||
        sw_monitor_register(&resuming, NULL, &err) < 0 ||
        !(opened = sw_open_text("profiler: { show_report: false }\nmonitors: [resuming]\n"
                                "logger_callback: fit_writer",
                                &err)))
        _exit(97);
    sw_set_clock(opened, paused_clock, &now);
    sw_begin(opened, SW_FIT);
    now += 10000000;
    sw_pause(opened);
    now += 300000000;
    exit(0);
}

START_TEST(a_pause_that_ends_while_the_run_ends_is_in_no_report)
{
    size_t size;
    ck_assert_int_eq(status_of(by_exit_in_a_pause, ""), 0);
    char *text = scratch_read("fit", &size);
    ck_assert_str_eq(text, "10000000 ns");
    free(text);
}
END_TEST

/* ---- threads, callbacks, children ------------------------------------------------------------ */

static void *train_and_return(void *arg)
{
    probe_step(arg, 1);
    return NULL;
}

static void by_pthread_exit(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, train_and_return, opened) != 0)
        _exit(97);
    pthread_detach(thread);
    pthread_exit(NULL);
}

START_TEST(our_threads_do_not_keep_a_program_alive_whose_own_have_ended)
{
    if (*TEST_SANITIZER) {
        puts(
            "SKIP: a sanitizer has a thread of its own, or takes the main thread's stack for lost");
        return;
    }
    int status = status_of(by_pthread_exit, _i ? ", signals: false" : "");
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    reported();
}
END_TEST

static int called;

static void call_back(void *arg, enum sw_level level, const char *text)
{
    (void)level, (void)text;
    called++;
    sw_log(arg, "within", 1);
    sw_end(arg, SW_BACKWARD);
    sw_set_messages(arg, NULL, NULL);
}

START_TEST(a_function_for_messages_may_call_what_it_likes)
{
    struct sw_profiler *sw = sw_open_text("profiler: { mode: simple, show_report: false }", NULL);
    sw_set_messages(sw, call_back, sw);
    sw_end(sw, SW_LOSS);
    sw_end(sw, SW_LOSS);
    sw_flush(sw, 1000000000);
    ck_assert_int_eq(called, 1);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
}
END_TEST

START_TEST(a_profiler_that_is_not_open_is_refused)
{
    struct sw_error err;
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }", &err);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_int_eq(sw_close(sw, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), "sw_close() was called for a profiler that is not open");
}
END_TEST

static void by_crash(void)
{
    raise(SIGSEGV);
}

START_TEST(a_crash_leaves_what_was_measured_until_then)
{
    struct sigaction action;
    if (sigaction(SIGSEGV, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
        return; /* a sanitizer's */
    int status = status_of(by_crash, "");
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGSEGV);
    reported();
}
END_TEST

SUITE(exit)
{
    tcase_add_loop_test(tc, a_wait_that_a_signal_ends_does_not_end_the_program_first, 0,
                        sizeof waits / sizeof *waits);
    tcase_add_loop_test(tc, what_a_program_does_after_a_signal_does_not_change_its_end, 0, 2);
    tcase_add_test(tc, exit_waits_for_a_close_on_another_thread);
    tcase_add_test(tc, a_signal_lets_a_close_finish_and_then_ends_the_program);
    tcase_add_test(tc, a_close_after_exit_has_ended_the_run_frees_nothing);
    tcase_add_test(tc, a_pause_that_ends_while_the_run_ends_is_in_no_report);
    tcase_add_loop_test(tc, our_threads_do_not_keep_a_program_alive_whose_own_have_ended, 0, 2);
    tcase_add_test(tc, a_function_for_messages_may_call_what_it_likes);
    tcase_add_test(tc, a_profiler_that_is_not_open_is_refused);
    tcase_add_test(tc, a_crash_leaves_what_was_measured_until_then);
    tcase_add_test(tc, exit_without_close_makes_the_report_and_keeps_its_status);
    tcase_add_loop_test(tc, quick_exit_makes_the_report_as_well, 0, 2);
    tcase_add_loop_test(tc, a_signal_makes_the_report_and_still_ends_the_program, 0, 3);
    tcase_add_test(tc, a_signal_that_comes_twice_at_once_is_one);
    tcase_add_test(tc, a_second_signal_does_not_wait_for_the_report);
    tcase_add_test(tc, a_forked_child_is_ended_by_a_signal_at_once);
    tcase_add_test(tc, a_profiler_that_is_closed_leaves_signals_to_those_that_are_open);
    tcase_add_test(tc, the_last_profiler_gives_signals_back);
    tcase_add_test(tc, a_handler_of_the_programs_own_is_left_alone);
    tcase_add_test(tc, without_signals_nothing_is_made_of_them);
}
