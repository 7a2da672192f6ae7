/* SPDX-License-Identifier: MIT */
#include "monitors/common/memory_left.h"

#include "monitors/common/cgroup.h"

#include <stdio.h>

/* How the files of a version of control groups are named, and what may be dropped at any time. */
static const struct group_files {
    const char *limit, *used, *droppable;
} group_files[] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
    {"memory.max", "memory.current", "inactive_file "},
};

/* A limit that is not below what there is limits nothing: version 1 has a large number there. */
static void group_take(struct swi_memory_left *memory, const struct swi_machine *machine,
                       const struct swi_cgroup *group)
{
    const struct group_files *files = &group_files[group->version - 1];
    char text[SWI_MACHINE_TEXT];
    int64_t limit, used;
    uint64_t droppable = 0;
    if (!swi_cgroup_number(group, machine, files->limit, &limit) || limit <= 0 ||
        (double)limit >= memory->total)
        return;
    memory->total = (double)limit;
    memory->available = -1;
    if (!swi_cgroup_number(group, machine, files->used, &used) || used < 0)
        return;
    if (swi_cgroup_read(group, machine, "memory.stat", text, sizeof text))
        swi_text_field(text, files->droppable, &droppable);
    double left = (double)limit - ((double)used - (double)droppable);
    memory->available = left > 0 ? left : 0;
}

void swi_memory_find(const struct swi_machine *machine, struct swi_memory_left *memory)
{
    char text[SWI_MACHINE_TEXT];
    struct swi_cgroup group;
    uint64_t kib;
    *memory = (struct swi_memory_left){-1, -1, -1, -1};
    if (!swi_machine_read(machine, "/proc/meminfo", text, sizeof text))
        return;
    if (swi_text_field(text, "MemTotal:", &kib))
        memory->total = (double)kib * 1024;
    if (swi_text_field(text, "MemAvailable:", &kib))
        memory->available = (double)kib * 1024;
    memory->machine_total = memory->total;
    memory->machine_available = memory->available;
    swi_cgroup_find(&group, machine, "memory");
    for (bool more = group.version && memory->total > 0; more; more = swi_cgroup_up(&group))
        group_take(memory, machine, &group);
}
