/* SPDX-License-Identifier: MIT */
#include "monitors/system/machine_cpu.h"
#include "monitors/common/machine_counts.h"

#include <string.h>

static void busy(struct swi_system *system)
{
    uint64_t now[2], *before = system->cpu_before;
    if (!swi_cpu_times(&system->machine, now))
        return;
    /* Time spent waiting for a disk may later be counted as something else. */
    uint64_t idle = now[0] > before[0] ? now[0] - before[0] : 0;
    if (system->has_cpu && now[1] > before[1]) {
        uint64_t all = now[1] - before[1];
        swi_give(system, 100 * (1 - (double)(idle < all ? idle : all) / (double)all),
                 "system/cpu_percent");
    }
    memcpy(before, now, sizeof now);
    system->has_cpu = true;
}

void swi_sample_cpu(struct swi_system *system)
{
    char text[128];
    const char *at = text;
    double load;
    busy(system);
    if (swi_machine_read(&system->machine, "/proc/loadavg", text, sizeof text) &&
        swi_text_decimal(&at, &load))
        swi_give(system, load, "system/load1");
}
