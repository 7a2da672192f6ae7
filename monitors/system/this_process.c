/* SPDX-License-Identifier: MIT */
/* this_process.c - CPU, memory and input of this process. */

#include "monitors/system/machine_use.h"
#include "monitors/common/cgroup.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PSS_NS INT64_C(15000000000) /* reading it takes 12 ms for each GiB */

/* ---- how many CPUs it may use ---------------------------------------------------------------- */

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

/* Returns on how many CPUs the process may run, of those that are there; 0: unknown. Quotas do not
 * count. status: the content of its file of that name, for what the kernel does not answer. */
static double cpus_allowed(const struct swi_machine *machine, const char *status)
{
    /* More than any kernel takes: one cpu_set_t would be too small for its mask. */
    cpu_set_t set[64];
    /* Of the main thread: the calling one is stepwatch's own. */
    if (!*machine->root && sched_getaffinity(getpid(), sizeof set, set) == 0)
        return CPU_COUNT_S(sizeof set, set);
    return listed(machine, status);
}

static bool quota_read(const struct swi_cgroup *group, const struct swi_machine *machine,
                       double *cpus)
{
    char text[64];
    const char *at = text;
    uint64_t limit, period;
    int64_t quota, length;
    if (group->version == 2) {
        if (!swi_cgroup_read(group, machine, "cpu.max", text, sizeof text) ||
            !swi_text_count(&at, &limit) || !swi_text_count(&at, &period) || !period)
            return false;
        *cpus = (double)limit / (double)period;
        return true;
    }
    if (!swi_cgroup_number(group, machine, "cpu.cfs_quota_us", &quota) || quota <= 0 ||
        !swi_cgroup_number(group, machine, "cpu.cfs_period_us", &length) || length <= 0)
        return false;
    *cpus = (double)quota / (double)length;
    return true;
}

/* How many CPUs the process may use, maybe a fraction; 0: unknown. status: its file of that name.
 */
static double cpus_available(const struct swi_machine *machine, const char *status)
{
    struct swi_cgroup group;
    double cpus = cpus_allowed(machine, status), quota;
    swi_cgroup_find(&group, machine, "cpu");
    for (bool more = group.version; more; more = swi_cgroup_up(&group))
        if (quota_read(&group, machine, &quota) && (cpus <= 0 || quota < cpus))
            cpus = quota;
    return cpus;
}

/* ---- the process ----------------------------------------------------------------------------- */

/* Fields 14 and 15 of its stat. The name in field 2 may hold anything, so they are counted from the
 * last bracket. */
static bool stat_cpu(const struct swi_machine *machine, uint64_t *ticks)
{
    char text[1024];
    uint64_t user, kernel;
    if (!swi_machine_read(machine, "/proc/self/stat", text, sizeof text))
        return false;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 14; field++)
        at = strchr(at + 1, ' ');
    if (!at || !swi_text_count(&at, &user) || !swi_text_count(&at, &kernel))
        return false;
    *ticks = user + kernel;
    return true;
}

static bool clock_ns(clockid_t clock, int64_t *ns)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        return false;
    *ns = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    return true;
}

/* Gets how long all threads of this process have run on CPUs, ever, and when that was read. If the
 * thread is interrupted between the two, they are read again: else a share of a short time would be
 * above all that there is. */
static bool cpu_used(int64_t *cpu_ns, int64_t *time_ns)
{
    enum { TRIES = 10, NEAR_NS = 20000 };
    int64_t before, used, after, gap = INT64_MAX;
    for (int i = 0; i < TRIES && gap > NEAR_NS; i++) {
        if (!clock_ns(CLOCK_MONOTONIC, &before) || !clock_ns(CLOCK_PROCESS_CPUTIME_ID, &used) ||
            !clock_ns(CLOCK_MONOTONIC, &after))
            return false;
        if (after - before >= gap)
            continue;
        gap = after - before;
        *cpu_ns = used;
        *time_ns = after;
    }
    return true;
}

/* The clock is exact; the files count ticks. per_s: set to how many of them are a second. */
static bool cpu_time(const struct swi_system *system, uint64_t *time, int64_t *now_ns,
                     double *per_s)
{
    const struct swi_machine *machine = &system->machine;
    int64_t used_ns = 0;
    *per_s = *machine->root ? (double)machine->ticks_per_s : 1e9;
    *now_ns = system->time_ns;
    if (*machine->root)
        return stat_cpu(machine, time);
    bool known = cpu_used(&used_ns, now_ns);
    *time = (uint64_t)used_ns;
    return known;
}

static void cpu(struct swi_system *system, const char *status)
{
    double cpus = cpus_available(&system->machine, status), grown, seconds, per_s;
    uint64_t time;
    int64_t now_ns;
    if (cpus > 0)
        swi_give(system, cpus, "process/cpus_available");
    if (!cpu_time(system, &time, &now_ns, &per_s) ||
        !swi_rate_parts(&system->rates, "process/cpu", time, now_ns, &grown, &seconds))
        return;
    double used = grown / per_s / seconds;
    swi_give(system, used, "process/cpus_used");
    if (cpus > 0)
        swi_give(system, 100 * used / cpus, "process/cpu_percent");
}

static void memory(struct swi_system *system, const char *status,
                   const struct swi_memory_left *memory)
{
    char text[256];
    const char *at = text;
    uint64_t whole, resident, kib;
    if (swi_machine_read(&system->machine, "/proc/self/statm", text, sizeof text) &&
        swi_text_count(&at, &whole) && swi_text_count(&at, &resident)) {
        double bytes = (double)resident * (double)system->machine.page_size;
        swi_give(system, bytes, "process/rss_bytes");
        if (memory->total > 0)
            swi_give(system, 100 * bytes / memory->total, "process/rss_percent");
    }
    if (swi_text_field(status, "VmHWM:", &kib))
        swi_give(system, (double)kib * 1024, "process/peak_rss_bytes");
    if (swi_text_field(status, "VmSwap:", &kib))
        swi_give(system, (double)kib * 1024, "process/swap_bytes");
}

static void pss(struct swi_system *system)
{
    char text[2048];
    uint64_t kib;
    bool due = !system->pss_ns || system->time_ns - system->pss_ns >= PSS_NS;
    if (!system->pss || !due)
        return;
    system->pss_ns = system->time_ns;
    if (swi_machine_read(&system->machine, "/proc/self/smaps_rollup", text, sizeof text) &&
        swi_text_field(text, "Pss:", &kib))
        swi_give(system, (double)kib * 1024, "process/pss_bytes");
}

static void io(struct swi_system *system)
{
    char text[512];
    uint64_t bytes;
    if (!swi_machine_read(&system->machine, "/proc/self/io", text, sizeof text))
        return;
    if (swi_text_field(text, "read_bytes:", &bytes))
        swi_give_rate(system, bytes, "process/read_bytes_per_s");
    if (swi_text_field(text, "write_bytes:", &bytes))
        swi_give_rate(system, bytes, "process/written_bytes_per_s");
}

void swi_sample_process(struct swi_system *system, const struct swi_memory_left *available)
{
    uint64_t threads;
    char *text = swi_machine_text(&system->machine, "/proc/self/status");
    const char *status = text ? text : "";
    cpu(system, status);
    memory(system, status, available);
    if (swi_text_field(status, "Threads:", &threads))
        swi_give(system, (double)threads, "process/threads");
    free(text);
    pss(system);
    io(system);
}
