/* SPDX-License-Identifier: MIT */
/* system_metrics.c - metrics of the machine and this process, every 15 seconds, under the names of
 * wandb's System tab. */
#include "sinks/wandb/system_metrics.h"

#include "monitors/common/cpus_allowed.h"
#include "monitors/common/interfaces.h"
#include "monitors/common/memory_left.h"
#include "sinks/wandb/wandb_sink.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t interval_ns = INT64_C(15000000000);
static const double mib = 1048576.0;

double swi_wandb_cpus(void)
{
    struct swi_machine here = swi_machine_here(NULL);
    return swi_cpus_allowed(&here, "");
}

static void cpu(struct swi_fields *row, const struct swi_sample *before,
                const struct swi_sample *now)
{
    double cpus = swi_wandb_cpus();
    double elapsed = (double)(now->read_ns - before->read_ns);
    if (before->read_ns && elapsed > 0 && cpus > 0)
        swi_fields_number(row, "cpu",
                          100 * (double)(now->cpu_ns - before->cpu_ns) / elapsed / cpus);
}

static void memory(struct swi_fields *row)
{
    struct swi_machine here = swi_machine_here(NULL);
    struct swi_memory_left left;
    uint64_t rss_kib, threads;
    char *text = swi_machine_text(&here, "/proc/self/status");
    const char *status = text ? text : "";
    swi_memory_find(&here, &left);
    bool known = left.total > 0 && left.available >= 0;
    if (known) {
        swi_fields_number(row, "memory_percent", 100 * (left.total - left.available) / left.total);
        swi_fields_number(row, "proc.memory.availableMB", left.available / mib);
    }
    if (known && swi_text_field(status, "VmRSS:", &rss_kib)) {
        double rss = (double)rss_kib * 1024;
        swi_fields_number(row, "proc.memory.rssMB", rss / mib);
        swi_fields_number(row, "proc.memory.percent", 100 * rss / left.total);
    }
    if (swi_text_field(status, "Threads:", &threads))
        swi_fields_number(row, "proc.cpu.threads", (double)threads);
    free(text);
}

static void disk(struct swi_fields *row)
{
    double used, available, percent = swi_filesystem_use("/", &used, &available);
    if (percent < 0)
        return;
    swi_fields_number(row, "disk./.usagePercent", percent);
    swi_fields_number(row, "disk./.usageGB", used / mib / 1024);
}

static void disks_read(const struct swi_machine *here, struct swi_sample *now)
{
    struct swi_disk *list;
    size_t count = swi_disks_read(here, &list);
    now->disk_count = count < SWI_DISKS ? count : SWI_DISKS;
    if (count)
        memcpy(now->disk, list, now->disk_count * sizeof *list);
    free(list);
}

/* Adds differences since the first sample. A disk that was attached later is left out. */
static void disks(struct swi_fields *row, const struct swi_sample *first,
                  const struct swi_sample *now)
{
    static const char *const ways[] = {"in", "out"};
    char key[96];
    for (size_t i = 0; i < now->disk_count; i++) {
        const struct swi_disk *disk = &now->disk[i];
        size_t k = 0;
        while (k < first->disk_count && strcmp(first->disk[k].name, disk->name) != 0)
            k++;
        for (size_t way = 0; k < first->disk_count && way < 2; way++) {
            snprintf(key, sizeof key, "disk.%s.%s", disk->name, ways[way]);
            swi_fields_number(
                row, key, (double)disk->bytes[way] / mib - (double)first->disk[k].bytes[way] / mib);
        }
    }
}

static void network(struct swi_fields *row, const struct swi_sample *first,
                    const struct swi_sample *now)
{
    swi_fields_number(row, "network.sent", now->sent - first->sent);
    swi_fields_number(row, "network.recv", now->received - first->received);
    swi_fields_number(row, "network.tcpRetransmits", now->sent_again - first->sent_again);
}

void swi_wandb_system_metrics(struct wandb *w, int64_t now_ns)
{
    if (w->sample.time_ns && now_ns - w->sample.time_ns < interval_ns)
        return;
    struct timespec wall;
    uint64_t sent_again;
    struct swi_machine here = swi_machine_here(NULL);
    struct swi_fields row = {0};
    struct swi_sample now = {.time_ns = now_ns};
    if (!swi_cpu_used(&now.cpu_ns, &now.read_ns))
        now.read_ns = 0;
    swi_interfaces_sum(&here, &now.received, &now.sent);
    now.sent_again = swi_tcp_sent_again(&here, &sent_again) ? (double)sent_again : 0;
    disks_read(&here, &now);
    if (!w->sample.time_ns)
        w->first = now;
    cpu(&row, &w->sample, &now);
    memory(&row);
    disk(&row);
    disks(&row, &w->first, &now);
    network(&row, &w->first, &now);
    w->sample = now;
    clock_gettime(CLOCK_REALTIME, &wall);
    swi_records_stats(&w->records, &row, (double)wall.tv_sec + (double)wall.tv_nsec * 1e-9);
    swi_fields_free(&row);
}

/* Whether the monitor of this name measures what this sink would. An older core has no monitors. */
static bool has_monitor(const struct sw_run *run, const char *name)
{
    const char *const *monitor = SW_HAS(run->size, run, monitors) ? run->monitors : NULL;
    for (; monitor && *monitor; monitor++)
        if (strcmp(*monitor, name) == 0)
            return true;
    return false;
}

/* A replayed run was on another machine, so the metrics of this one do not belong to it. */
void swi_wandb_system_look(struct wandb *w, int64_t now_ns)
{
    if (w->system && !w->sink->run->replayed && !has_monitor(w->sink->run, "system"))
        swi_wandb_system_metrics(w, now_ns);
}
