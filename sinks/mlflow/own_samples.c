/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/own_samples.h"
#include "core/clock/now.h"
#include "monitors/common/interfaces.h"
#include "monitors/common/machine_counts.h"
#include "sinks/mlflow/mlflow_sink.h"

#include <string.h>
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

static void processors_add(const struct swi_sample_lines *s)
{
    struct swi_machine here = swi_machine_here(NULL);
    uint64_t now[2], *before = s->m->own.processors;
    if (!swi_cpu_times(&here, now))
        return;
    if (now[1] > before[1]) {
        double all = (double)(now[1] - before[1]);
        swi_sample_line(s, "cpu_utilization_percentage",
                        100 * (all - ((double)now[0] - (double)before[0])) / all);
    }
    memcpy(before, now, sizeof now);
}

static void memory_add(const struct swi_sample_lines *s)
{
    char text[SWI_MACHINE_TEXT];
    struct swi_machine here = swi_machine_here(NULL);
    uint64_t total_kib, left_kib;
    if (!swi_machine_read(&here, "/proc/meminfo", text, sizeof text) ||
        !swi_text_field(text, "MemTotal:", &total_kib) || !total_kib ||
        !swi_text_field(text, "MemAvailable:", &left_kib))
        return;
    double total = (double)total_kib * 1024, used = total - (double)left_kib * 1024;
    swi_sample_line(s, "system_memory_usage_megabytes", used / megabyte);
    swi_sample_line(s, "system_memory_usage_percentage", 100 * used / total);
}

static void disk_add(const struct swi_sample_lines *s)
{
    double used, available, percent = swi_filesystem_use("/", &used, &available);
    if (percent < 0)
        return;
    swi_sample_line(s, "disk_usage_percentage", percent);
    swi_sample_line(s, "disk_usage_megabytes", used / megabyte);
    swi_sample_line(s, "disk_available_megabytes", available / megabyte);
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
    swi_cpu_times(&here, own->processors);
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
