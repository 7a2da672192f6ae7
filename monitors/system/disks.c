/* SPDX-License-Identifier: MIT */
#include "monitors/system/disks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* Whole disks: no partitions, and nothing that is memory or a file or is made of other disks. */
static bool is_disk(const struct swi_machine *machine, const char *name)
{
    static const char *const other[] = {"loop", "ram", "zram", "dm-", "md", "sr", "fd"};
    char path[SWI_MACHINE_PATH];
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strncmp(name, other[i], strlen(other[i])) == 0)
            return false;
    snprintf(path, sizeof path, "/sys/block/%.64s", name);
    return swi_machine_has(machine, path);
}

/* Sectors are of 512 bytes there, whatever the disk has. */
static void disk(struct swi_system *system, const char *line)
{
    enum { SECTOR = 512 };
    char name[64];
    unsigned long long read, written;
    if (sscanf(line, "%*u %*u %63s %*u %*u %llu %*u %*u %*u %llu", name, &read, &written) != 3 ||
        !is_disk(&system->machine, name))
        return;
    swi_give_rate(system, read * SECTOR, "system/disk/%s/read_bytes_per_s", name);
    swi_give_rate(system, written * SECTOR, "system/disk/%s/written_bytes_per_s", name);
}

/* As df shows it: the part that only root may use counts as neither used nor available. */
static void filesystem(const struct swi_system *system, const char *path)
{
    struct statvfs status;
    if (statvfs(path, &status) != 0 || !status.f_blocks)
        return;
    double used = (double)(status.f_blocks - status.f_bfree), all = used + (double)status.f_bavail;
    swi_give(system, all > 0 ? 100 * used / all : 0, "system/filesystem/%s/used_percent", path);
    swi_give(system, used * (double)status.f_frsize, "system/filesystem/%s/used_bytes", path);
}

void swi_sample_disks(struct swi_system *system)
{
    char *text = swi_machine_text(&system->machine, "/proc/diskstats");
    for (const char *line = text; line; line = swi_text_next_line(line))
        disk(system, line);
    free(text);
    for (size_t i = 0; system->filesystems && system->filesystems[i]; i++)
        filesystem(system, system->filesystems[i]);
}
