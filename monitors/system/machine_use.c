/* SPDX-License-Identifier: MIT */
#include "monitors/system/machine_use.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a sample in the making ------------------------------------------------------------------ */

void swi_give(const struct swi_system *system, double value, const char *format, ...)
{
    char name[256];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    sw_monitor_value(system->monitor, name, value);
}

void swi_give_rate(struct swi_system *system, uint64_t number, const char *format, ...)
{
    char name[256];
    double value;
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    if (system->sums)
        name[strlen(name) - strlen("_per_s")] = '\0';
    int64_t now_ns = swi_machine_now(&system->machine, system->time_ns);
    if (system->sums ? swi_rate_since(&system->rates, name, number, &value)
                     : swi_rate(&system->rates, name, number, now_ns, &value))
        sw_monitor_value(system->monitor, name, value);
}

/* ---- memory ---------------------------------------------------------------------------------- */

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
    total = memory->machine_total, available = memory->machine_available;
    if (system->sums && total > 0 && available >= 0) {
        swi_give(system, total - available, "system/machine/memory_used_bytes");
        swi_give(system, 100 * (total - available) / total, "system/machine/memory_percent");
    }
}

/* ---- network --------------------------------------------------------------------------------- */

/* Bytes of the interfaces that count, a second or since the first sample. */
struct network {
    double bytes[2];  /* received, sent */
    bool any[2];      /* one has a rate */
    bool set_back[2]; /* one was: the sum is unknown */
};

/* One that came since the last sample has no rate yet. */
static void add(struct swi_system *system, struct network *network, int way, const char *name,
                uint64_t bytes)
{
    char key[96];
    double difference = -1, seconds = 1;
    snprintf(key, sizeof key, "network/%d/%s", way, name);
    int64_t now_ns = swi_machine_now(&system->machine, system->time_ns);
    bool known = system->sums
                     ? swi_rate_since(&system->rates, key, bytes, &difference)
                     : swi_rate_parts(&system->rates, key, bytes, now_ns, &difference, &seconds);
    network->any[way] |= known;
    network->set_back[way] |= !known && difference == 0;
    if (known)
        network->bytes[way] += difference / seconds;
}

static void interfaces(struct swi_system *system)
{
    static const char *const names[] = {"received", "sent"};
    struct swi_traffic *list;
    struct network network = {0};
    size_t count = swi_interfaces_read(&system->machine, &list);
    for (size_t i = 0; i < count; i++)
        for (int way = 0; way < 2; way++)
            add(system, &network, way, list[i].name, list[i].bytes[way]);
    free(list);
    for (int way = 0; way < 2; way++)
        if ((network.any[way] || system->sums) && !network.set_back[way])
            swi_give(system, network.bytes[way], "system/network/%s_bytes%s", names[way],
                     system->sums ? "" : "_per_s");
}

void swi_sample_network(struct swi_system *system)
{
    uint64_t segments;
    interfaces(system);
    if (swi_tcp_sent_again(&system->machine, &segments))
        swi_give_rate(system, segments, "system/network/tcp_retransmits_per_s");
}

/* ---- disks ----------------------------------------------------------------------------------- */

static void filesystem(const struct swi_system *system, const char *path)
{
    double used, percent = swi_filesystem_use(path, &used);
    if (percent < 0)
        return;
    swi_give(system, percent, "system/filesystem/%s/used_percent", path);
    swi_give(system, used, "system/filesystem/%s/used_bytes", path);
}

void swi_sample_disks(struct swi_system *system)
{
    struct swi_traffic *list;
    size_t count = swi_disks_read(&system->machine, &list);
    for (size_t i = 0; i < count; i++) {
        swi_give_rate(system, list[i].bytes[0], "system/disk/%s/read_bytes_per_s", list[i].name);
        swi_give_rate(system, list[i].bytes[1], "system/disk/%s/written_bytes_per_s", list[i].name);
    }
    free(list);
    for (size_t i = 0; system->filesystems && system->filesystems[i]; i++)
        filesystem(system, system->filesystems[i]);
}

/* ---- processors ------------------------------------------------------------------------------ */

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

/* ---- temperatures, and how much waits -------------------------------------------------------- */

enum { CHIPS = 64, SENSORS = 512 };

typedef char name_text[SWI_MACHINE_NAME];

/* ---- temperatures ---------------------------------------------------------------------------- */

/* What a chip or a sensor calls itself may have blanks and slashes, which names of metrics shall
 * not have. */
static void name_clean(char *name)
{
    for (; *name; name++)
        if (isspace((unsigned char)*name) || *name == '/')
            *name = '_';
}

