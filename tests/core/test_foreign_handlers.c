/* SPDX-License-Identifier: MIT */
/* Programs whose signals were handled before stepwatch came: the report is made before handlers
 * that are known to print something and to let the signal end the program. All others are left
 * alone, and one message names them. */
#include "tests/support/probe.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void own(int signal)
{
    _exit(signal == SIGTERM ? 42 : 43);
}

static void say(const char *words)
{
    if (write(STDERR_FILENO, words, strlen(words)) < 0)
        _exit(96);
}

/* The names by which the handlers of libgfortran.a and of Rust's standard library are recognised.
 */
static void in_fortran(int signal) __asm__("_gfortrani_backtrace_handler");
static void in_rust(int signal) __asm__(
    "_ZN3std3sys4unix14stack_overflow3imp14signal_handler17h0123456789abcdefE");

static void in_fortran(int signal_of_crash)
{
    say("Backtrace for this error:\n");
    signal(signal_of_crash, SIG_DFL);
    raise(signal_of_crash);
}

/* As after the overflow of a stack. */
static void in_rust(int signal_of_crash)
{
    (void)signal_of_crash;
    say("has overflowed its stack\n");
    abort();
}

static struct sw_profiler *training(const char *more)
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
    probe_step(sw, 1);
    return sw;
}

static void fault(void)
{
    char *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile char *)page = 1;
}

