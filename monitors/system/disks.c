/* SPDX-License-Identifier: MIT */
#include "monitors/system/disks.h"
#include "monitors/common/machine_counts.h"

#include <stdlib.h>

static void filesystem(const struct swi_system *system, const char *path)
{
    double used, available, percent = swi_filesystem_use(path, &used, &available);
    if (percent < 0)
        return;
    swi_give(system, percent, "system/filesystem/%s/used_percent", path);
    swi_give(system, used, "system/filesystem/%s/used_bytes", path);
}

void swi_sample_disks(struct swi_system *system)
{
    struct swi_disk *list;
    size_t count = swi_disks_read(&system->machine, &list);
    for (size_t i = 0; i < count; i++) {
        swi_give_rate(system, list[i].bytes[0], "system/disk/%s/read_bytes_per_s", list[i].name);
        swi_give_rate(system, list[i].bytes[1], "system/disk/%s/written_bytes_per_s", list[i].name);
    }
    free(list);
    for (size_t i = 0; system->filesystems && system->filesystems[i]; i++)
        filesystem(system, system->filesystems[i]);
}
