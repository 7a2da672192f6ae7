/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/system_names.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "sinks/common/sample_names.h"
#include "sinks/mlflow/mlflow_sink.h"

#include <string.h>

enum { NAME = 300 };
static const double megabyte = 1e6;

struct sampled {
    struct swi_sample_lines lines;
    struct swi_sampled_monitor *monitor;
    const struct sw_record *record;
};

/* ---- one line -------------------------------------------------------------------------------- */

/* As the client with MLFLOW_SYSTEM_METRICS_NODE_ID; without it, each rank has a name of its own. */
static void prefix_make(char *prefix, size_t size, const struct mlflow *m)
{
    const struct sw_run *run = m->sink->run;
    const char *node = sw_sink_getenv(m->sink, "MLFLOW_SYSTEM_METRICS_NODE_ID");
    if (node && *node)
        snprintf(prefix, size, "system/%.200s/", node);
    else if (strcmp(m->ranks, "all") == 0 && run->world_size != 1)
        snprintf(prefix, size, "system/rank_%" PRId64 "/", run->rank);
    else
        snprintf(prefix, size, "system/");
}

void swi_sample_line(const struct swi_sample_lines *s, const char *name, double value)
{
    char prefix[256], whole[NAME + 256];
    prefix_make(prefix, sizeof prefix, s->m);
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    swi_text_format(s->text,
                    "{\"type\":\"metric\",\"t\":%" PRId64 ",\"step\":%" PRId64 ",\"name\":",
                    s->time_ns, s->step);
    swi_escape_json(s->text, whole);
    swi_text_put(s->text, ",\"value\":");
    swi_number_json(s->text, value);
    swi_text_put(s->text, ",\"by\":\"monitor\"}\n");
}

static void line_add(const struct sampled *s, const char *name, double value)
{
    swi_sample_line(&s->lines, name, value);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* What becomes of a value. */
enum use { AS_IT_IS, IN_MEGABYTES, SUM_OF_RECEIVED, SUM_OF_SENT };

/* `*` is a part that both have. */
static const struct {
    const char *metric, *name;
    enum use use;
} names[] = {
    {"system/cpu_percent", "cpu_utilization_percentage", AS_IT_IS},
    {"system/memory_percent", "system_memory_usage_percentage", AS_IT_IS},
    {"system/network/received_bytes_per_s", "network_receive_megabytes", SUM_OF_RECEIVED},
    {"system/network/sent_bytes_per_s", "network_transmit_megabytes", SUM_OF_SENT},
    {"gpu/*/memory_percent", "gpu_*_memory_usage_percentage", AS_IT_IS},
    {"gpu/*/memory_used_bytes", "gpu_*_memory_usage_megabytes", IN_MEGABYTES},
    {"gpu/*/utilization_percent", "gpu_*_utilization_percentage", AS_IT_IS},
    {"gpu/*/power_watts", "gpu_*_power_usage_watts", AS_IT_IS},
    {"gpu/*/power_percent", "gpu_*_power_usage_percentage", AS_IT_IS},
};
enum { NAMES = sizeof names / sizeof *names };

/* The client has what is a rate here as a sum since the start. */
static double summed(const struct sampled *s, double *sum, double per_s)
{
    *sum += per_s * (double)(s->record->time_ns - s->monitor->last_ns) * 1e-9;
    return *sum / megabyte;
}

static double value_for(const struct sampled *s, enum use use, double value)
{
    if (use == SUM_OF_RECEIVED)
        return summed(s, &s->monitor->received, value);
    if (use == SUM_OF_SENT)
        return summed(s, &s->monitor->sent, value);
    return use == IN_MEGABYTES ? value / megabyte : value;
}

static void metric_add(const struct sampled *s, const struct sw_metric *metric)
{
    char name[NAME];
    for (size_t i = 0; i < NAMES; i++) {
        if (!swi_sample_name(name, sizeof name, metric->name, names[i].metric, names[i].name))
            continue;
        line_add(s, name, value_for(s, names[i].use, metric->value));
        return;
    }
    bool prefixed = strncmp(metric->name, "system/", 7) == 0;
    line_add(s, metric->name + (prefixed ? 7 : 0), metric->value);
}

/* ---- figures of two values ------------------------------------------------------------------- */

static bool value_of(const struct sampled *s, const char *name, double *value)
{
    for (size_t i = 0; i < s->record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(s->record, i);
        *value = metric->value;
        if (strcmp(metric->name, name) == 0)
            return true;
    }
    return false;
}

static void memory_add(const struct sampled *s)
{
    double total, available;
    if (value_of(s, "system/memory_total_bytes", &total) &&
        value_of(s, "system/memory_available_bytes", &available))
        line_add(s, "system_memory_usage_megabytes", (total - available) / megabyte);
}

/* The file system of the root. */
static void disk_add(const struct sampled *s)
{
    double percent, used;
    if (!value_of(s, "system/filesystem///used_percent", &percent) ||
        !value_of(s, "system/filesystem///used_bytes", &used))
        return;
    line_add(s, "disk_usage_percentage", percent);
    line_add(s, "disk_usage_megabytes", used / megabyte);
    if (percent > 0)
        line_add(s, "disk_available_megabytes", used * (100 / percent - 1) / megabyte);
}

/* ---- monitors -------------------------------------------------------------------------------- */

/* Each monitor has records of its own, which all begin with the same metric. */
static struct swi_sampled_monitor *monitor_of(struct swi_sampled_monitors *monitors,
                                              const struct sw_record *record)
{
    const char *first = sw_record_metric(record, 0)->name;
    struct swi_sampled_monitor *item = monitors->item;
    for (size_t i = 0; i < monitors->count; i++)
        if (strncmp(item[i].first, first, sizeof item[i].first - 1) == 0)
            return &item[i];
    if (monitors->count == sizeof monitors->item / sizeof *item)
        return &item[monitors->count - 1];
    snprintf(item[monitors->count].first, sizeof item->first, "%s", first);
    return &item[monitors->count++];
}

void swi_mlflow_sample_lines(struct swi_text *text, struct mlflow *m,
                             const struct sw_record *record)
{
    struct swi_sampled_monitor *monitor = monitor_of(&m->monitors, record);
    const struct sampled s = {{text, m, record->time_ns, monitor->samples}, monitor, record};
    for (size_t i = 0; i < record->metrics.count; i++)
        metric_add(&s, sw_record_metric(record, i));
    memory_add(&s);
    disk_add(&s);
    monitor->last_ns = record->time_ns;
    monitor->samples++;
}