/* Runs `program` in a process of its own, with stderr in err.txt, and returns its wait status. */
static int status_of(void (*program)(void))
{
    int status = -1;
    scratch_enter();
    pid_t child = fork();
    if (child == 0) {
        /* A sanitizer may handle some. */
        static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
        for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
            signal(crashes[i], SIG_DFL);
        int err = open("err.txt", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        dup2(err, STDERR_FILENO);
        program();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void assert_ended_by(int status, int signal)
{
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), signal);
}

static int times_in(const char *file, const char *words)
{
    size_t size;
    int times = 0;
    char *text = scratch_read(file, &size);
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        times++;
    free(text);
    return times;
}

static char *said(void)
{
    size_t size;
    return scratch_read("err.txt", &size);
}

/* ---- handlers that are left alone ------------------------------------------------------------ */

static void handles_term(void)
{
    signal(SIGTERM, own);
    training("");
    training("");
    raise(SIGTERM);
}

START_TEST(the_ends_that_the_program_handles_are_named_once)
{
    int status = status_of(handles_term);
    ck_assert_int_eq(WEXITSTATUS(status), 42);
    ck_assert_int_eq(times_in("err.txt", "stepwatch: SIGTERM is handled by the program ("), 1);
    ck_assert_int_eq(times_in("err.txt", "check) already: no report is made if it ends the "
                                         "program, unless the program calls sw_close() or exit()"),
                     1);
}
END_TEST

static void handles_many(void)
{
    signal(SIGINT, own);
    signal(SIGTERM, own);
    signal(SIGHUP, own);
    signal(SIGSEGV, own);
    signal(SIGBUS, own);
    training("");
    fault();
}

START_TEST(a_handler_of_crashes_that_nobody_knows_is_left_alone_and_named)
{
    int status = status_of(handles_many);
    ck_assert_int_eq(WEXITSTATUS(status), 43);
    ck_assert_int_eq(times_in("err.txt", "stepwatch: SIGINT, SIGTERM and SIGHUP are handled"), 1);
    ck_assert_int_eq(times_in("err.txt", "SIGSEGV and SIGBUS are handled by the program ("), 1);
    ck_assert_int_eq(times_in("err.txt", "stepwatch report RUN.jsonl"), 1);
    ck_assert_int_eq(times_in("err.txt", "\n"), 1);
}
END_TEST

static void handles_nothing(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sw_close(training(""), NULL);
}

static void wants_no_signals(void)
{
    signal(SIGTERM, own);
    sw_close(training(", signals: false"), NULL);
}

static void closes_at_term(void)
{
    sw_closes_at_signal(SIGTERM);
    sw_closes_at_signal(SIGUSR1);
    signal(SIGTERM, own);
    sw_close(training(""), NULL);
}

static void (*const programs_without_loss[])(void) = {
    handles_nothing,
    wants_no_signals,
    closes_at_term,
};

START_TEST(nothing_is_said_where_no_end_is_lost)
{
    status_of(programs_without_loss[_i]);
    char *text = said();
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

/* ---- handlers that follow -------------------------------------------------------------------- */

static void crashes_in_fortran(void)
{
    signal(SIGSEGV, in_fortran);
    training("");
    fault();
}

static void aborts_in_fortran(void)
{
    signal(SIGABRT, in_fortran);
    training("");
    abort();
}

static void crashes_in_rust(void)
{
    signal(SIGSEGV, in_rust);
    training("");
    fault();
}

static const struct {
    void (*program)(void);
    const char *words;
    int signal;
} reported[] = {
    {crashes_in_fortran, "Backtrace for this error:\n", SIGSEGV},
    {aborts_in_fortran, "Backtrace for this error:\n", SIGABRT},
    {crashes_in_rust, "has overflowed its stack\n", SIGABRT},
};

START_TEST(the_report_is_made_before_a_handler_that_prints_and_passes_on)
{
    int status = status_of(reported[_i].program);
    assert_ended_by(status, reported[_i].signal);
    ck_assert_int_eq(times_in("report.txt", "Profiling Results"), 1);
    ck_assert_int_eq(times_in("report.txt", "Interrupted"), 1);
    char *text = said();
    ck_assert_str_eq(text, reported[_i].words);
    free(text);
}
END_TEST

static bool has_handler(int signal, void (*handler)(int))
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == handler;
}

static void opens_and_closes(void)
{
    signal(SIGSEGV, in_fortran);
    for (int i = 0; i < 2; i++) {
        struct sw_profiler *sw = training("");
        if (has_handler(SIGSEGV, in_fortran))
            _exit(1);
        sw_close(sw, NULL);
        if (!has_handler(SIGSEGV, in_fortran))
            _exit(2);
    }
}

START_TEST(a_handler_that_follows_is_restored_at_the_close)
{
    int status = status_of(opens_and_closes);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

/* ---- handlers while files are opened --------------------------------------------------------- */

static volatile sig_atomic_t opening, interruptions;

static void count_interruption(int signal)
{
    (void)signal;
    interruptions += opening;
}

/* On FUSE, each of them would be an error of a file. One waits from before until the end. */
START_TEST(a_timer_of_the_program_does_not_interrupt_the_opening_of_files)
{
    static const struct itimerval often = {{0, 100}, {0, 100}}, never;
    struct sigaction before, action = {.sa_handler = count_interruption, .sa_flags = SA_RESTART};
    sigset_t mask, after;
    scratch_enter();
    sigaction(SIGALRM, &action, &before);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    interruptions = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    opening = 1;
    struct sw_profiler *sw = sw_open_text("logger_callback: [csv, markdown, runlog, table]", NULL);
    opening = 0;
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    ck_assert_ptr_nonnull(sw);
    ck_assert_int_le(interruptions, 3);
    ck_assert(sigismember(&after, SIGALRM) == sigismember(&mask, SIGALRM));
    sw_close(sw, NULL);
}
END_TEST

SUITE(foreign_handlers)
{
    tcase_add_test(tc, a_timer_of_the_program_does_not_interrupt_the_opening_of_files);
    tcase_add_test(tc, the_ends_that_the_program_handles_are_named_once);
    tcase_add_test(tc, a_handler_of_crashes_that_nobody_knows_is_left_alone_and_named);
    tcase_add_loop_test(tc, nothing_is_said_where_no_end_is_lost, 0,
                        sizeof programs_without_loss / sizeof *programs_without_loss);
    tcase_add_loop_test(tc, the_report_is_made_before_a_handler_that_prints_and_passes_on, 0,
                        sizeof reported / sizeof *reported);
    tcase_add_test(tc, a_handler_that_follows_is_restored_at_the_close);
}
