/* SPDX-License-Identifier: MIT */
/* page_faults, major_faults, switches and preempted - one system call returns all four, exactly. */
#include "core/counters/counter.h"

#include <sys/resource.h>

static _Thread_local struct {
    uint64_t reading; /* the reading that `usage` belongs to */
    bool fine;
    struct rusage usage;
} kept;

static const struct rusage *usage(void)
{
    if (kept.reading != swi_reading_number || !kept.fine) {
        kept.fine = getrusage(RUSAGE_THREAD, &kept.usage) == 0;
        kept.reading = swi_reading_number;
    }
    return kept.fine ? &kept.usage : NULL;
}

static bool page_faults_read(int64_t *value)
{
    const struct rusage *u = usage();
    *value = u ? u->ru_minflt + u->ru_majflt : 0;
    return u;
}

static bool major_faults_read(int64_t *value)
{
    const struct rusage *u = usage();
    *value = u ? u->ru_majflt : 0;
    return u;
}

static bool switches_read(int64_t *value)
{
    const struct rusage *u = usage();
    *value = u ? u->ru_nvcsw + u->ru_nivcsw : 0;
    return u;
}

static bool preempted_read(int64_t *value)
{
    const struct rusage *u = usage();
    *value = u ? u->ru_nivcsw : 0;
    return u;
}

#define DEFINE(id, text, is)                                                                       \
    const struct swi_counter swi_counter_##id = {.name = #id,                                      \
                                                 .label = (text),                                  \
                                                 .unit = "",                                       \
                                                 .kind = SW_COUNTER_SUM,                           \
                                                 .help = (is),                                     \
                                                 .read = id##_read}

DEFINE(page_faults, "Page Faults",
       "pages that were not mapped when the thread used them (minor and major faults)");
DEFINE(major_faults, "Major Faults", "pages that the kernel had to read from a disk");
DEFINE(switches, "Switches",
       "times that the thread left its CPU, because it waited or was preempted");
DEFINE(preempted, "Preempted", "times that another thread took the thread's CPU");
