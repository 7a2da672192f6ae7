/* SPDX-License-Identifier: MIT */
#include "core/text/escape.h"
#include "core/text/parse.h"
#include "sinks/mlflow/mlflow_sink.h"

#include <stdlib.h>
#include <string.h>

enum { MEGABYTE = 1000000 };
static const double interval_s = 10;

/* Where the lines of a sample go. */
struct sampled {
    struct swi_text *text;
    struct mlflow *m;
    const struct sw_record *record;
    int64_t step;
    bool own; /* the sink took it */
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

/* name: without system/. */
static void line_add(const struct sampled *s, const char *name, double value)
{
    char prefix[256], whole[SWI_SAMPLE_NAME + 256];
    prefix_make(prefix, sizeof prefix, s->m);
    snprintf(whole, sizeof whole, "%s%.*s", prefix, SWI_SAMPLE_NAME - 1, name);
    swi_json_format(s->text,
                    "{\"type\":\"metric\",\"t\":%" PRId64 ",\"step\":%" PRId64
                    ",\"name\":%s,\"value\":%g,\"by\":\"monitor\"}\n",
                    s->record->time_ns, s->step, whole, value);
}

/* ---- names ----------------------------------------------------------------------------------- */

static const struct swi_sample_name names[] = {
    {"system/cpu_percent", "cpu_utilization_percentage", 1, false},
    {"system/memory_percent", "system_memory_usage_percentage", 1, false},
    {"system/machine/memory_percent", "system_memory_usage_percentage", 1, false},
    {"system/machine/memory_used_bytes", "system_memory_usage_megabytes", MEGABYTE, false},
    {"system/network/received_bytes", "network_receive_megabytes", MEGABYTE, true},
    {"system/network/sent_bytes", "network_transmit_megabytes", MEGABYTE, true},
    {"gpu/*/memory_percent", "gpu_*_memory_usage_percentage", 1, false},
    {"gpu/*/memory_used_bytes", "gpu_*_memory_usage_megabytes", MEGABYTE, false},
    {"gpu/*/utilization_percent", "gpu_*_utilization_percentage", 1, false},
    {"gpu/*/power_watts", "gpu_*_power_usage_watts", 1, false},
    {"gpu/*/power_percent", "gpu_*_power_usage_percentage", 1, false},
};

/* Of what the sink samples itself, MLflow gets only what its client has: of the machine, also where
 * the process may use less. */
static void metric_add(const struct sampled *s, const struct sw_metric *metric)
{
    struct swi_renamed renamed;
    bool prefixed = strncmp(metric->name, "system/", 7) == 0;
    if (s->own && strcmp(metric->name, "system/memory_percent") == 0)
        return;
    if (swi_sample_rename(&renamed, &s->m->samples.sums, names, sizeof names / sizeof *names,
                          s->record, metric))
        line_add(s, renamed.name, renamed.value);
    else if (!s->own)
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
    if (!s->own && value_of(s, "system/memory_total_bytes", &total) &&
        value_of(s, "system/memory_available_bytes", &available))
        line_add(s, "system_memory_usage_megabytes", (total - available) / MEGABYTE);
}

/* The file system of the root. */
static void disk_add(const struct sampled *s)
{
    double percent, used;
    if (!value_of(s, "system/filesystem///used_percent", &percent) ||
        !value_of(s, "system/filesystem///used_bytes", &used))
        return;
    line_add(s, "disk_usage_percentage", percent);
    line_add(s, "disk_usage_megabytes", used / MEGABYTE);
    if (percent > 0)
        line_add(s, "disk_available_megabytes", used * (100 / percent - 1) / MEGABYTE);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void lines_add(struct swi_text *text, struct mlflow *m, const struct sw_record *record,
                      bool own)
{
    struct swi_mlflow_samples *samples = &m->samples;
    const char *first = sw_record_metric(record, 0)->name;
    int64_t *count =
        swi_map_item(&samples->monitors, &samples->count, sizeof *count, first, strlen(first));
    const struct sampled s = {text, m, record, count ? (*count)++ : 0, own};
    for (size_t i = 0; i < record->metrics.count; i++)
        metric_add(&s, sw_record_metric(record, i));
    memory_add(&s);
    disk_add(&s);
}

void swi_mlflow_sample_lines(struct swi_text *text, struct mlflow *m,
                             const struct sw_record *record)
{
    lines_add(text, m, record, false);
}

/* As for the client. */
static double seconds_between(struct mlflow *m)
{
    static const char name[] = "MLFLOW_SYSTEM_METRICS_SAMPLING_INTERVAL";
    SW_ERROR_SCOPE(ignored);
    const char *text = sw_sink_getenv(m->sink, name);
    double seconds = -1;
    if (!text || !*text)
        return interval_s;
    if (swi_parse_float(text, &seconds, &ignored) == 0 && seconds >= 0.1 && seconds <= 86400)
        return seconds;
    sw_sink_say(m->sink, 1, "%s: expected a number of seconds, 0.1 to 86400; it is 10 s", name);
    return interval_s;
}

void swi_mlflow_samples_begin(struct mlflow *m)
{
    if (m->system && sw_sink_sample(m->sink, 0))
        m->samples.interval_ns = (int64_t)(seconds_between(m) * 1e9);
}

void swi_mlflow_samples_look(struct swi_text *text, struct mlflow *m)
{
    struct swi_mlflow_samples *samples = &m->samples;
    const struct sw_record *sample =
        samples->interval_ns ? sw_sink_sample(m->sink, samples->taken ? samples->interval_ns : 0)
                             : NULL;
    if (sample)
        lines_add(text, m, sample, true);
    samples->taken |= sample != NULL;
}

void swi_mlflow_samples_free(struct swi_mlflow_samples *samples)
{
    swi_map_free(&samples->monitors);
    swi_sample_sums_free(&samples->sums);
    free(samples->count);
}
