/* SPDX-License-Identifier: MIT */
#include "monitors/rapl/zones.h"
#include "monitors/common/kernel_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char FOLDER[] = "/sys/class/powercap";

static bool file_number(const struct swi_machine *machine, const char *folder, const char *file,
                        int64_t *number)
{
    char path[SWI_MACHINE_PATH];
    swi_machine_format(path, sizeof path, "%s/%s/%s", FOLDER, folder, file);
    return swi_machine_number(machine, path, number);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* "intel-rapl:0" and "intel-rapl:0:1", also of other makers. "intel-rapl-mmio:0" is another way to
 * the same counters. */
static bool is_zone(const char *folder)
{
    const char *colon = strchr(folder, ':');
    static const char kind[] = "-rapl";
    size_t before = colon ? (size_t)(colon - folder) : 0;
    return before > sizeof kind - 1 &&
           strncmp(colon - (sizeof kind - 1), kind, sizeof kind - 1) == 0 &&
           colon[1 + strspn(colon + 1, "0123456789:")] == '\0';
}

static const struct swi_zone *outer_of(const struct swi_zones *zones, const char *folder)
{
    size_t length = (size_t)(strrchr(folder, ':') - folder);
    for (size_t i = 0; i < zones->count; i++)
        if (strlen(zones->zone[i].folder) == length &&
            strncmp(zones->zone[i].folder, folder, length) == 0)
            return &zones->zone[i];
    return NULL;
}

/* Two zones of one name would be one metric. */
static void name_settle(const struct swi_zones *zones, struct swi_zone *zone)
{
    size_t length = strlen(zone->name);
    int same = 1;
    for (size_t i = 0; i < zones->count; i++)
        same += strncmp(zones->zone[i].name, zone->name, length) == 0 &&
                (!zones->zone[i].name[length] || zones->zone[i].name[length] == '\n');
    if (same > 1)
        snprintf(zone->name + length, sizeof zone->name - length, "-%d", same);
}

static void zone_add(struct swi_zones *zones, const struct swi_machine *machine, const char *folder)
{
    struct swi_zone *zone = &zones->zone[zones->count];
    char path[SWI_MACHINE_PATH], name[SWI_MACHINE_NAME], whole[2 * SWI_MACHINE_PATH];
    *zone = (struct swi_zone){.complete = true};
    swi_machine_format(zone->folder, sizeof zone->folder, "%s", folder);
    swi_machine_format(path, sizeof path, "%s/%s/name", FOLDER, folder);
    if (!swi_machine_line(machine, path, name, sizeof name))
        swi_machine_format(name, sizeof name, "%s", folder);
    const struct swi_zone *outer = outer_of(zones, folder);
    snprintf(zone->name, sizeof zone->name, "%.*s%s%s", SWI_MACHINE_NAME, outer ? outer->name : "",
             outer ? "/" : "", name);
    name_settle(zones, zone);
    /* psys has the whole machine, with its packages in it. */
    zone->inner = outer || strcmp(name, "psys") == 0;
    swi_machine_format(whole, sizeof whole, "%s%s/%s/energy_uj", machine->root, FOLDER, folder);
    zone->forbidden = access(whole, R_OK) != 0 && errno == EACCES;
    zones->count++;
}

void swi_zones_find(struct swi_zones *zones, const struct swi_machine *machine)
{
    char names[SWI_ZONES][SWI_MACHINE_NAME];
    size_t count = swi_machine_list(machine, FOLDER, "", "", names, SWI_ZONES);
    zones->count = 0;
    for (size_t i = 0; i < count; i++)
        if (is_zone(names[i]))
            zone_add(zones, machine, names[i]);
}

/* ---- sampling -------------------------------------------------------------------------------- */

/* Joules since the reading before. A counter begins again at its range; without a range, nobody
 * knows by how much it grew. */
static bool used_since(const struct swi_zone *zone, const struct swi_machine *machine,
                       int64_t now_uj, double *joules)
{
    int64_t difference = now_uj - zone->before_uj, range;
    if (difference < 0 &&
        (!file_number(machine, zone->folder, "max_energy_range_uj", &range) || range <= 0))
        return false;
    *joules = (double)(difference < 0 ? difference + range : difference) * 1e-6;
    return *joules >= 0;
}

static void zone_sample(struct swi_zone *zone, const struct swi_machine *machine,
                        struct sw_monitor *monitor, int64_t began_ns)
{
    int64_t now_uj;
    double joules;
    char name[SWI_ZONE_NAME + 32];
    if (!file_number(machine, zone->folder, "energy_uj", &now_uj))
        return; /* the next interval is longer */
    int64_t time_ns = swi_machine_now(machine, began_ns);
    int64_t took_ns = time_ns - zone->time_ns;
    bool known = zone->known && took_ns > 0;
    if (known && used_since(zone, machine, now_uj, &joules)) {
        snprintf(name, sizeof name, "energy/%s/watts", zone->name);
        if (took_ns >= SWI_RATE_SHORTEST_NS)
            sw_monitor_value(monitor, name, joules / ((double)took_ns * 1e-9));
        zone->joules += joules;
    } else if (known) {
        zone->complete = false;
    }
    zone->before_uj = now_uj;
    zone->time_ns = time_ns;
    zone->known = true;
}

void swi_zones_sample(struct swi_zones *zones, const struct swi_machine *machine,
                      struct sw_monitor *monitor, int64_t began_ns, bool last)
{
    char name[SWI_ZONE_NAME + 32];
    for (size_t i = 0; i < zones->count; i++) {
        struct swi_zone *zone = &zones->zone[i];
        zone_sample(zone, machine, monitor, began_ns);
        if (!last || !zone->known || !zone->complete)
            continue;
        snprintf(name, sizeof name, "energy/%s/joules", zone->name);
        sw_monitor_value(monitor, name, zone->joules);
    }
}

bool swi_zones_energy(const struct swi_zones *zones, double *joules)
{
    bool any = false;
    *joules = 0;
    for (size_t i = 0; i < zones->count; i++) {
        const struct swi_zone *zone = &zones->zone[i];
        if (zone->inner)
            continue;
        if (!zone->known || !zone->complete)
            return false;
        *joules += zone->joules;
        any = true;
    }
    return any;
}
