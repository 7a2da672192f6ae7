/* SPDX-License-Identifier: MIT */
/* system_metrics.c - samples of monitors, under the names of wandb's System tab. */
#include "core/text/parts.h"
#include "sinks/wandb/wandb_sink.h"

#include <sched.h>
#include <string.h>

enum { MIB = 1 << 20, GIB = 1 << 30 };
#define INTERVAL_NS INT64_C(15000000000) /* that of the SDK */

/* ---- names ----------------------------------------------------------------------------------- */

/* A metric of these groups that is not here has no key. */
static const struct swi_sample_name keys[] = {
    {"process/rss_bytes", "proc.memory.rssMB", MIB, false},
    {"process/rss_percent", "proc.memory.percent", 1, false},
    {"process/threads", "proc.cpu.threads", 1, false},
    {"system/memory_percent", "memory_percent", 1, false},
    {"system/memory_available_bytes", "proc.memory.availableMB", MIB, false},
    {"system/disk/*/read_bytes", "disk.*.in", MIB, true},
    {"system/disk/*/written_bytes", "disk.*.out", MIB, true},
    {"system/filesystem/*/used_percent", "disk.*.usagePercent", 1, false},
    {"system/filesystem/*/used_bytes", "disk.*.usageGB", GIB, false},
    {"system/network/received_bytes", "network.recv", 1, true},
    {"system/network/sent_bytes", "network.sent", 1, true},
    {"system/network/tcp_retransmits", "network.tcpRetransmits", 1, true},
    {"gpu/*/utilization_percent", "gpu.*.gpu", 1, false},
    {"gpu/*/memory_utilization_percent", "gpu.*.memory", 1, false},
    {"gpu/*/memory_used_bytes", "gpu.*.memoryAllocatedBytes", 1, false},
    {"gpu/*/memory_percent", "gpu.*.memoryAllocated", 1, false},
    {"gpu/*/temperature_celsius", "gpu.*.temp", 1, false},
    {"gpu/*/power_watts", "gpu.*.powerWatts", 1, false},
    {"gpu/*/power_limit_watts", "gpu.*.enforcedPowerLimitWatts", 1, false},
    {"gpu/*/power_percent", "gpu.*.powerPercent", 1, false},
    {"gpu/*/energy_joules", "gpu.*.energyJoules", 1, false},
    {"gpu/*/clock_sm_mhz", "gpu.*.smClock", 1, false},
    {"gpu/*/clock_memory_mhz", "gpu.*.memoryClock", 1, false},
    {"gpu/*/ecc_corrected", "gpu.*.correctedMemoryErrors", 1, false},
    {"gpu/*/ecc_uncorrected", "gpu.*.uncorrectedMemoryErrors", 1, false},
    {"gpu/*/pcie_received_bytes_per_s", "gpu.*.pcieRxBytes", 1, false},
    {"gpu/*/pcie_sent_bytes_per_s", "gpu.*.pcieTxBytes", 1, false},
};

/* ---- a sample -------------------------------------------------------------------------------- */

/* Monitors that the SDK does not have: "room/celsius" is room.celsius. */
static void other_add(struct swi_fields *row, const struct sw_metric *metric)
{
    char key[SWI_SAMPLE_NAME];
    if (swi_begins(metric->name, "process/") || swi_begins(metric->name, "system/") ||
        swi_begins(metric->name, "gpu/") || swi_begins(metric->name, "energy/"))
        return;
    snprintf(key, sizeof key, "%s", metric->name);
    for (char *at = key; *at; at++)
        *at = *at == '/' ? '.' : *at;
    swi_fields_number(row, key, metric->value);
}

/* While the process has memory there, the SDK repeats what the whole device does. */
static void process_add(struct swi_fields *row, const struct sw_record *record,
                        const struct sw_metric *memory)
{
    static const char pattern[] = "gpu/*/process_memory_bytes";
    static const char *const repeated[][2] = {
        {"gpu/*/utilization_percent", "gpu.process.*.gpu"},
        {"gpu/*/memory_utilization_percent", "gpu.process.*.memory"},
        {"gpu/*/memory_used_bytes", "gpu.process.*.memoryAllocatedBytes"},
        {"gpu/*/memory_percent", "gpu.process.*.memoryAllocated"},
        {"gpu/*/temperature_celsius", "gpu.process.*.temp"},
        {"gpu/*/power_watts", "gpu.process.*.powerWatts"},
        {"gpu/*/power_percent", "gpu.process.*.powerPercent"},
        {"gpu/*/power_limit_watts", "gpu.process.*.enforcedPowerLimitWatts"},
    };
    char name[SWI_SAMPLE_NAME], key[SWI_SAMPLE_NAME];
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        if (memory->value <= 0 || !swi_sample_name(name, memory->name, pattern, repeated[i][0]))
            return;
        swi_sample_name(key, memory->name, pattern, repeated[i][1]);
        for (size_t k = 0; k < record->metrics.count; k++) {
            const struct sw_metric *metric = sw_record_metric(record, k);
            if (strcmp(metric->name, name) == 0)
                swi_fields_number(row, key, metric->value);
        }
    }
}

void swi_wandb_system_row(struct swi_fields *row, struct swi_sample_sums *sums,
                          const struct sw_record *record, double cpus)
{
    struct swi_renamed key;
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        if (strcmp(metric->name, "process/cpus_used") == 0)
            swi_fields_number(row, "cpu", 100 * metric->value / cpus);
        else if (swi_sample_rename(&key, sums, keys, sizeof keys / sizeof *keys, record, metric))
            swi_fields_number(row, key.name, key.value);
        else
            other_add(row, metric);
        process_add(row, record, metric);
    }
}

/* Of the main thread: the calling one is stepwatch's own. */
static double cpus_allowed(void)
{
    /* More than any kernel takes: one cpu_set_t would be too small for its mask. */
    cpu_set_t set[64];
    bool known = sched_getaffinity(getpid(), sizeof set, set) == 0;
    return known ? CPU_COUNT_S(sizeof set, set) : 1;
}

void swi_wandb_sample(struct wandb *w, const struct sw_record *record)
{
    struct swi_fields row = {0};
    swi_wandb_system_row(&row, &w->sums, record, cpus_allowed());
    if (w->system && row.count)
        swi_records_stats(&w->records, &row, record->wall_s);
    swi_fields_free(&row);
}

void swi_wandb_sample_look(struct wandb *w)
{
    const struct sw_record *sample = w->system ? sw_sink_sample(w->sink, INTERVAL_NS) : NULL;
    if (sample)
        swi_wandb_sample(w, sample);
}
