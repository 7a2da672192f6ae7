/* SPDX-License-Identifier: MIT */
#include "monitors/system/machine_memory.h"

static void swap(const struct swi_system *system)
{
    char text[SWI_MACHINE_TEXT];
    uint64_t total, left;
    if (!swi_machine_read(&system->machine, "/proc/meminfo", text, sizeof text) ||
        !swi_text_field(text, "SwapTotal:", &total) || !swi_text_field(text, "SwapFree:", &left) ||
        left > total)
        return;
    double used = total ? 100 * (double)(total - left) / (double)total : 0;
    swi_give(system, used, "system/swap_percent");
}

void swi_sample_memory(struct swi_system *system, const struct swi_memory_left *memory)
{
    double total = memory->total, available = memory->available;
    if (total > 0)
        swi_give(system, total, "system/memory_total_bytes");
    if (available >= 0)
        swi_give(system, available, "system/memory_available_bytes");
    if (total > 0 && available >= 0)
        swi_give(system, 100 * (total - available) / total, "system/memory_percent");
    swap(system);
}
