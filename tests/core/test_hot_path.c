/* SPDX-License-Identifier: MIT */
/* What the hot path must not do: the kernel itself watches. */
#include "tests/support/probe.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __GLIBC__
/* Other C libraries do not say what is allocated. */
struct mallinfo2 {
    size_t uordblks, hblkhd;
};
static struct mallinfo2 mallinfo2(void)
{
    puts("SKIP: hot_path: the C library does not say what is allocated");
    return (struct mallinfo2){0};
}
#endif

/* Says that a test is left out, where it is. */
static bool skipped(void)
{
    if (SANITIZED)
        puts("SKIP: a sanitizer makes system calls and allocations of its own");
    return SANITIZED;
}

enum { WARM_UP = 2000, STEPS = 20000 };

static struct sw_profiler *open_with_real_clock(void)
{
    struct sw_error err;
    struct sw_profiler *sw =
        sw_open_text("profiler: { mode: simple, show_report: false, signals: false }\n", &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_begin(sw, SW_FIT);
    sw_begin(sw, SW_TRAIN);
    return sw;
}

static void steps(struct sw_profiler *sw, int count)
{
    int own = sw_action("watched");
    for (int i = 0; i < count; i++) {
        sw_begin(sw, own);
        sw_end(sw, own);
        probe_step(sw, 64);
    }
}

/* From now on this thread may write and exit; any other system call kills the process. (The strict
 * mode of seccomp would forbid reading the counter too.) */
static bool forbid_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void run_without_system_calls(int done)
{
    struct sw_profiler *sw = open_with_real_clock();
    steps(sw, WARM_UP);
    if (!forbid_system_calls())
        _exit(77);
    steps(sw, STEPS);
    _exit(write(done, "done", 4) == 4 ? 0 : 1);
}

START_TEST(after_warm_up_a_loop_makes_no_system_call)
{
    int pipe_fd[2], status = 0;
    if (skipped())
        return;
    char text[5] = "";
    ck_assert_int_eq(pipe(pipe_fd), 0);
    pid_t child = fork();
    if (child == 0)
        run_without_system_calls(pipe_fd[1]);
    close(pipe_fd[1]);
    ssize_t n = read(pipe_fd[0], text, 4);
    waitpid(child, &status, 0);
    close(pipe_fd[0]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        puts("SKIP: this kernel has no seccomp");
        return;
    }
    ck_assert_int_eq(n, 4);
    ck_assert_str_eq(text, "done");
}
END_TEST

START_TEST(after_warm_up_a_loop_allocates_nothing)
{
    if (skipped())
        return;
    struct sw_profiler *sw = open_with_real_clock();
    steps(sw, WARM_UP);
    struct mallinfo2 before = mallinfo2();
    steps(sw, STEPS);
    struct mallinfo2 after = mallinfo2();
    ck_assert_uint_eq(after.uordblks, before.uordblks);
    ck_assert_uint_eq(after.hblkhd, before.hblkhd);
    sw_end(sw, SW_TRAIN);
    sw_close(sw, NULL);
}
END_TEST

enum { MANY = 1000, KIB = 1024 };

/* Bytes that malloc gave out and did not get back. */
static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void call_once(struct sw_profiler *sw, int from, int to)
{
    for (int i = from; i < to; i++) {
        char name[24];
        snprintf(name, sizeof name, "seldom%d", i);
        int action = sw_action(name);
        sw_begin(sw, action);
        sw_end(sw, action);
    }
}

START_TEST(an_action_takes_two_kib_at_most_until_its_durations_differ_much)
{
    if (skipped())
        return;
    struct sw_profiler *sw = open_with_real_clock();
    call_once(sw, 0, MANY);
    sw_flush(sw, 1000000000);
    size_t before = allocated();
    call_once(sw, MANY, 2 * MANY);
    sw_flush(sw, 1000000000);
    ck_assert_uint_le((allocated() - before) / MANY, 2 * KIB);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}
END_TEST

START_TEST(a_report_of_many_actions_keeps_no_empty_bins)
{
    struct sw_report *report = NULL;
    if (skipped())
        return;
    struct sw_profiler *sw = open_with_real_clock();
    call_once(sw, 0, MANY);
    sw_flush(sw, 1000000000);
    size_t before = allocated();
    ck_assert_int_gt(sw_report_new(sw, &report, NULL), MANY);
    ck_assert_uint_le((allocated() - before) / MANY, KIB);
    sw_report_free(report);
    sw_end(sw, SW_FIT);
    sw_close(sw, NULL);
}
END_TEST

SUITE(hot_path)
{
    tcase_add_test(tc, an_action_takes_two_kib_at_most_until_its_durations_differ_much);
    tcase_add_test(tc, a_report_of_many_actions_keeps_no_empty_bins);
    tcase_add_test(tc, after_warm_up_a_loop_makes_no_system_call);
    tcase_add_test(tc, after_warm_up_a_loop_allocates_nothing);
}
