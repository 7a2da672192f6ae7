/* SPDX-License-Identifier: MIT */
/* runlog - the run as JSON lines, from which every report can be made again: docs/run-log.md. */
#include "sinks/common/number.h"
#include "sinks/common/text.h"

#include <stepwatch/sink.h>

#include <math.h>
#include <string.h>
#include <time.h>

struct runlog {
    const char *path;
    const char *detail;
    FILE *file;
    struct text line;
};

static const struct sw_option options[] = {
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct runlog, path),
     .help = "file to write, - is stdout; runs/NAME-DATE-TIME-PID.jsonl if not said"},
    {.name = "detail",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct runlog, detail),
     .fallback = "steps",
     .choices = "regions|steps|metrics",
     .help = "regions: all; steps: enough to make the report again; metrics: results only"},
    {.name = NULL},
};

/* ---- parts of a line ----------------------------------------------------------------------------
 */

static void string_add(struct text *line, const char *key, const char *value)
{
    text_addf(line, ",\"%s\":", key);
    text_json(line, value);
}

static void integer_add(struct text *line, const char *key, int64_t value)
{
    text_addf(line, ",\"%s\":%" PRId64, key, value);
}

static void bool_add(struct text *line, const char *key, bool value)
{
    text_addf(line, ",\"%s\":%s", key, value ? "true" : "false");
}

/* JSON has no such numbers: they are strings then. */
static const char *number_text(char *buffer, double value)
{
    if (isnan(value))
        return "\"NaN\"";
    if (isinf(value))
        return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return number_shortest(buffer, value);
}

static void number_add(struct text *line, const char *key, double value)
{
    char buffer[NUMBER_SIZE];
    text_addf(line, ",\"%s\":%s", key, number_text(buffer, value));
}

static void line_begin(struct text *line, const char *type)
{
    line->size = 0;
    text_addf(line, "{\"type\":\"%s\"", type);
}

/* One fwrite for a whole line, so that a torn one can only be the last. */
static int line_end(struct runlog *log, struct sw_error *err)
{
    text_add(&log->line, "}\n");
    if (log->line.failed) {
        log->line.failed = false;
        return sw_error_set(err, SW_ENOMEM, "no memory for a line");
    }
    fwrite(log->line.at, 1, log->line.size, log->file);
    return 0;
}

/* ---- lines --------------------------------------------------------------------------------------
 */

static int run_line(struct runlog *log, const struct sw_run *run, struct sw_error *err)
{
    struct text *line = &log->line;
    line_begin(line, "run");
    integer_add(line, "version", 1);
    number_add(line, "started", run->started_s);
    string_add(line, "name", run->name);
    string_add(line, "program", run->program);
    string_add(line, "host", run->host);
    integer_add(line, "pid", run->pid);
    string_add(line, "stepwatch", run->version);
    string_add(line, "mode", run->mode == SW_MODE_SIMPLE ? "simple" : "throughput");
    integer_add(line, "rolling_average", run->rolling_average);
    bool_add(line, "drop_first_batch", run->drop_first_batch);
    string_add(line, "detail", log->detail);
    return line_end(log, err);
}

static int region_line(struct runlog *log, const struct sw_region *region, struct sw_error *err)
{
    static const char *const types[] = {"begin", "end", "cancel"};
    struct text *line = &log->line;
    line_begin(line, types[region->event]);
    integer_add(line, "t", region->time_ns);
    string_add(line, "action", region->action);
    if (region->thread)
        integer_add(line, "thread", region->thread);
    if (region->samples >= 0)
        integer_add(line, "samples", region->samples);
    return line_end(log, err);
}

static int region_lines(struct runlog *log, const struct sw_record *record, struct sw_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < record->regions.count && rc == 0; i++)
        rc = region_line(log, &record->regions.item[i], err);
    return rc;
}

static size_t calls_of(const struct sw_step *step, int action)
{
    size_t calls = 0;
    for (size_t i = 0; i < step->count; i++)
        calls += step->part[i].action_id == action;
    return calls;
}

