/* SPDX-License-Identifier: MIT */
/* What libstepwatch-memory adds to a malloc() and its free(). This program starts itself, in turn
 * without and with the library preloaded, for libc's allocator and those that are installed. */
#include "bench/bench.h"
#include "bench/allocations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 400000, HELD = 512, SIZE = 64, CASES = 2 };

static void *volatile seen;

static double pairs(int held)
{
    static void *block[HELD];
    int64_t begin = now_ns();
    for (int i = 0; i < PAIRS / held; i++) {
        for (int k = 0; k < held; k++)
            seen = block[k] = malloc(SIZE);
        for (int k = 0; k < held; k++)
            free(block[k]);
    }
    return (double)(now_ns() - begin) / (PAIRS / held * held);
}

void allocations_child(void)
{
    pairs(HELD);
    printf("%.3f %.3f\n", pairs(1), pairs(HELD));
}

/* Nanoseconds of both cases; false if a library cannot be preloaded. */
static bool child_run(const char *preload, double ns[CASES])
{
    char command[1024];
    char program[512];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size < 0)
        return false;
    program[size] = '\0';
    snprintf(command, sizeof command, "LD_PRELOAD='%s' '%s' " ALLOCATIONS_CHILD " 2>&1", preload,
             program);
    FILE *out = popen(command, "r");
    bool fine = out && fscanf(out, "%lf %lf", &ns[0], &ns[1]) == CASES;
    if (out)
        pclose(out);
    return fine;
}

static void results_add(const char *allocator, const char *held, const double *plain,
                        const double *counted)
{
    char name[64];
    double least_plain = plain[0], least_counted = counted[0];
    for (int i = 1; i < REPEATS; i++) {
        least_plain = plain[i] < least_plain ? plain[i] : least_plain;
        least_counted = counted[i] < least_counted ? counted[i] : least_counted;
    }
    snprintf(name, sizeof name, "%s_pair%s", allocator, held);
    result_add(name, "ns", plain, REPEATS);
    snprintf(name, sizeof name, "%s_pair%s_counted", allocator, held);
    result_add(name, "ns", counted, REPEATS);
    snprintf(name, sizeof name, "%s_pair%s_more", allocator, held);
    result_add_one(name, "ns", least_counted - least_plain);
}

static void allocator_run(const char *name, const char *library)
{
    double plain[CASES][REPEATS], counted[CASES][REPEATS], ns[CASES];
    char both[512];
    snprintf(both, sizeof both, MEMORY_LIBRARY "%s%s", *library ? ":" : "", library);
    for (int i = 0; i < REPEATS; i++) {
        if (!child_run(library, ns))
            return;
        plain[0][i] = ns[0];
        plain[1][i] = ns[1];
        if (!child_run(both, ns))
            return;
        counted[0][i] = ns[0];
        counted[1][i] = ns[1];
    }
    results_add(name, "", plain[0], counted[0]);
    results_add(name, "_512", plain[1], counted[1]);
}

void allocations_run(void)
{
    allocator_run("malloc", "");
    allocator_run("jemalloc", "libjemalloc.so.2");
    allocator_run("tcmalloc", "libtcmalloc_minimal.so.4");
    allocator_run("mimalloc", "libmimalloc.so.2");
}
