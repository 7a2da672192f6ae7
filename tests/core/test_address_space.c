/* SPDX-License-Identifier: MIT */
/* Runs under a limit of the address space (ulimit -v). */
#include "tests/support/sanitized.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/stepwatch.h>

#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { MIB = 1 << 20 };

static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    ck_assert(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static bool measure(void)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open_text("profiler: { show_report: false }\nlogger_callback: "
                                          "[{csv: {path: a.csv}}, {runlog: {path: a.jsonl}}]\n",
                                          &err);
    for (int i = 0; i < 10; i++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    return sw && sw_close(sw, &err) == 0;
}

/* Keeps the C library from taking 64 MiB for the first thread that allocates, which it does with
 * too little room only if the kernel happens to give it an aligned address: in one of 50 runs. */
static void arenas_forbid(void)
{
#ifdef __GLIBC__
    ck_assert_int_eq(mallopt(M_ARENA_MAX, 1), 1);
#endif
}

/* Returns whether a run works with so much more address space than the process has now. */
static bool works_with(size_t more)
{
    size_t limit = address_space() + more;
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
        _exit(!measure());
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status == 0;
}

/* What stepwatch would take in advance is left to the program and to threads and plugins, which
 * could not be started or loaded without it. */
START_TEST(a_run_that_works_with_little_works_with_more)
{
    size_t enough = 0;
    scratch_enter();
    if (SANITIZED) {
        puts("SKIP: a sanitizer takes address space of its own");
        return;
    }
    arenas_forbid();
    for (size_t mib = 8; mib <= 160; mib += 8) {
        bool works = works_with(mib * MIB);
        ck_assert_msg(works || !enough, "%zu MiB are enough, and %zu MiB are not", enough, mib);
        enough = works && !enough ? mib : enough;
    }
    ck_assert(enough > 0);
}
END_TEST

SUITE(address_space)
{
    tcase_add_test(tc, a_run_that_works_with_little_works_with_more);
}