static bool seen_before(const struct sw_step *step, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (step->part[k].action_id == step->part[i].action_id)
            return true;
    return false;
}

/* A number, or an array of them for an action that ran more than once in the step. */
static void durations_add(struct text *line, const struct sw_step *step, size_t i)
{
    bool several = calls_of(step, step->part[i].action_id) > 1, first = true;
    text_json(line, step->part[i].action);
    text_add(line, several ? ":[" : ":");
    for (size_t k = i; k < step->count; k++) {
        if (step->part[k].action_id != step->part[i].action_id)
            continue;
        text_addf(line, "%s%" PRId64, first ? "" : ",", step->part[k].duration_ns);
        first = false;
    }
    text_add(line, several ? "]" : "");
}

static int step_line(struct runlog *log, const struct sw_record *record, struct sw_error *err)
{
    const struct sw_step *step = record->step_done;
    struct text *line = &log->line;
    line_begin(line, "step");
    integer_add(line, "t", record->time_ns);
    integer_add(line, "step", record->step);
    string_add(line, "phase", step->phase == SW_PHASE_VALID ? "valid" : "train");
    integer_add(line, "samples", step->samples);
    text_add(line, ",\"durations\":{");
    bool first = true;
    for (size_t i = 0; i < step->count; i++) {
        if (seen_before(step, i))
            continue;
        text_add(line, first ? "" : ",");
        durations_add(line, step, i);
        first = false;
    }
    text_add(line, "}");
    return line_end(log, err);
}

static int metric_lines(struct runlog *log, const struct sw_record *record, struct sw_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < record->metrics.count && rc == 0; i++) {
        const struct sw_metric *metric = &record->metrics.item[i];
        line_begin(&log->line, "metric");
        integer_add(&log->line, "t", record->time_ns);
        integer_add(&log->line, "step", record->step);
        string_add(&log->line, "name", metric->name);
        number_add(&log->line, "value", metric->value);
        if (metric->by == SW_BY_PROFILER)
            string_add(&log->line, "by", "profiler");
        rc = line_end(log, err);
    }
    return rc;
}

static int config_line(struct runlog *log, const struct sw_config *config, struct sw_error *err)
{
    line_begin(&log->line, "config");
    string_add(&log->line, "name", config->name);
    if (config->type == SW_CONFIG_INT)
        integer_add(&log->line, "value", config->integer);
    else if (config->type == SW_CONFIG_FLOAT)
        number_add(&log->line, "value", config->number);
    else
        string_add(&log->line, "value", config->string);
    return line_end(log, err);
}

static void row_add(struct text *line, const struct sw_report_row *row, bool first)
{
    text_addf(line, "%s{\"phase\":", first ? "" : ",");
    text_json(line, row->phase);
    string_add(line, "action", row->action);
    integer_add(line, "calls", row->calls);
    number_add(line, "mean_ns", row->mean_ns);
    number_add(line, "std_ns", row->std_ns);
    number_add(line, "total_ns", row->total_ns);
    number_add(line, "self_ns", row->self_ns);
    number_add(line, "min_ns", row->min_ns);
    number_add(line, "max_ns", row->max_ns);
    number_add(line, "p50_ns", row->p50_ns);
    number_add(line, "p95_ns", row->p95_ns);
    number_add(line, "p99_ns", row->p99_ns);
    number_add(line, "share", row->share);
    number_add(line, "samples_per_s", row->samples_per_s);
    text_add(line, "}");
}

