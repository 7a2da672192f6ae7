/* SPDX-License-Identifier: MIT */
/* system_metrics.c - metrics of the machine and this process, every 15 seconds, under the names of
 * wandb's System tab. */
#include "sinks/wandb/system_metrics.h"

#include "monitors/common/cpus_allowed.h"
#include "monitors/common/interfaces.h"
#include "monitors/common/memory_left.h"
#include "sinks/common/machine_figures.h"
#include "sinks/wandb/wandb_sink.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

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
    double rss = swi_figure_number("/proc/self/status", "VmRSS:") * 1024;
    swi_memory_find(&here, &left);
    bool known = left.total > 0 && left.available >= 0;
    if (known) {
        swi_fields_number(row, "memory_percent", 100 * (left.total - left.available) / left.total);
        swi_fields_number(row, "proc.memory.availableMB", left.available / mib);
    }
    if (known && rss >= 0) {
        swi_fields_number(row, "proc.memory.rssMB", rss / mib);
        swi_fields_number(row, "proc.memory.percent", 100 * rss / left.total);
    }
    swi_fields_number(row, "proc.cpu.threads", swi_figure_number("/proc/self/status", "Threads:"));
}

/* The part that only root may use counts as neither used nor available. */
static void disk(struct swi_fields *row)
{
    struct statvfs status;
    if (statvfs("/", &status) < 0 || !status.f_blocks)
        return;
    double used = (double)(status.f_blocks - status.f_bfree), all = used + (double)status.f_bavail;
    swi_fields_number(row, "disk./.usagePercent", all > 0 ? 100 * used / all : 0);
    swi_fields_number(row, "disk./.usageGB", used * (double)status.f_frsize / mib / 1024);
}

/* Returns whether it is a whole disk: not a partition, which is listed as part of its disk, and not
 * a device that is memory, a file, or made of other disks. */
static bool is_disk(const char *name)
{
    static const char *const other[] = {"loop", "ram", "zram", "dm-", "md", "sr", "fd"};
    char path[64];
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strncmp(name, other[i], strlen(other[i])) == 0)
            return false;
    snprintf(path, sizeof path, "/sys/block/%.31s", name);
    return access(path, F_OK) == 0;
}

/* Sectors have 512 bytes in this file, whatever the disk has. */
static void disks_read(struct swi_sample *now)
{
    char line[512];
    FILE *file = fopen("/proc/diskstats", "re");
    while (file && now->disk_count < SWI_DISKS && fgets(line, sizeof line, file)) {
        struct swi_disk *disk = &now->disk[now->disk_count];
        double read, written;
        if (sscanf(line, "%*u %*u %31s %*s %*s %lf %*s %*s %*s %lf", disk->name, &read, &written) !=
                3 ||
            !is_disk(disk->name))
            continue;
        disk->read_mib = read * 512 / mib;
        disk->written_mib = written * 512 / mib;
        now->disk_count++;
    }
    if (file)
        fclose(file);
}

/* Adds differences since the first sample. A disk that was attached later is left out. */
static void disks(struct swi_fields *row, const struct swi_sample *first,
                  const struct swi_sample *now)
{
    char key[64];
    for (size_t i = 0; i < now->disk_count; i++) {
        const struct swi_disk *disk = &now->disk[i];
        size_t k = 0;
        while (k < first->disk_count && strcmp(first->disk[k].name, disk->name) != 0)
            k++;
        if (k == first->disk_count)
            continue;
        snprintf(key, sizeof key, "disk.%s.in", disk->name);
        swi_fields_number(row, key, disk->read_mib - first->disk[k].read_mib);
        snprintf(key, sizeof key, "disk.%s.out", disk->name);
        swi_fields_number(row, key, disk->written_mib - first->disk[k].written_mib);
    }
}

/* Reads the TCP segments that were sent again. The file has a line of names, then a line of values.
 */
static void tcp_read(struct swi_sample *now)
{
    char line[1024], *rest;
    int column = -1;
    FILE *file = fopen("/proc/net/snmp", "re");
    while (file && fgets(line, sizeof line, file)) {
        int at = 0;
        if (strncmp(line, "Tcp:", 4) != 0)
            continue;
        for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
            if (at == column && isdigit((unsigned char)*word))
                now->sent_again = strtod(word, NULL);
            if (strcmp(word, "RetransSegs") == 0)
                column = at;
            at++;
        }
    }
    if (file)
        fclose(file);
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
    struct swi_machine here = swi_machine_here(NULL);
    struct swi_fields row = {0};
    struct swi_sample now = {.time_ns = now_ns};
    if (!swi_cpu_used(&now.cpu_ns, &now.read_ns))
        now.read_ns = 0;
    swi_interfaces_sum(&here, &now.received, &now.sent);
    tcp_read(&now);
    disks_read(&now);
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
