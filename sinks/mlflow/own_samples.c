/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/own_samples.h"
#include "core/clock/now.h"
#include "monitors/common/interfaces.h"
#include "sinks/common/machine_figures.h"
#include "sinks/mlflow/mlflow_sink.h"

#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

static const double megabyte = 1e6, interval_s = 10;

/* ---- how often ------------------------------------------------------------------------------- */

static bool has_monitor(const struct sw_run *run, const char *name)
{
    const char *const *monitor = SW_HAS(run->size, run, monitors) ? run->monitors : NULL;
    while (monitor && *monitor && strcmp(*monitor, name) != 0)
        monitor++;
    return monitor && *monitor;
}

/* Reads digits with an optional fraction, so that the locale does not matter. Returns -1 for
 * anything else. */
static double seconds_read(const char *text)
{
    double seconds = 0, place = 1;
    size_t digits = strspn(text, "0123456789"), all = strlen(text);
    bool good = all && strspn(text, "0123456789.") == all && all <= 16 &&
                (digits == all || !strchr(text + digits + 1, '.'));
    for (size_t i = 0; good && i < all; i++) {
        if (i == digits)
            continue;
        place *= i > digits ? 0.1 : 1;
        seconds = i < digits ? seconds * 10 + (text[i] - '0') : seconds + place * (text[i] - '0');
    }
    return good ? seconds : -1;
}

/* As for the client. */
static double seconds_between(struct mlflow *m)
{
    const char *text = sw_sink_getenv(m->sink, "MLFLOW_SYSTEM_METRICS_SAMPLING_INTERVAL");
    if (!text || !*text)
        return interval_s;
    double seconds = seconds_read(text);
    if (seconds >= 0.1 && seconds <= 86400)
        return seconds;
    sw_sink_say(m->sink, 1,
                "MLFLOW_SYSTEM_METRICS_SAMPLING_INTERVAL: expected a number of seconds, 0.1 to "
                "86400; it is 10 s");
    return interval_s;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The first line of /proc/stat has the time of all processors: user, nice, system, idle, wait for
 * a disk, interrupts, and what was stolen. */
static void processors_read(double *busy, double *all)
{
    double t[8] = {0};
    FILE *file = fopen("/proc/stat", "re");
    if (file && fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3, t + 4,
                       t + 5, t + 6, t + 7) < 4)
        t[0] = 0;
    if (file)
        fclose(file);
    *all = 0;
    for (size_t i = 0; i < 8; i++)
        *all += t[i];
    *busy = *all - t[3] - t[4];
}

static void processors_add(const struct swi_sample_lines *s)
{
    struct swi_own_samples *own = &s->m->own;
    double busy, all;
    processors_read(&busy, &all);
    if (all > own->all)
        swi_sample_line(s, "cpu_utilization_percentage",
                        100 * (busy - own->busy) / (all - own->all));
    own->busy = busy;
    own->all = all;
}

static void memory_add(const struct swi_sample_lines *s)
{
    double total = swi_figure_number("/proc/meminfo", "MemTotal:") * 1024;
    double available = swi_figure_number("/proc/meminfo", "MemAvailable:") * 1024;
    if (total <= 0 || available < 0)
        return;
    swi_sample_line(s, "system_memory_usage_megabytes", (total - available) / megabyte);
    swi_sample_line(s, "system_memory_usage_percentage", 100 * (total - available) / total);
}

/* The part that only root may use counts as neither used nor available. */
static void disk_add(const struct swi_sample_lines *s)
{
    struct statvfs status;
    if (statvfs("/", &status) < 0 || !status.f_blocks)
        return;
    double block = (double)status.f_frsize / megabyte;
    double used = (double)(status.f_blocks - status.f_bfree), free = (double)status.f_bavail;
    swi_sample_line(s, "disk_usage_percentage", used + free > 0 ? 100 * used / (used + free) : 0);
    swi_sample_line(s, "disk_usage_megabytes", used * block);
    swi_sample_line(s, "disk_available_megabytes", free * block);
}

static void network_add(const struct swi_sample_lines *s)
{
    const struct swi_own_samples *own = &s->m->own;
    struct swi_machine here = swi_machine_here(NULL);
    double received, sent;
    swi_interfaces_sum(&here, &received, &sent);
    swi_sample_line(s, "network_receive_megabytes", (received - own->received) / megabyte);
    swi_sample_line(s, "network_transmit_megabytes", (sent - own->sent) / megabyte);
}

/* ---- samples --------------------------------------------------------------------------------- */

void swi_own_samples_begin(struct mlflow *m)
{
    struct swi_machine here = swi_machine_here(NULL);
    struct swi_own_samples *own = &m->own;
    if (!m->system || m->sink->run->replayed || has_monitor(m->sink->run, "system"))
        return;
    own->interval_ns = (int64_t)(seconds_between(m) * 1e9);
    processors_read(&own->busy, &own->all);
    swi_interfaces_sum(&here, &own->received, &own->sent);
}

static int64_t run_ns(const struct mlflow *m)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    return (int64_t)(((double)wall.tv_sec - m->sink->run->started_s) * 1e9) + wall.tv_nsec;
}

void swi_own_samples_look(struct swi_text *text, struct mlflow *m)
{
    struct swi_own_samples *own = &m->own;
    int64_t now_ns = swi_now_ns();
    if (!own->interval_ns || (own->count && now_ns - own->last_ns < own->interval_ns))
        return;
    const struct swi_sample_lines s = {text, m, run_ns(m), own->count};
    processors_add(&s);
    memory_add(&s);
    disk_add(&s);
    network_add(&s);
    own->last_ns = now_ns;
    own->count++;
}
