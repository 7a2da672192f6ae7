/* SPDX-License-Identifier: MIT */
/* A program closes descriptors that it does not know, and its own files get their numbers: nothing
 * of stepwatch writes to those files or closes them. The rows closed_descriptors and closed_sinks
 * of tests/faults try it with a loop and a server. */
#include "core/files/identity.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 256 };

/* Descriptors that the program has. */
static bool known[NUMBERS];
static struct swi_identity mine;

static void numbers_know(void)
{
    struct stat st;
    for (int fd = 0; fd < NUMBERS; fd++)
        known[fd] = fstat(fd, &st) == 0;
}

/* Gives a file of the program each number that was opened since, as closing and opening does.
 * Returns how many there are. */
static int numbers_take(void)
{
    struct stat st;
    int taken = 0, fd = open("mine", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    mine = swi_identity_of(fd);
    known[fd] = true;
    for (int other = 0; other < NUMBERS; other++)
        if (!known[other] && fstat(other, &st) == 0) {
            ck_assert_int_eq(dup3(fd, other, O_CLOEXEC), other);
            taken++;
        }
    return taken;
}

/* The program's file is empty, and all of its descriptors are open. */
static void check_mine(int taken)
{
    struct stat st;
    int open_ones = 0;
    for (int fd = 0; fd < NUMBERS; fd++)
        if (!known[fd] && swi_identity_holds(&mine, fd, &st))
            open_ones++;
    ck_assert_int_eq(open_ones, taken);
    ck_assert(stat("mine", &st) == 0 && st.st_size == 0);
}

static struct sw_profiler *profiler_open(const char *profiler, const char *sink,
                                         const char *options)
{
    char yaml[1024];
    SW_ERROR_SCOPE(err);
    snprintf(yaml, sizeof yaml,
             "profiler: { mode: simple, show_report: false%s }\nlogger_callback: [ %s: { %s } ]\n",
             profiler, sink, options);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    return sw;
}

static void fit(struct sw_profiler *sw)
{
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_log(sw, "loss", i);
        sw_end_batch(sw, 8);
    }
    sw_end(sw, SW_FIT);
    sw_flush(sw, INT64_C(10000000000));
}

/* ---- sinks ----------------------------------------------------------------------------------- */

static const struct {
    const char *sink, *options;
} sinks[] = {
    {"csv", "path: out"},
    {"runlog", "path: out, detail: regions"},
    {"trace", "path: out"},
    {"sqlite", "database: out"},
    {"sqlite", "layout: trackio"},
    {"tensorboard", "logdir: out"},
    {"wandb", "mode: offline, dir: out"},
    {"mlflow", "mode: offline, dir: out"},
    {"prometheus", "listen: '127.0.0.1:0'"},
};
enum { SINKS = sizeof sinks / sizeof *sinks };

START_TEST(no_sink_uses_what_the_program_has_closed)
{
    char plugin[4096];
    snprintf(plugin, sizeof plugin, BUILDDIR "/sinks/.libs/%s.so", sinks[_i].sink);
    if (access(plugin, F_OK) != 0) {
        printf("SKIP: closed: the sink %s is not built\n", sinks[_i].sink);
        return;
    }
    setenv("TRACKIO_DIR", scratch_enter(), 1);
    numbers_know();
    struct sw_profiler *sw = profiler_open("", sinks[_i].sink, sinks[_i].options);
    fit(sw);
    int taken = numbers_take();
    fit(sw);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    check_mine(taken);
}
END_TEST

/* ---- core ------------------------------------------------------------------------------------ */

START_TEST(the_watchdog_ends_without_a_descriptor)
{
    scratch_enter();
    numbers_know();
    struct sw_profiler *sw = profiler_open(", watchdog: 60s", "csv", "path: out");
    int taken = numbers_take();
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    check_mine(taken);
}
END_TEST

static void *count_and_end(void *profiler)
{
    struct sw_profiler *sw = profiler;
    sw_begin(sw, SW_DRAW);
    sw_end(sw, SW_DRAW);
    int *taken = malloc(sizeof *taken);
    *taken = numbers_take();
    sw_begin(sw, SW_DRAW);
    sw_end(sw, SW_DRAW);
    return taken;
}

/* The file of the counter cpu_wait is opened and closed by the thread whose waits it counts. */
START_TEST(a_thread_that_ends_closes_no_file_of_the_program)
{
    pthread_t thread;
    void *taken;
    scratch_enter();
    struct sw_profiler *sw = profiler_open(", counters: [cpu_wait]", "csv", "path: out");
    numbers_know();
    ck_assert_int_eq(pthread_create(&thread, NULL, count_and_end, sw), 0);
    pthread_join(thread, &taken);
    ck_assert_int_ge(*(int *)taken, 1);
    check_mine(*(int *)taken);
    free(taken);
    sw_close(sw, NULL);
}
END_TEST

/* A program that closes all descriptors may get the number of stdout for a file of its own data. */
START_TEST(messages_and_tables_do_not_go_to_a_file_of_data)
{
    scratch_enter();
    int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    struct sw_profiler *sw = profiler_open("", "table", "live: off");
    int data = open("mine", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fflush(stdout);
    dup2(data, STDOUT_FILENO);
    dup2(data, STDERR_FILENO);
    fit(sw);
    sw_close(sw, NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    struct stat st;
    ck_assert(stat("mine", &st) == 0 && st.st_size == 0);
}
END_TEST

/* As a shell or freopen() redirects it. */
START_TEST(a_table_goes_to_where_the_program_redirects_its_output)
{
    scratch_enter();
    int out = dup(STDOUT_FILENO);
    struct sw_profiler *sw = profiler_open("", "table", "live: off");
    int log = open("log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fflush(stdout);
    dup2(log, STDOUT_FILENO);
    fit(sw);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    dup2(out, STDOUT_FILENO);
    struct stat st;
    ck_assert(stat("log", &st) == 0 && st.st_size > 0);
}
END_TEST

SUITE(closed)
{
    /* For it, to use a number that another thread closes is a race. */
    if (TEST_SANITIZER[0] && strstr(TEST_SANITIZER, "thread")) {
        puts("SKIP: closed: the thread sanitizer knows descriptors by their numbers only");
        return;
    }
    tcase_add_loop_test(tc, no_sink_uses_what_the_program_has_closed, 0, SINKS);
    tcase_add_test(tc, the_watchdog_ends_without_a_descriptor);
    tcase_add_test(tc, a_thread_that_ends_closes_no_file_of_the_program);
    tcase_add_test(tc, messages_and_tables_do_not_go_to_a_file_of_data);
    tcase_add_test(tc, a_table_goes_to_where_the_program_redirects_its_output);
}
