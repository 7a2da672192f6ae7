/* SPDX-License-Identifier: MIT */
/* What the threads do when nobody asks them to: the loop's thread makes no system call, and sinks
 * without work sleep. */
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/support/wake_ups.h"

#include <stepwatch/stepwatch.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define YAML                                                                                       \
    "profiler: { mode: simple, show_report: false }\n"                                             \
    "logger_callback: [{table: {path: report.txt}}, {markdown: {path: report.md}}, "               \
    "{csv: {path: report.csv}}, {runlog: {path: run.jsonl}}]\n"

enum { EPOCHS = 101, EPOCH_STEPS = 100, STEPS = EPOCHS * EPOCH_STEPS, BETWEEN_FLUSHES = 10 };

/* ---- a thread whose system calls are counted ------------------------------------------------- */

/* Shared with the child that runs the loop. */
struct watched {
    atomic_int call; /* number of the first; -1: there was none */
    atomic_bool refused;
    atomic_int to_flush, flushed; /* numbers of epochs */
    atomic_bool done;
    int closed;
    struct sw_error err;
};
static struct watched *watched;

static _Noreturn void loop_end(void)
{
    atomic_store(&watched->done, true);
    for (;;)
        __asm__ volatile("");
}

static void on_call(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    atomic_store(&watched->call, info->si_syscall);
    loop_end();
}

/* From now on the first system call of the calling thread is a SIGSYS instead. */
static bool calls_watch(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

static void step(struct sw_profiler *sw, int i)
{
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    sw_begin(sw, SW_FORWARD);
    sw_next(sw, SW_LOSS);
    sw_next(sw, SW_BACKWARD);
    sw_next(sw, SW_OPT_STEP);
    sw_end(sw, SW_OPT_STEP);
    sw_log(sw, "train/loss", 1.0 / (i + 1));
    sw_end_batch(sw, 64);
}

/* With marks among what is handed over. */
static void epoch(struct sw_profiler *sw, int number)
{
    sw_begin(sw, SW_EPOCH);
    sw_begin(sw, SW_TRAIN);
    for (int i = 0; i < EPOCH_STEPS; i++)
        step(sw, number * EPOCH_STEPS + i);
    sw_end(sw, SW_TRAIN);
    sw_end(sw, SW_EPOCH);
}

/* Waits, without a call, until another thread has flushed: on a busy machine the run log is slower
 * than a loop without work, and records would be dropped. */
static void wait_for_the_sinks(int number)
{
    if (number % BETWEEN_FLUSHES != 0)
        return;
    atomic_store(&watched->to_flush, number);
    while (atomic_load(&watched->flushed) < number)
        __asm__ volatile("");
}

/* A thread that is new to stepwatch gets memory at its first call. */
static void first_call(struct sw_profiler *sw)
{
    sw_begin(sw, sw_action("load"));
    sw_end(sw, sw_action("load"));
}

/* The whole fit is watched. The thread cannot end: that would be a system call, too. */
static void *loop(void *arg)
{
    struct sw_profiler *sw = arg;
    first_call(sw);
    if (!calls_watch()) {
        atomic_store(&watched->refused, true);
        loop_end();
    }
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < EPOCHS; i++) {
        epoch(sw, i);
        wait_for_the_sinks(i);
    }
    sw_end(sw, SW_FIT);
    loop_end();
}

/* Until it is open, a sink is taken to want all that it may want. */
static void wait_until_open(struct sw_profiler *sw)
{
    sw_hparam_int(sw, "seed", 1);
    sw_flush(sw, INT64_C(10000000000));
}

static void flush_if_asked(struct sw_profiler *sw)
{
    int number = atomic_load(&watched->to_flush);
    if (number > atomic_load(&watched->flushed) && sw_flush(sw, INT64_C(10000000000)) == 0)
        atomic_store(&watched->flushed, number);
}

static _Noreturn void run_watched(void)
{
    pthread_t thread;
    struct sw_profiler *sw = sw_open_text(YAML, &watched->err);
    if (!sw)
        _exit(1);
    wait_until_open(sw);
    pthread_create(&thread, NULL, loop, sw);
    while (!atomic_load(&watched->done)) {
        flush_if_asked(sw);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    if (watched->call < 0 && !watched->refused)
        watched->closed = sw_close(sw, &watched->err);
    _exit(0);
}

static int lines_with(const char *path, const char *word)
{
    int count = 0;
    char *text = scratch_read(path, NULL);
    for (const char *at = text; (at = strstr(at, word)); at++)
        count++;
    free(text);
    return count;
}

START_TEST(the_thread_of_a_loop_makes_no_system_call)
{
    int status;
    scratch_enter();
    if (SANITIZED) {
        puts("SKIP: system calls of a loop: a sanitizer makes some itself");
        return;
    }
    watched =
        mmap(NULL, sizeof *watched, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    watched->call = -1;
    pid_t child = fork();
    if (child == 0)
        run_watched();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(status == 0, "%s", sw_error_text(&watched->err));
    if (watched->refused) {
        puts("SKIP: system calls of a loop: no filter for them is allowed here");
        return;
    }
    ck_assert_msg(watched->call < 0, "system call number %d", watched->call);
    ck_assert_msg(watched->closed == 0, "%s", sw_error_text(&watched->err));
    ck_assert_int_eq(lines_with("run.jsonl", "\"type\":\"step\""), STEPS);
    ck_assert_int_eq(lines_with("run.jsonl", "\"name\":\"train/loss\""), STEPS);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

static long page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

/* 5,000 steps for the findings take 186 pages, which sw_open() has touched. */
START_TEST(the_steps_of_a_fit_need_no_new_memory)
{
    struct sw_error err;
    scratch_enter();
    struct sw_profiler *sw = sw_open_text("profiler: { mode: simple, show_report: false }\n"
                                          "logger_callback: [{markdown: {path: report.md}}]\n",
                                          &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    wait_until_open(sw);
    long before = page_faults();
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 5000; i++) {
        sw_begin(sw, SW_BATCH);
        sw_begin(sw, SW_FORWARD);
        sw_end(sw, SW_FORWARD);
        sw_end_batch(sw, 64);
    }
    long after = page_faults();
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    if (!SANITIZED)
        ck_assert_int_le(after - before, 40);
}
END_TEST

/* ---- threads that wait ----------------------------------------------------------------------- */

static void wait_s(int seconds)
{
    nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
}

/* The bound is for the six sinks of the benchmark; here are four. */
START_TEST(what_waits_for_a_long_step_sleeps)
{
    struct sw_error err;
    scratch_enter();
    struct sw_profiler *sw = sw_open_text(YAML, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_begin(sw, SW_FIT);
    step(sw, 0);
    wait_s(2);
    long before = wake_ups(getpid());
    wait_s(3);
    long after = wake_ups(getpid());
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    if (!SANITIZED)
        ck_assert_int_le(after - before, 3 * 8);
}
END_TEST

SUITE(quiet)
{
    tcase_add_test(tc, the_thread_of_a_loop_makes_no_system_call);
    tcase_add_test(tc, the_steps_of_a_fit_need_no_new_memory);
    tcase_add_test(tc, what_waits_for_a_long_step_sleeps);
}
