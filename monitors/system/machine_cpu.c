/* SPDX-License-Identifier: MIT */
#include "monitors/system/machine_cpu.h"

#include <string.h>

/* Fields of the line `cpu`: user nice system idle iowait irq softirq steal. The two after them are
 * in user and nice already. */
static bool times_read(const struct swi_machine *machine, uint64_t times[2])
{
    enum { IDLE = 3, IOWAIT, FIELDS = 8 };
    char text[SWI_MACHINE_TEXT];
    uint64_t field, idle = 0, all = 0;
    if (!swi_machine_read(machine, "/proc/stat", text, sizeof text) ||
        strncmp(text, "cpu ", 4) != 0)
        return false;
    const char *at = text + 4;
    for (int i = 0; i < FIELDS; i++) {
        if (!swi_text_count(&at, &field))
            return false;
        all += field;
        idle += i == IDLE || i == IOWAIT ? field : 0;
    }
    times[0] = idle;
    times[1] = all;
    return true;
}

static void busy(struct swi_system *system)
{
    uint64_t now[2], *before = system->cpu_before;
    if (!times_read(&system->machine, now))
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