static int report_line(struct runlog *log, const struct sw_record *record, struct sw_error *err)
{
    const struct sw_report *report = record->report;
    struct text *line = &log->line;
    line_begin(line, "report");
    integer_add(line, "t", record->time_ns);
    integer_add(line, "fit", report->fit);
    bool_add(line, "interrupted", report->interrupted);
    integer_add(line, "epochs", report->epoch);
    integer_add(line, "step", report->step);
    number_add(line, "fit_ns", report->fit_ns);
    number_add(line, "accounted_ns", report->accounting.accounted_ns);
    number_add(line, "other_ns", report->accounting.other_ns);
    number_add(line, "own_ns", report->accounting.own_ns);
    integer_add(line, "steps", report->accounting.steps);
    integer_add(line, "misuses", report->accounting.misuses);
    integer_add(line, "discarded", report->accounting.discarded);
    text_add(line, ",\"rows\":[");
    for (size_t i = 0; i < report->count; i++)
        row_add(line, &report->row[i], i == 0);
    text_add(line, "]");
    string_add(line, "by", "profiler");
    return line_end(log, err);
}

static int end_line(struct runlog *log, const struct sw_record *record, struct sw_error *err)
{
    line_begin(&log->line, "finish");
    integer_add(&log->line, "t", record->time_ns);
    integer_add(&log->line, "exit_status", record->end->exit_status);
    if (record->end->signal)
        integer_add(&log->line, "signal", record->end->signal);
    bool_add(&log->line, "interrupted", record->end->interrupted);
    string_add(&log->line, "by", "profiler");
    return line_end(log, err);
}

/* ---- the sink -----------------------------------------------------------------------------------
 */

static uint32_t wants_of(const char *detail)
{
    uint32_t results = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_CONFIG) |
                       SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT) |
                       SW_WANT(SW_RECORD_END);
    if (strcmp(detail, "regions") == 0)
        return results | SW_WANT(SW_RECORD_REGIONS);
    if (strcmp(detail, "steps") == 0)
        return results | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_MARK);
    return results;
}

/* One file a run: name, date, time and process tell them apart. */
static void default_path(char *buffer, size_t size, const struct sw_run *run)
{
    char when[32], name[128];
    struct tm tm;
    time_t started = (time_t)run->started_s;
    localtime_r(&started, &tm);
    strftime(when, sizeof when, "%Y%m%d-%H%M%S", &tm);
    snprintf(name, sizeof name, "%s", run->name);
    for (char *p = name; *p; p++)
        if (*p == '/' || *p == '\\' || (unsigned char)*p < 0x21)
            *p = '_';
    snprintf(buffer, size, "runs/%s-%s-%" PRId64 ".jsonl", name, when, run->pid);
}

static int runlog_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct runlog *log = state;
    char path[512];
    default_path(path, sizeof path, sink->run);
    sw_sink_want(sink, wants_of(log->detail));
    return sw_sink_create(sink, log->path ? log->path : path, &log->file, err);
}

static int runlog_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct runlog *log = state;
    switch (record->type) {
    case SW_RECORD_RUN:
        return run_line(log, record->run, err);
    case SW_RECORD_CONFIG:
        return config_line(log, record->config, err);
    case SW_RECORD_METRICS:
        return metric_lines(log, record, err);
    case SW_RECORD_MARK:
    case SW_RECORD_REGIONS:
        return region_lines(log, record, err);
    case SW_RECORD_STEP:
        return step_line(log, record, err);
    case SW_RECORD_REPORT:
        return report_line(log, record, err);
    case SW_RECORD_END:
        return end_line(log, record, err);
    default:
        return 0;
    }
}

static int runlog_close(void *state, struct sw_error *err)
{
    struct runlog *log = state;
    (void)err;
    text_fini(&log->line);
    return 0;
}

const struct sw_sink_plugin sw_sink_plugin = {
    SW_SINK_HEADER,
    .name = "runlog",
    .version = "1.0",
    .license = "MIT",
    .summary = "the run as JSON lines, to replay and to compare",
    .wants = SW_WANT(SW_RECORD_RUN) | SW_WANT(SW_RECORD_CONFIG) | SW_WANT(SW_RECORD_METRICS) |
             SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_REGIONS) |
             SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_END),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .options = options,
    .state_size = sizeof(struct runlog),
    .open = runlog_open,
    .record = runlog_record,
    .close = runlog_close,
};
