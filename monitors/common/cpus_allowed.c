/* SPDX-License-Identifier: MIT */
#include "monitors/common/cpus_allowed.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
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
