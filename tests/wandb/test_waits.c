/* SPDX-License-Identifier: MIT */
/* test_waits.c - the loop never waits for the run's file or its upload. The kernel itself watches
 * the loop's thread: it may wake others and ask for memory, and any call that could wait for a
 * disk, a server or a clock would end the process. How often it slept is counted by the kernel as
 * well. */
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"
#include "tests/wandb/online.h"

#include <stepwatch/stepwatch.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WARM_UP = 2000, STEPS = 20000, CALLS = 2 * STEPS, NO_SECCOMP = -2 };

static void steps(struct sw_profiler *sw, int count)
{
    for (int i = 0; i < count; i++) {
        sw_begin(sw, SW_BATCH);
        sw_log(sw, "loss", i);
        sw_end_batch(sw, 64);
    }
}

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* A lock is allowed: whoever holds the queue's does nothing but move a pointer. */
static bool forbid_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(SYS_futex),
        ALLOW(SYS_brk),
        ALLOW(SYS_mmap),
        ALLOW(SYS_munmap),
        ALLOW(SYS_mprotect),
        ALLOW(SYS_madvise),
        ALLOW(SYS_mremap),
        ALLOW(SYS_getrusage),
        ALLOW(SYS_write),
        ALLOW(SYS_exit_group),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static long sleeps(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* Tells how often the loop slept, and ends. */
static void watch(const char *sinks, int done)
{
    char yaml[512];
    struct sw_error err;
    snprintf(yaml, sizeof yaml,
             "profiler: {mode: throughput, show_report: false, signals: false}\n%s", sinks);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    if (!sw)
        _exit(99);
    sw_set_messages(sw, NULL, NULL);
    steps(sw, WARM_UP);
    long count = NO_SECCOMP;
    if (forbid_system_calls()) {
        long before = sleeps();
        steps(sw, STEPS);
        count = sleeps() - before;
    }
    _exit(write(done, &count, sizeof count) == sizeof count ? 0 : 1);
}

/* How often a loop with these sinks slept; -1 where it made a call that is forbidden. */
static long loop_sleeps(const char *sinks)
{
    int done[2], status = 0;
    long count = -1;
    ck_assert_int_eq(pipe(done), 0);
    pid_t child = fork();
    if (child == 0)
        watch(sinks, done[1]);
    close(done[1]);
    if (read(done[0], &count, sizeof count) != sizeof count)
        count = -1;
    close(done[0]);
    waitpid(child, &status, 0);
    return count;
}

static void watched(const char *sinks)
{
    long count = loop_sleeps(sinks);
    if (count == NO_SECCOMP) {
        puts("SKIP: this kernel has no seccomp");
        return;
    }
    ck_assert_msg(count >= 0, "the loop made a system call that could wait");
    /* Less than one call in a thousand. */
    ck_assert_msg(count * 1000 < CALLS, "the loop slept %ld times in %d calls", count, CALLS);
}

static bool skipped(void)
{
    if (SANITIZED)
        puts("SKIP: a sanitizer makes system calls of its own");
    return SANITIZED;
}

START_TEST(the_loop_never_waits_for_the_runs_file)
{
    if (skipped())
        return;
    struct host *host = host_open("wandb", "mode: disabled\n"); /* enters the scratch folder */
    host_close(host);
    watched("logger_callback: [wandb: {mode: offline, system: false}]\n");
}
END_TEST

START_TEST(the_loop_never_waits_for_the_service)
{
    static const char *const faults[] = {"mute", "drip",    "dead",
                                         "500",  "endless", "drip on=file_stream"};
    struct service *service = skipped() ? NULL : online_begin("");
    if (!service)
        return;
    struct host *host = host_open("wandb", "mode: disabled\n");
    host_close(host);
    service_say(service, "fault %s", faults[_i]);
    watched("logger_callback: [wandb: {mode: online, system: false}]\n");
    service_close(service);
}
END_TEST

SUITE(wandb_waits)
{
    tcase_add_test(tc, the_loop_never_waits_for_the_runs_file);
    tcase_add_loop_test(tc, the_loop_never_waits_for_the_service, 0, 6);
}
