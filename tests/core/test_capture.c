/* SPDX-License-Identifier: MIT */
/* A program that runs is asked to record its next steps: by a file, a signal, another process. */
#include "tests/support/probe.h"
#include "tests/support/recorder.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* Who asks is heard by the time of a flush. */
static void steps(struct sw_profiler *sw, int count)
{
    ck_assert_int_eq(sw_flush(sw, 60 * SECOND), 0);
    for (int i = 0; i < count; i++)
        probe_step(sw, 1);
    ck_assert_int_eq(sw_flush(sw, 60 * SECOND), 0);
}

static void ends(struct sw_profiler *sw)
{
    struct sw_error err;
    ck_assert_int_eq(sw_close(sw, &err), 0);
}

static int windows(void)
{
    int count = 0;
    for (const char *at = recorder_text(); (at = strstr(at, " capture begins ")); at++)
        count++;
    return count;
}

static void has(const char *line)
{
    ck_assert_msg(strstr(recorder_text(), line) != NULL, "%s is not in\n%s", line, recorder_text());
}

/* By a second: a file system may keep no more. */
static void touch(const char *path, int seconds)
{
    struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    ck_assert_int_eq(utimensat(AT_FDCWD, scratch_path(path), times, 0), 0);
}

START_TEST(a_file_that_is_touched_asks_for_a_capture)
{
    scratch_write("capture", "", 0);
    touch("capture", 1000);
    struct sw_profiler *sw = recorder_open("capture: {file: capture, steps: 2}");
    steps(sw, 3);
    ck_assert_int_eq(windows(), 0);
    touch("capture", 2000);
    steps(sw, 5);
    has("window 0 capture begins 400 first 4\n");
    has("window 0 ends 600 next 6\n");
    touch("capture", 3000);
    steps(sw, 5);
    ends(sw);
    ck_assert_int_eq(windows(), 2);
}
END_TEST

START_TEST(the_file_may_be_below_the_home_folder)
{
    setenv("HOME", scratch_path("."), 1);
    struct sw_profiler *sw = recorder_open("capture: {file: ~/capture, steps: 2}");
    steps(sw, 3);
    scratch_write("capture", "", 0);
    steps(sw, 5);
    ends(sw);
    ck_assert_int_eq(windows(), 1);
}
END_TEST

START_TEST(so_does_a_file_that_appears_but_not_one_that_goes_away)
{
    scratch_enter();
    struct sw_profiler *sw = recorder_open("capture: {file: later, steps: 1}");
    steps(sw, 2);
    scratch_write("later", "", 0);
    steps(sw, 3);
    ck_assert_int_eq(windows(), 1);
    unlink(scratch_path("later"));
    steps(sw, 3);
    ends(sw);
    ck_assert_int_eq(windows(), 1);
}
END_TEST

static bool is_default(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

START_TEST(a_signal_asks_for_a_capture_and_is_given_back)
{
    struct sw_profiler *sw = recorder_open("capture: {signal: USR2, steps: 1}");
    steps(sw, 2);
    raise(SIGUSR2);
    steps(sw, 4);
    ck_assert_int_eq(windows(), 1);
    has("window 0 capture begins 300 first 3\n");
    ck_assert(!is_default(SIGUSR2));
    ck_assert(is_default(SIGUSR1));
    ends(sw);
    ck_assert(is_default(SIGUSR2));
}
END_TEST

static void handle(int signal)
{
    (void)signal;
}

START_TEST(a_signal_that_the_program_handles_is_left_to_it)
{
    signal(SIGUSR1, handle);
    struct sw_profiler *sw = recorder_open("capture: {signal: USR1}");
    struct sigaction action;
    sigaction(SIGUSR1, NULL, &action);
    ck_assert(action.sa_handler == handle);
    ends(sw);
    sigaction(SIGUSR1, NULL, &action);
    ck_assert(action.sa_handler == handle);
    signal(SIGUSR1, SIG_DFL);
}
END_TEST

START_TEST(a_handler_that_the_program_installs_later_stays)
{
    struct sw_profiler *sw = recorder_open("capture: {signal: USR1}");
    struct sigaction action;
    signal(SIGUSR1, handle);
    ends(sw);
    sigaction(SIGUSR1, NULL, &action);
    ck_assert(action.sa_handler == handle);
    signal(SIGUSR1, SIG_DFL);
}
END_TEST

static void other_process_asks(int64_t count, int64_t expected)
{
    pid_t program = getpid(), child = fork();
    int status;
    if (child == 0) {
        struct sw_error err;
        _exit(sw_capture_process(program, count, &err) == expected ? 0 : 1);
    }
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
}

START_TEST(another_process_asks_for_a_capture)
{
    struct sw_profiler *sw = recorder_open("capture: {steps: 3}");
    steps(sw, 2);
    other_process_asks(0, 3);
    steps(sw, 6);
    has("window 0 capture begins 300 first 3\n");
    has("window 0 ends 600 next 6\n");
    other_process_asks(1, 1);
    steps(sw, 6);
    ends(sw);
    ck_assert_int_eq(windows(), 2);
}
END_TEST

START_TEST(a_process_that_cannot_be_asked_is_named)
{
    struct sw_error err;
    scratch_enter();
    ck_assert_int_eq(sw_capture_process(INT32_MAX, 0, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), "there is no process 2147483647");
    ck_assert_int_eq(sw_capture_process(-1, 0, &err), SW_EINVAL);
    struct sw_profiler *sw = recorder_open("");
    ck_assert_int_eq(sw_capture_process(getpid(), 0, &err), SW_EINVAL);
    ck_assert_ptr_nonnull(
        strstr(sw_error_text(&err), "it needs an open profiler with the key capture"));
    ends(sw);
}
END_TEST

static int files_open(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* The descriptor may be another file by then. */
START_TEST(at_the_end_it_closes_its_own_file_only)
{
    int before = files_open();
    ends(recorder_open("capture: {}"));
    ck_assert_int_eq(files_open(), before);
    struct sw_profiler *sw = recorder_open("capture: {}");
    for (int fd = 3; fd < 64; fd++) {
        char link[64], path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t length = readlink(path, link, sizeof link - 1);
        link[length > 0 ? length : 0] = '\0';
        if (strstr(link, "stepwatch-capture"))
            ck_assert_int_eq(dup2(STDERR_FILENO, fd), fd);
    }
    before = files_open();
    ends(sw);
    ck_assert_int_ge(files_open(), before - 1);
    ck_assert_int_ge(write(STDERR_FILENO, "", 0), 0);
}
END_TEST

static void in_scratch(void)
{
    scratch_enter();
}

SUITE(capture)
{
    tcase_add_checked_fixture(tc, in_scratch, NULL);
    tcase_add_test(tc, a_file_that_is_touched_asks_for_a_capture);
    tcase_add_test(tc, the_file_may_be_below_the_home_folder);
    tcase_add_test(tc, so_does_a_file_that_appears_but_not_one_that_goes_away);
    tcase_add_test(tc, a_signal_asks_for_a_capture_and_is_given_back);
    tcase_add_test(tc, a_signal_that_the_program_handles_is_left_to_it);
    tcase_add_test(tc, a_handler_that_the_program_installs_later_stays);
    tcase_add_test(tc, another_process_asks_for_a_capture);
    tcase_add_test(tc, a_process_that_cannot_be_asked_is_named);
    tcase_add_test(tc, at_the_end_it_closes_its_own_file_only);
}
