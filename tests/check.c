/* SPDX-License-Identifier: MIT */
/* check.c - runs every suite, or those named on the command line, each in a process of its own.
 * Most tests wait for a thread, a disk or a server, so several run at a time: as many as CHECK_JOBS
 * says. CHECK_WITHOUT lists suites to leave out, separated by spaces.
 *
 * CHECK_TIMES=1 prints how long each suite took, and how much of it on a processor.
 *
 * A suite that fails beside others runs again at the end, alone, where it has the machine for
 * itself. One that fails twice has failed; one that passes then is named as unstable. */
#include "tests/support/suite.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SUITES_MAX = 256, JOBS = 6, COPY_BYTES = 4096 };

static struct suite {
    const char *name;
    void (*fill)(TCase *tc);
    bool is_long;
    pid_t process;
    FILE *output;
    double began;
    bool done;
} suites[SUITES_MAX];
static size_t suite_count;

/* What came out, for the process that waits. */
static struct result {
    int checks, failures, errors;
    bool whole;
} * results;

void suite_add(const char *name, bool is_long, void (*fill)(TCase *tc))
{
    if (suite_count == SUITES_MAX)
        abort();
    suites[suite_count++] = (struct suite){.name = name, .fill = fill, .is_long = is_long};
}

static bool left_out(const char *name)
{
    const char *list = getenv("CHECK_WITHOUT");
    size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool named(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1 && !left_out(name);
}

static bool failed(const struct result *result)
{
    return result->failures > 0 || result->errors > 0;
}

/* ---- in the process of a suite --------------------------------------------------------------- */

/* Check has handlers of its own, which are no business of a test's process. */
static void signals_reset(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

static Suite *suite_make(const struct suite *described)
{
    Suite *suite = suite_create(described->name);
    TCase *tc = tcase_create(described->name);
    /* Generous: a sanitized build under valgrind on a busy machine. */
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, signals_reset, NULL);
    described->fill(tc);
    suite_add_tcase(suite, tc);
    return suite;
}

static void count(SRunner *runner, struct result *result)
{
    int count = srunner_ntests_failed(runner);
    TestResult **failure = srunner_failures(runner);
    for (int i = 0; i < count; i++)
        result->errors += tr_rtype(failure[i]) == CK_ERROR;
    free(failure);
    result->failures = count - result->errors;
    result->checks = srunner_ntests_run(runner);
    result->whole = true;
}

static int suite_run(const struct suite *suite, struct result *result)
{
    SRunner *runner = srunner_create(suite_make(suite));
    srunner_run_all(runner, CK_ENV);
    count(runner, result);
    srunner_free(runner);
    return EXIT_SUCCESS;
}

/* ---- in the process that waits --------------------------------------------------------------- */

/* A suite has none of the files of those beside it: dash knows only descriptors of one digit. */
static void outputs_close(void)
{
    for (size_t i = 0; i < suite_count; i++)
        if (suites[i].output && !suites[i].done)
            fclose(suites[i].output);
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void suite_start(struct suite *suite)
{
    fflush(NULL);
    suite->began = seconds();
    suite->output = tmpfile();
    suite->process = suite->output ? fork() : -1;
    if (suite->process < 0) {
        perror(suite->name);
        exit(EXIT_FAILURE);
    }
    if (suite->process > 0)
        return;
    dup2(fileno(suite->output), STDOUT_FILENO);
    dup2(fileno(suite->output), STDERR_FILENO);
    outputs_close();
    exit(suite_run(suite, &results[suite - suites]));
}

static void output_copy(FILE *from)
{
    char bytes[COPY_BYTES];
    size_t n;
    rewind(from);
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0)
        fwrite(bytes, 1, n, stdout);
    fclose(from);
    fflush(stdout);
}

static void time_print(const struct suite *suite, const struct rusage *used)
{
    if (getenv("CHECK_TIMES"))
        printf("%6.1f s, %6.1f s of a processor: %s\n", seconds() - suite->began,
               (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
                   (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1e6,
               suite->name);
}

/* Waits for any suite, and shows what it printed. A suite that ended before its last test is an
 * error. */
static void suite_wait(void)
{
    int status;
    struct rusage used;
    pid_t process = wait4(-1, &status, 0, &used);
    for (size_t i = 0; i < suite_count; i++) {
        struct suite *suite = &suites[i];
        if (suite->process != process || suite->done)
            continue;
        suite->done = true;
        output_copy(suite->output);
        time_print(suite, &used);
        if (!results[i].whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            printf("%s: the suite ended with status %#x\n", suite->name, (unsigned)status);
            results[i].errors++;
        }
    }
}

static int jobs(void)
{
    const char *wanted = getenv("CHECK_JOBS");
    int count = wanted ? atoi(wanted) : JOBS;
    return count > 0 ? count : 1;
}

static void start_when_free(struct suite *suite, int *running)
{
    if (*running == jobs())
        suite_wait();
    else
        (*running)++;
    suite_start(suite);
}

/* The long ones first: one that began last would run alone at the end. */
static void all_run(int argc, char **argv)
{
    int running = 0;
    for (int is_long = 1; is_long >= 0; is_long--)
        for (size_t i = 0; i < suite_count; i++)
            if (suites[i].is_long == is_long && named(suites[i].name, argc, argv))
                start_when_free(&suites[i], &running);
    while (running-- > 0)
        suite_wait();
}

/* Says whether the suite passed this time. */
static bool passes_alone(struct suite *suite)
{
    struct result *result = &results[suite - suites];
    printf("%s: failed beside other suites; now again, alone\n", suite->name);
    *result = (struct result){0};
    suite->done = false;
    suite_start(suite);
    suite_wait();
    return !failed(result);
}

static void failed_run_again(void)
{
    for (size_t i = 0; i < suite_count; i++)
        if (failed(&results[i]) && passes_alone(&suites[i]))
            printf("UNSTABLE: %s failed beside other suites and passed alone\n", suites[i].name);
}

static size_t suites_run(void)
{
    size_t count = 0;
    for (size_t i = 0; i < suite_count; i++)
        count += suites[i].done;
    return count;
}

static int summary(void)
{
    struct result sum = {0};
    for (size_t i = 0; i < suite_count; i++) {
        sum.checks += results[i].checks;
        sum.failures += results[i].failures;
        sum.errors += results[i].errors;
    }
    int bad = sum.failures + sum.errors;
    int passed = sum.checks > bad ? sum.checks - bad : 0;
    printf("%d%%: Checks: %d, Failures: %d, Errors: %d\n",
           sum.checks ? (int)(100LL * passed / sum.checks) : 0, sum.checks, sum.failures,
           sum.errors);
    return bad || !sum.checks ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The name of a suite is that in SUITE(), not that of its file. */
static void missing_print(const char *name)
{
    fprintf(stderr, "check: no suite is named \"%s\"; these names contain it:", name);
    for (size_t i = 0; i < suite_count; i++)
        if (strstr(suites[i].name, name))
            fprintf(stderr, " %s", suites[i].name);
    fprintf(stderr, "\n");
}

static bool all_exist(int argc, char **argv)
{
    bool all = true;
    for (int i = 1; i < argc; i++) {
        size_t at = 0;
        while (at < suite_count && strcmp(suites[at].name, argv[i]) != 0)
            at++;
        if (at == suite_count)
            missing_print(argv[i]);
        all = all && at < suite_count;
    }
    return all;
}

int main(int argc, char **argv)
{
    if (!all_exist(argc, argv))
        return EXIT_FAILURE;
    results = mmap(NULL, SUITES_MAX * sizeof *results, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED) {
        perror("check");
        return EXIT_FAILURE;
    }
    /* Where this program prints to decides nothing: a run of a test does not follow it. */
    setenv("STEPWATCH_CONSOLE", "", 1);
    all_run(argc, argv);
    if (suites_run() > 1)
        failed_run_again();
    return summary();
}
