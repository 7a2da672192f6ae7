/* SPDX-License-Identifier: MIT */
#include "monitors/common/machine_counts.h"
#include "monitors/common/cgroup.h"

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

/* ---- lists of disks and interfaces ----------------------------------------------------------- */

typedef bool line_read_fn(const struct swi_machine *machine, const char *line,
                          struct swi_traffic *traffic);

static size_t lines_read(const struct swi_machine *machine, const char *path,
                         line_read_fn *line_read, struct swi_traffic **list)
{
    char *text = swi_machine_text(machine, path);
    size_t count = 0;
    *list = NULL;
    for (const char *line = text; line; line = swi_text_next_line(line)) {
        struct swi_traffic read, *grown;
        if (!line_read(machine, line, &read) ||
            !(grown = realloc(*list, (count + 1) * sizeof *grown)))
            continue;
        *list = grown;
        grown[count++] = read;
    }
    free(text);
    return count;
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
static bool disk_read(const struct swi_machine *machine, const char *line, struct swi_traffic *disk)
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

size_t swi_disks_read(const struct swi_machine *machine, struct swi_traffic **list)
{
    return lines_read(machine, "/proc/diskstats", disk_read, list);
}

double swi_filesystem_use(const char *path, double *used)
{
    struct statvfs status;
    if (statvfs(path, &status) != 0 || !status.f_blocks)
        return -1;
    double block = (double)status.f_frsize;
    double blocks = (double)(status.f_blocks - status.f_bfree),
           all = blocks + (double)status.f_bavail;
    *used = blocks * block;
    return all > 0 ? 100 * blocks / all : 0;
}

/* ---- TCP ------------------------------------------------------------------------------------ */

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

/* ---- interfaces: the kernel's list ----------------------------------------------------------- */

/* "  eth0:633055169 10 0 …": the number may touch the colon. */
static bool interface_read(const struct swi_machine *machine, const char *line,
                           struct swi_traffic *interface)
{
    uint64_t field;
    (void)machine;
    line += strspn(line, " ");
    const char *end = strchr(line, '\n'), *colon = strchr(line, ':');
    if (!colon || (end && colon > end) || colon - line >= (int)sizeof interface->name)
        return false;
    snprintf(interface->name, sizeof interface->name, "%.*s", (int)(colon - line), line);
    const char *at = colon + 1;
    for (int i = 0; i < 9; i++) {
        if (!swi_text_count(&at, &field))
            return false;
        if (i == 0 || i == 8)
            interface->bytes[i == 8] = field;
    }
    return strcmp(interface->name, "lo") != 0;
}

/* ---- interfaces: which ones count ------------------------------------------------------------ */

static bool has(const struct swi_machine *machine, const struct swi_traffic *of, const char *file)
{
    char path[SWI_MACHINE_PATH];
    swi_machine_format(path, sizeof path, "/sys/class/net/%s/%s", of->name, file);
    return swi_machine_has(machine, path);
}

static bool is_hardware(const struct swi_machine *machine, const struct swi_traffic *of)
{
    return has(machine, of, "device");
}

/* What ARPHRD_… calls Ethernet and InfiniBand; tunnels are of other types. */
static bool is_of_a_wire(const struct swi_machine *machine, const char *folder)
{
    char path[SWI_MACHINE_PATH];
    int64_t type;
    swi_machine_format(path, sizeof path, "%s/type", folder);
    return !swi_machine_number(machine, path, &type) || type == 1 || type == 32;
}

/* In a container, no interface is hardware. One that is made of others, is a port of a bridge, or
 * ends in a program has bytes that another one has, too. */
static bool is_lowest(const struct swi_machine *machine, const struct swi_traffic *of)
{
    static const char *const files[] = {"bonding", "bridge", "brport", "tun_flags"};
    static const char *const types[] = {"vlan", "bond", "bridge", "vxlan", "geneve", "wireguard"};
    char folder[128], path[SWI_MACHINE_PATH], text[512], kind[64], lower[1][SWI_MACHINE_NAME];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (has(machine, of, files[i]))
            return false;
    swi_machine_format(folder, sizeof folder, "/sys/class/net/%s", of->name);
    swi_machine_format(path, sizeof path, "%s/uevent", folder);
    bool listed = swi_machine_read(machine, path, text, sizeof text);
    for (size_t i = 0; listed && i < sizeof types / sizeof *types; i++) {
        snprintf(kind, sizeof kind, "DEVTYPE=%s\n", types[i]);
        if (strstr(text, kind))
            return false;
    }
    return is_of_a_wire(machine, folder) &&
           swi_machine_list(machine, folder, "lower_", "", lower, 1) == 0;
}

/* Keeps only those that are so, unless none is. Returns how many are left. */
static size_t keep(const struct swi_machine *machine, struct swi_traffic *list, size_t count,
                   bool (*is)(const struct swi_machine *, const struct swi_traffic *), bool *any)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is(machine, &list[i])) {
            struct swi_traffic one = list[i];
            list[i] = list[kept];
            list[kept++] = one;
        }
    *any = kept > 0;
    return kept ? kept : count;
}

size_t swi_interfaces_read(const struct swi_machine *machine, struct swi_traffic **list)
{
    bool any;
    size_t count = lines_read(machine, "/proc/net/dev", interface_read, list);
    count = keep(machine, *list, count, is_hardware, &any);
    return any ? count : keep(machine, *list, count, is_lowest, &any);
}

/* ---- memory ---------------------------------------------------------------------------------- */

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
    /* The two are not read at the same moment. */
    double kept = (double)used - (double)droppable;
    double left = (double)limit - (kept > 0 ? kept : 0);
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
