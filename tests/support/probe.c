/* SPDX-License-Identifier: MIT */
#include "tests/support/probe.h"

#include <check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct probe probe;
int64_t probe_now;
char probe_message[1024];
int probe_messages;

static void keep_metrics(const struct sw_record *record)
{
    for (size_t i = 0; i < record->metrics.count && probe.metric_count < PROBE_MAX; i++) {
        struct probe_metric *metric = &probe.metric[probe.metric_count++];
        metric->step = record->step;
        metric->value = sw_record_metric(record, i)->value;
        metric->by = sw_record_metric(record, i)->by;
        snprintf(metric->name, sizeof metric->name, "%s", sw_record_metric(record, i)->name);
    }
}

static void keep_report(const struct sw_report *report)
{
    const struct sw_report_row *step = probe_row(report, "train", "step");
    probe.report[probe.report_count++] = (struct probe_report){
        .fit = report->fit,
        .train_calls = step ? step->calls : -1,
        .interrupted = report->interrupted,
        .fit_ns = report->fit_ns,
        .residue_ns = report->accounting.residue_ns,
        .misuses = report->accounting.misuses,
    };
}

static int probe_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)err;
    if (record->type == SW_RECORD_METRICS)
        keep_metrics(record);
    else if (record->type == SW_RECORD_REPORT && probe.report_count < 16)
        keep_report(record->report);
    else if (record->type == SW_RECORD_EPOCH)
        probe.epoch_count++;
    else if (record->type == SW_RECORD_STEP && probe.step_count < PROBE_MAX)
        probe.step[probe.step_count++] = (struct probe_step){
            record->step_done->phase, record->step_done->samples, record->step_done->count};
    else if (record->type == SW_RECORD_HPARAM && probe.config_count < 16)
        snprintf(probe.config[probe.config_count++], 64, "%s", record->hparam->name);
    else if (record->type == SW_RECORD_END && ++probe.end_count)
        probe.end = *record->end;
    return 0;
}

static const struct sw_sink_plugin plugin = {
    SW_SINK_HEADER,
    .name = "probe",
    .version = "1.0",
    .license = "MIT",
    .summary = "keeps what it gets, for tests",
    .wants = SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_EPOCH) |
             SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_HPARAM) | SW_WANT(SW_RECORD_END),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .state_size = 1,
    .record = probe_record,
};

static int64_t clock_read(void *arg)
{
    (void)arg;
    return probe_now;
}

static void message(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    probe_messages++;
    snprintf(probe_message, sizeof probe_message, "%s", text);
}

void probe_attach(struct sw_profiler *sw)
{
    probe_messages = 0;
    *probe_message = '\0';
    sw_set_messages(sw, message, NULL);
    probe_now = 0;
    sw_set_clock(sw, clock_read, NULL);
}

struct sw_profiler *probe_open(const char *more)
{
    static bool registered;
    struct sw_error err = {0};
    char yaml[1024];
    memset(&probe, 0, sizeof probe);
    if (!registered)
        ck_assert_int_eq(sw_sink_register(&plugin, NULL, &err), 0);
    registered = true;
    snprintf(yaml, sizeof yaml, "profiler: { show_report: false%s%s }\nlogger_callback: probe\n",
             *more ? ", " : "", more);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    probe_attach(sw);
    return sw;
}

void probe_wait(int64_t ns)
{
    probe_now += ns;
}

void probe_step(struct sw_profiler *sw, int64_t samples)
{
    static const int actions[] = {SW_FORWARD, SW_LOSS, SW_BACKWARD, SW_OPT_STEP, SW_ZERO_GRAD};
    sw_begin(sw, SW_DRAW);
    probe_wait(10);
    sw_next(sw, SW_BATCH);
    probe_wait(10);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        sw_next(sw, actions[i]);
        probe_wait(14);
    }
    sw_end(sw, SW_ZERO_GRAD);
    probe_wait(10);
    sw_end_batch(sw, samples);
}

const struct sw_report_row *probe_row(const struct sw_report *report, const char *phase,
                                      const char *action)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if (strcmp(row->phase, phase) == 0 && strcmp(row->action, action) == 0)
            return row;
    }
    return NULL;
}
