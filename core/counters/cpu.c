/* SPDX-License-Identifier: MIT */
/* cpu - how long the thread was on a CPU. Only this clock is exact: getrusage() counts in ticks of
 * the kernel, of 4 ms. */
#include "core/counters/counter.h"

#include <time.h>

static bool cpu_read(int64_t *value)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
        return false;
    *value = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return true;
}

const struct swi_counter swi_counter_cpu = {
    .name = "cpu",
    .label = "CPU Time",
    .unit = "ns",
    .kind = SW_COUNTER_SUM,
    .help = "time on a CPU",
    .read = cpu_read,
    .reading_counts = true,
};
