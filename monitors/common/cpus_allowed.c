/* SPDX-License-Identifier: MIT */
#include "monitors/common/cpus_allowed.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Reads "3" or "3-5" at *at. */
static bool range_read(const char **at, uint64_t *first, uint64_t *last)
{
    *at += **at == ',';
    if (!swi_text_count(at, first))
        return false;
    *last = *first;
    if (**at == '-' && (++*at, !swi_text_count(at, last)))
        return false;
    return *first <= *last;
}

/* Returns how many CPUs are in two lists like "0,3-5". */
static double in_both(const char *list, const char *other)
{
    double count = 0;
    uint64_t first, last, from, to;
    for (const char *a = list; range_read(&a, &first, &last);)
        for (const char *b = other; range_read(&b, &from, &to);) {
            uint64_t low = first > from ? first : from, high = last < to ? last : to;
            count += low <= high ? (double)(high - low + 1) : 0;
        }
    return count;
}

/* The list of a process has all CPUs that a machine could have: a virtual machine with room for 128
 * may have four. */
static double listed(const struct swi_machine *machine, const char *status)
{
    static const char field[] = "\nCpus_allowed_list:";
    const char *list = strstr(status, field);
    char *online = swi_machine_text(machine, "/sys/devices/system/cpu/online");
    double count = 0;
    if (list)
        count = in_both(list + sizeof field - 1, online ? online : "0-1048575");
    free(online);
    return count;
}

double swi_cpus_allowed(const struct swi_machine *machine, const char *status)
{
    /* More than any kernel takes: one cpu_set_t would be too small for its mask. */
    cpu_set_t set[64];
    /* Of the main thread: the calling one is stepwatch's own. */
    if (!*machine->root && sched_getaffinity(getpid(), sizeof set, set) == 0)
        return CPU_COUNT_S(sizeof set, set);
    return listed(machine, status);
}

static bool clock_ns(clockid_t clock, int64_t *ns)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return false;
    *ns = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    return true;
}

bool swi_cpu_used(int64_t *cpu_ns, int64_t *time_ns)
{
    enum { TRIES = 10, NEAR_NS = 20000 };
    int64_t before, used, after, apart = INT64_MAX;
    for (int i = 0; i < TRIES && apart > NEAR_NS; i++) {
        if (!clock_ns(CLOCK_MONOTONIC, &before) || !clock_ns(CLOCK_PROCESS_CPUTIME_ID, &used) ||
            !clock_ns(CLOCK_MONOTONIC, &after))
            return false;
        if (after - before >= apart)
            continue;
        apart = after - before;
        *cpu_ns = used;
        *time_ns = after;
    }
    return true;
}
