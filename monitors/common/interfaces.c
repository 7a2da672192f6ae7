/* SPDX-License-Identifier: MIT */
#include "monitors/common/interfaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernel's list ---- */

/* "  eth0:633055169 10 0 …": the number may touch the colon. */
static bool line_read(const char *line, struct swi_interface *interface)
{
    uint64_t field;
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

static size_t all_read(const struct swi_machine *machine, struct swi_interface **list)
{
    size_t count = 0;
    char *text = swi_machine_text(machine, "/proc/net/dev");
    *list = NULL;
    for (const char *line = text; line; line = swi_text_next_line(line)) {
        struct swi_interface read, *grown;
        if (!line_read(line, &read))
            continue;
        if (!(grown = realloc(*list, (count + 1) * sizeof *grown)))
            break;
        *list = grown;
        grown[count++] = read;
    }
    free(text);
    return count;
}

/* ---- which ones count ---- */

static bool has(const struct swi_machine *machine, const struct swi_interface *of, const char *file)
{
    char path[SWI_MACHINE_PATH];
    swi_machine_format(path, sizeof path, "/sys/class/net/%s/%s", of->name, file);
    return swi_machine_has(machine, path);
}

static bool is_hardware(const struct swi_machine *machine, const struct swi_interface *of)
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
static bool is_lowest(const struct swi_machine *machine, const struct swi_interface *of)
{
    static const char *const files[] = {"bonding", "bridge", "brport", "tun_flags"};
    static const char *const types[] = {"vlan", "bond", "bridge", "vxlan", "geneve", "wireguard"};
    char folder[128], path[SWI_MACHINE_PATH], text[512], kind[64], lower[1][SWI_MACHINE_NAME];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (has(machine, of, files[i]))
            return false;
    swi_machine_format(folder, sizeof folder, "/sys/class/net/%s", of->name);
    swi_machine_format(path, sizeof path, "%s/uevent", folder);
    bool told = swi_machine_read(machine, path, text, sizeof text);
    for (size_t i = 0; told && i < sizeof types / sizeof *types; i++) {
        snprintf(kind, sizeof kind, "DEVTYPE=%s\n", types[i]);
        if (strstr(text, kind))
            return false;
    }
    return is_of_a_wire(machine, folder) &&
           swi_machine_list(machine, folder, "lower_", "", lower, 1) == 0;
}

/* Keeps only those that are so, unless none is. Returns how many are left. */
static size_t keep(const struct swi_machine *machine, struct swi_interface *list, size_t count,
                   bool (*is)(const struct swi_machine *, const struct swi_interface *), bool *any)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is(machine, &list[i])) {
            struct swi_interface one = list[i];
            list[i] = list[kept];
            list[kept++] = one;
        }
    *any = kept > 0;
    return kept ? kept : count;
}

size_t swi_interfaces_read(const struct swi_machine *machine, struct swi_interface **list)
{
    bool any;
    size_t count = all_read(machine, list);
    count = keep(machine, *list, count, is_hardware, &any);
    return any ? count : keep(machine, *list, count, is_lowest, &any);
}

void swi_interfaces_sum(const struct swi_machine *machine, double *received, double *sent)
{
    struct swi_interface *list;
    size_t count = swi_interfaces_read(machine, &list);
    *received = *sent = 0;
    for (size_t i = 0; i < count; i++) {
        *received += (double)list[i].bytes[0];
        *sent += (double)list[i].bytes[1];
    }
    free(list);
}