/* "temp3_input" is temp3, or what its label says. */
static void sensor(const struct swi_system *system, const char *folder, const char *chip,
                   const char *file)
{
    char path[2 * SWI_MACHINE_PATH], name[SWI_MACHINE_NAME];
    int number = (int)strcspn(file, "_");
    int64_t thousandths;
    if (strcmp(file + number, "_input") != 0)
        return;
    swi_machine_format(path, sizeof path, "%s/%s", folder, file);
    if (!swi_machine_number(&system->machine, path, &thousandths))
        return;
    swi_machine_format(path, sizeof path, "%s/%.*s_label", folder,
                       number < SWI_MACHINE_NAME ? number : 0, file);
    if (!swi_machine_line(&system->machine, path, name, sizeof name))
        snprintf(name, sizeof name, "%.*s", number < SWI_MACHINE_NAME ? number : 0, file);
    name_clean(name);
    swi_give(system, (double)thousandths / 1000, "system/temperature/%s/%s", chip, name);
}

/* Reads what a chip or a zone calls itself: "nvme", and "nvme-2" for the second of that name.
 * before: what those before it call themselves. */
static void name_read(const struct swi_system *system, const char *folder, const char *file,
                      name_text *before, size_t count, char *name, size_t size)
{
    char path[2 * SWI_MACHINE_PATH];
    int same = 1;
    swi_machine_format(path, sizeof path, "%s/%s", folder, file);
    if (!swi_machine_line(&system->machine, path, before[count], sizeof before[count]))
        snprintf(before[count], sizeof before[count], "%.*s", SWI_MACHINE_NAME - 1,
                 strrchr(folder, '/') + 1);
    name_clean(before[count]);
    for (size_t i = 0; i < count; i++)
        same += strcmp(before[i], before[count]) == 0;
    if (same > 1)
        snprintf(name, size, "%.*s-%d", SWI_MACHINE_NAME - 1, before[count], same);
    else
        snprintf(name, size, "%.*s", SWI_MACHINE_NAME - 1, before[count]);
}

static void chips(const struct swi_system *system, name_text *chip, size_t count)
{
    name_text names[CHIPS], file[SENSORS];
    for (size_t i = 0; i < count; i++) {
        char folder[SWI_MACHINE_PATH], name[SWI_MACHINE_NAME + 16];
        swi_machine_format(folder, sizeof folder, "/sys/class/hwmon/%s", chip[i]);
        name_read(system, folder, "name", names, i, name, sizeof name);
        size_t sensors =
            swi_machine_list(&system->machine, folder, "temp", "_input", file, SENSORS);
        for (size_t k = 0; k < sensors; k++)
            sensor(system, folder, name, file[k]);
    }
}

static void zones(const struct swi_system *system)
{
    name_text zone[CHIPS], names[CHIPS];
    size_t count =
        swi_machine_list(&system->machine, "/sys/class/thermal", "thermal_zone", "", zone, CHIPS);
    for (size_t i = 0; i < count; i++) {
        char folder[SWI_MACHINE_PATH], path[2 * SWI_MACHINE_PATH], name[SWI_MACHINE_NAME + 16];
        int64_t thousandths;
        swi_machine_format(folder, sizeof folder, "/sys/class/thermal/%s", zone[i]);
        name_read(system, folder, "type", names, i, name, sizeof name);
        swi_machine_format(path, sizeof path, "%s/temp", folder);
        if (swi_machine_number(&system->machine, path, &thousandths))
            swi_give(system, (double)thousandths / 1000, "system/temperature/%s/temp", name);
    }
}

void swi_sample_sensors(struct swi_system *system)
{
    name_text chip[CHIPS];
    size_t count = swi_machine_list(&system->machine, "/sys/class/hwmon", "hwmon", "", chip, CHIPS);
    if (count)
        chips(system, chip, count);
    else
        zones(system);
}

/* ---- pressure -------------------------------------------------------------------------------- */

void swi_sample_pressure(struct swi_system *system)
{
    static const char *const what[] = {"cpu", "memory", "io"};
    static const char some[] = "some avg10=";
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        char path[SWI_MACHINE_PATH], text[256];
        const char *at = text + sizeof some - 1;
        double percent;
        swi_machine_format(path, sizeof path, "/proc/pressure/%s", what[i]);
        if (swi_machine_read(&system->machine, path, text, sizeof text) &&
            strncmp(text, some, sizeof some - 1) == 0 && swi_text_decimal(&at, &percent))
            swi_give(system, percent, "system/pressure/%s_percent", what[i]);
    }
}
