/* SPDX-License-Identifier: MIT */
#include "monitors/common/machine_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* ---- processors ------------------------------------------------------------------------------ */

/* Fields of the line `cpu`: user nice system idle iowait irq softirq steal. The two after them are
 * in user and nice already. */
bool swi_cpu_times(const struct swi_machine *machine, uint64_t times[2])
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

/* ---- disks ----------------------------------------------------------------------------------- */

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
static bool disk_read(const struct swi_machine *machine, const char *line, struct swi_disk *disk)
{
    enum { SECTOR = 512 };
    unsigned long long read, written;
    if (sscanf(line, "%*u %*u %63s %*u %*u %llu %*u %*u %*u %llu", disk->name, &read, &written) !=
            3 ||
        !is_disk(machine, disk->name))
        return false;
    disk->bytes[0] = read * SECTOR;
    disk->bytes[1] = written * SECTOR;
    return true;
}

size_t swi_disks_read(const struct swi_machine *machine, struct swi_disk **list)
{
    char *text = swi_machine_text(machine, "/proc/diskstats");
    size_t count = 0;
    *list = NULL;
    for (const char *line = text; line; line = swi_text_next_line(line)) {
        struct swi_disk disk, *grown;
        if (!disk_read(machine, line, &disk) ||
            !(grown = realloc(*list, (count + 1) * sizeof *grown)))
            continue;
        *list = grown;
        grown[count++] = disk;
    }
    free(text);
    return count;
}

double swi_filesystem_use(const char *path, double *used, double *available)
{
    struct statvfs status;
    if (statvfs(path, &status) != 0 || !status.f_blocks)
        return -1;
    double block = (double)status.f_frsize;
    double blocks = (double)(status.f_blocks - status.f_bfree),
           all = blocks + (double)status.f_bavail;
    *used = blocks * block;
    *available = (double)status.f_bavail * block;
    return all > 0 ? 100 * blocks / all : 0;
}

/* ---- the network ----------------------------------------------------------------------------- */

/* The file has a line of names for each protocol, then one of values. */
static bool sent_again(const char *text, uint64_t *segments)
{
    static const char field[] = " RetransSegs";
    const char *names = strncmp(text, "Tcp:", 4) == 0 ? text : strstr(text, "\nTcp:");
    names += names && *names == '\n';
    const char *values = names ? swi_text_next_line(names) : NULL;
    const char *found = names ? strstr(names, field) : NULL;
    if (!values || strncmp(values, "Tcp:", 4) != 0 || !found || found > values)
        return false;
    const char *end = values + strcspn(values, "\n");
    for (const char *at = names; values && at <= found; at++)
        if (*at == ' ')
            values = memchr(values + 1, ' ', (size_t)(end - values - 1));
    return values && swi_text_count(&values, segments);
}

bool swi_tcp_sent_again(const struct swi_machine *machine, uint64_t *segments)
{
    char text[SWI_MACHINE_TEXT];
    return swi_machine_read(machine, "/proc/net/snmp", text, sizeof text) &&
           sent_again(text, segments);
}
