/* SPDX-License-Identifier: MIT */
/* system.c - what the machine and this process do, every 15 seconds, by the names of wandb's System
 * tab. */
#include "sinks/wandb/wandb.h"

#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static const int64_t interval_ns = INT64_C(15000000000);
static const double mib = 1048576.0;

/* The number behind `field` in a file of /proc; -1 where there is none. */
static double proc_number(const char *path, const char *field)
{
    char line[512];
    double value = -1;
    FILE *file = fopen(path, "re");
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, field, strlen(field)) == 0)
            value = (double)strtoll(line + strlen(field), NULL, 10);
    if (file)
        fclose(file);
    return value;
}

static int64_t cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static void cpu(struct swi_row *row, const struct swi_sample *before, const struct swi_sample *now)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    double elapsed = (double)(now->time_ns - before->time_ns);
    if (before->time_ns && elapsed > 0 && cpus > 0)
        swi_row_number(row, "cpu",
                       100 * (double)(now->cpu_ns - before->cpu_ns) / elapsed / (double)cpus);
}

static void memory(struct swi_row *row)
{
    double total = proc_number("/proc/meminfo", "MemTotal:") / 1024;
    double available = proc_number("/proc/meminfo", "MemAvailable:") / 1024;
    double rss = proc_number("/proc/self/status", "VmRSS:") / 1024;
    if (total > 0 && available >= 0) {
        swi_row_number(row, "memory_percent", 100 * (total - available) / total);
        swi_row_number(row, "proc.memory.availableMB", available);
    }
    if (total > 0 && rss >= 0) {
        swi_row_number(row, "proc.memory.rssMB", rss);
        swi_row_number(row, "proc.memory.percent", 100 * rss / total);
    }
    swi_row_number(row, "proc.cpu.threads", proc_number("/proc/self/status", "Threads:"));
}

static void disk(struct swi_row *row)
{
    struct statvfs status;
    if (statvfs("/", &status) < 0 || !status.f_blocks)
        return;
    double used = (double)(status.f_blocks - status.f_bfree);
    swi_row_number(row, "disk./.usagePercent", 100 * used / (double)status.f_blocks);
    swi_row_number(row, "disk./.usageGB", used * (double)status.f_frsize / mib / 1024);
}

/* Bytes of all interfaces but the loopback. */
static void network_read(struct swi_sample *now)
{
    char line[512];
    FILE *file = fopen("/proc/net/dev", "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        double received, sent;
        if (!colon || strstr(line, " lo:") || strncmp(line, "lo:", 3) == 0)
            continue;
        if (sscanf(colon + 1, "%lf %*s %*s %*s %*s %*s %*s %*s %lf", &received, &sent) != 2)
            continue;
        now->received += received;
        now->sent += sent;
    }
    if (file)
        fclose(file);
}

void swi_wandb_system(struct wandb *w, int64_t now_ns)
{
    if (w->sample.time_ns && now_ns - w->sample.time_ns < interval_ns)
        return;
    struct timespec wall;
    struct swi_row row = {0};
    struct swi_sample now = {.time_ns = now_ns, .cpu_ns = cpu_ns()};
    network_read(&now);
    cpu(&row, &w->sample, &now);
    memory(&row);
    disk(&row);
    if (!w->sample.time_ns) {
        w->sent_first = now.sent;
        w->received_first = now.received;
    }
    swi_row_number(&row, "network.sent", now.sent - w->sent_first);
    swi_row_number(&row, "network.recv", now.received - w->received_first);
    w->sample = now;
    clock_gettime(CLOCK_REALTIME, &wall);
    swi_records_stats(&w->records, &row, (double)wall.tv_sec + (double)wall.tv_nsec * 1e-9);
    swi_row_free(&row);
}
