/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/monitored.h"
#include "sinks/common/sample_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_MAX = 160 };
static const double mib = 1048576.0;

bool swi_wandb_is_sample(const struct sw_record *record)
{
    return record->type == SW_RECORD_METRICS && record->metrics.count &&
           sw_record_metric(record, 0)->by == SW_BY_MONITOR;
}

/* ---- sums of rates --------------------------------------------------------------------------- */

struct swi_total {
    char key[KEY_MAX];
    double sum;
};

static struct swi_total *total_of(struct swi_totals *totals, const char *key)
{
    for (size_t i = 0; i < totals->count; i++)
        if (strcmp(totals->item[i].key, key) == 0)
            return &totals->item[i];
    struct swi_total *grown = realloc(totals->item, (totals->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    totals->item = grown;
    grown += totals->count++;
    snprintf(grown->key, sizeof grown->key, "%s", key);
    grown->sum = 0;
    return grown;
}

void swi_wandb_totals_free(struct swi_totals *totals)
{
    free(totals->item);
    *totals = (struct swi_totals){0};
}

/* One sample on its way into a row. */
struct sample {
    struct swi_fields *row;
    struct swi_totals *totals;
    const struct sw_record *record;
    double seconds; /* since the one before */
    double cpus;
};

/* ---- names ----------------------------------------------------------------------------------- */

/* What becomes of a value on the way to a key. */
enum use { AS_IT_IS, IN_MIB, IN_GIB, OF_ALL_CPUS, SUMMED, SUMMED_IN_MIB };

/* `*` is a part that both have. A metric of these groups that is not here has no key. */
static const struct {
    const char *metric, *key;
    enum use use;
} keys[] = {
    {"process/cpus_used", "cpu", OF_ALL_CPUS},
    {"process/rss_bytes", "proc.memory.rssMB", IN_MIB},
    {"process/rss_percent", "proc.memory.percent", AS_IT_IS},
    {"process/threads", "proc.cpu.threads", AS_IT_IS},
    {"system/memory_percent", "memory_percent", AS_IT_IS},
    {"system/memory_available_bytes", "proc.memory.availableMB", IN_MIB},
    {"system/disk/*/read_bytes_per_s", "disk.*.in", SUMMED_IN_MIB},
    {"system/disk/*/written_bytes_per_s", "disk.*.out", SUMMED_IN_MIB},
    {"system/filesystem/*/used_percent", "disk.*.usagePercent", AS_IT_IS},
    {"system/filesystem/*/used_bytes", "disk.*.usageGB", IN_GIB},
    {"system/network/received_bytes_per_s", "network.recv", SUMMED},
    {"system/network/sent_bytes_per_s", "network.sent", SUMMED},
    {"system/network/tcp_retransmits_per_s", "network.tcpRetransmits", SUMMED},
    {"gpu/*/utilization_percent", "gpu.*.gpu", AS_IT_IS},
    {"gpu/*/memory_utilization_percent", "gpu.*.memory", AS_IT_IS},
    {"gpu/*/memory_used_bytes", "gpu.*.memoryAllocatedBytes", AS_IT_IS},
    {"gpu/*/memory_percent", "gpu.*.memoryAllocated", AS_IT_IS},
    {"gpu/*/temperature_celsius", "gpu.*.temp", AS_IT_IS},
    {"gpu/*/power_watts", "gpu.*.powerWatts", AS_IT_IS},
    {"gpu/*/power_limit_watts", "gpu.*.enforcedPowerLimitWatts", AS_IT_IS},
    {"gpu/*/power_percent", "gpu.*.powerPercent", AS_IT_IS},
    {"gpu/*/energy_joules", "gpu.*.energyJoules", AS_IT_IS},
    {"gpu/*/clock_sm_mhz", "gpu.*.smClock", AS_IT_IS},
    {"gpu/*/clock_memory_mhz", "gpu.*.memoryClock", AS_IT_IS},
    {"gpu/*/ecc_corrected", "gpu.*.correctedMemoryErrors", AS_IT_IS},
    {"gpu/*/ecc_uncorrected", "gpu.*.uncorrectedMemoryErrors", AS_IT_IS},
    {"gpu/*/pcie_received_bytes_per_s", "gpu.*.pcieRxBytes", AS_IT_IS},
    {"gpu/*/pcie_sent_bytes_per_s", "gpu.*.pcieTxBytes", AS_IT_IS},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* wandb has what is a rate here as a sum since the start. */
static double summed(struct sample *s, const char *key, double per_s)
{
    struct swi_total *total = total_of(s->totals, key);
    if (total)
        total->sum += per_s * s->seconds;
    return total ? total->sum : 0;
}

static double value_for(struct sample *s, enum use use, const char *key, double value)
{
    switch (use) {
    case IN_MIB:
        return value / mib;
    case IN_GIB:
        return value / mib / 1024;
    case OF_ALL_CPUS:
        return 100 * value / (s->cpus > 0 ? s->cpus : 1);
    case SUMMED:
        return summed(s, key, value);
    case SUMMED_IN_MIB:
        return summed(s, key, value) / mib;
    default:
        return value;
    }
}

/* ---- a sample -------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Monitors that the SDK does not have: "room/celsius" is room.celsius. */
static void other_add(struct sample *s, const struct sw_metric *metric)
{
    char key[KEY_MAX];
    if (begins(metric->name, "process/") || begins(metric->name, "system/") ||
        begins(metric->name, "gpu/") || begins(metric->name, "energy/"))
        return;
    snprintf(key, sizeof key, "%s", metric->name);
    for (char *at = key; *at; at++)
        *at = *at == '/' ? '.' : *at;
    swi_fields_number(s->row, key, metric->value);
}

static void metric_add(struct sample *s, const struct sw_metric *metric)
{
    char key[KEY_MAX];
    for (size_t i = 0; i < KEYS; i++) {
        if (!swi_sample_name(key, sizeof key, metric->name, keys[i].metric, keys[i].key))
            continue;
        swi_fields_number(s->row, key, value_for(s, keys[i].use, key, metric->value));
        return;
    }
    other_add(s, metric);
}

/* While the process has memory there, the SDK repeats what the whole device does. */
static void process_add(struct sample *s, const struct sw_metric *memory)
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
    char name[KEY_MAX], key[KEY_MAX];
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
        if (memory->value <= 0 ||
            !swi_sample_name(name, sizeof name, memory->name, pattern, repeated[i][0]))
            return;
        swi_sample_name(key, sizeof key, memory->name, pattern, repeated[i][1]);
        for (size_t k = 0; k < s->record->metrics.count; k++) {
            const struct sw_metric *metric = sw_record_metric(s->record, k);
            if (strcmp(metric->name, name) == 0)
                swi_fields_number(s->row, key, metric->value);
        }
    }
}

void swi_wandb_monitored_row(struct swi_fields *row, struct swi_totals *totals,
                             const struct sw_record *record, double cpus)
{
    double seconds = totals->begun ? (double)(record->time_ns - totals->time_ns) * 1e-9 : 0;
    struct sample s = {row, totals, record, seconds, cpus};
    for (size_t i = 0; i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        metric_add(&s, metric);
        process_add(&s, metric);
    }
    totals->time_ns = record->time_ns;
    totals->begun = true;
}
