/* SPDX-License-Identifier: MIT */
#include "monitors/system/machine_use.h"

#include "monitors/common/interfaces.h"
#include "monitors/common/machine_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    struct swi_interface *list;
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
