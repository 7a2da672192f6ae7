/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/lines.h"

#include "sinks/common/runlog/line_fields.h"

#include <stepwatch/stepwatch.h>

#include <math.h>

/* ---- the line of all ranks ------------------------------------------------------------------- */

/* Adds a name, or null. */
static void name_add(struct swi_text *text, const char *key, const char *name)
{
    if (name) {
        swi_field_string(text, key, name);
        return;
    }
    swi_field_key(text, key);
    swi_text_put(text, "null");
}

static void culprit_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (ranks->slow_rank >= 0)
        swi_field_integer(text, "rank", ranks->slow_rank);
    name_add(text, "host", ranks->slow_host);
    name_add(text, "phase", ranks->slow_action);
    swi_field_number(text, "late_ns", ranks->late_ns);
    swi_field_number(text, "gain", ranks->gain);
    swi_field_number(text, "confidence", ranks->confidence);
}

static void straggler_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (!ranks->verdict)
        return;
    swi_field_key(text, "straggler");
    swi_text_put(text, "{\"verdict\":");
    swi_escape_json(text, ranks->verdict);
    if (ranks->why)
        swi_field_string(text, "why", ranks->why);
    if (isfinite(ranks->gain))
        culprit_add(text, ranks);
    if (ranks->sentence)
        swi_field_string(text, "sentence", ranks->sentence);
    swi_text_put(text, "}");
}

static void ranks_row_add(struct swi_text *text, const struct sw_ranks_row *row)
{
    swi_text_put(text, "{\"phase\":");
    swi_escape_json(text, row->phase);
    swi_field_string(text, "action", row->action);
    swi_field_integer(text, "ranks", row->ranks);
    swi_field_integer(text, "calls", row->calls);
    swi_field_number(text, "min_ns", row->min_ns);
    swi_field_integer(text, "min_rank", row->min_rank);
    swi_field_number(text, "mean_ns", row->mean_ns);
    swi_field_number(text, "max_ns", row->max_ns);
    swi_field_integer(text, "max_rank", row->max_rank);
    swi_field_number(text, "imbalance", row->imbalance);
    swi_field_number(text, "call_mean_ns", row->call_mean_ns);
    swi_field_number(text, "call_std_ns", row->call_std_ns);
    swi_field_number(text, "p50_ns", row->p50_ns);
    swi_field_number(text, "p95_ns", row->p95_ns);
    swi_field_number(text, "p99_ns", row->p99_ns);
    swi_text_put(text, "}");
}

/* Adds the line of a record of all ranks. */
static void all_ranks_line(struct swi_text *text, const struct sw_record *record)
{
    const struct sw_ranks *ranks = record->ranks;
    bool known = SW_HAS(ranks->size, ranks, finding) && ranks->complete;
    for (size_t i = 0; known && i < ranks->finding_count; i++)
        swi_finding_line(text, record, ranks->fit, sw_ranks_finding(ranks, i));
    swi_line_begin_at(text, "ranks", record->time_ns);
    swi_field_integer(text, "fit", ranks->fit);
    swi_field_bool(text, "complete", ranks->complete);
    swi_field_integer(text, "epochs", ranks->epoch);
    swi_field_integer(text, "step", ranks->step);
    swi_field_integer(text, "world_size", ranks->world_size);
    swi_field_integer(text, "ranks", ranks->ranks);
    swi_field_integer(text, "steps", ranks->steps);
    swi_field_integer(text, "steps_in_a_block", ranks->block);
    swi_field_integer(text, "took_ns", ranks->took_ns);
    swi_field_number(text, "lost", ranks->lost);
    swi_field_number(text, "communication", ranks->communication);
    straggler_add(text, ranks);
    swi_field_key(text, "rows");
    for (size_t i = 0; i < ranks->count; i++) {
        swi_text_put(text, i ? "," : "[");
        ranks_row_add(text, sw_ranks_row_at(ranks, i));
    }
    swi_text_put(text, ranks->count ? "]" : "[]");
    swi_line_end(text);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Adds a number if it is known. */
static void known_add(struct swi_text *text, const char *key, int64_t value, int64_t least)
{
    if (value >= least)
        swi_field_integer(text, key, value);
}

static void rank_add(struct swi_text *text, const struct sw_run *run)
{
    if (!SW_HAS(run->size, run, rank_certain))
        return;
    swi_field_integer(text, "rank", run->rank);
    known_add(text, "world_size", run->world_size, 1);
    known_add(text, "local_rank", run->local_rank, 0);
    known_add(text, "local_size", run->local_size, 1);
    known_add(text, "node", run->node, 0);
    if (*run->job)
        swi_field_string(text, "job", run->job);
    if (SW_HAS(run->size, run, id) && *run->id)
        swi_field_string(text, "run", run->id);
    known_add(text, "attempt", run->attempt, 1);
    swi_field_string(text, "rank_source", run->rank_source);
    swi_field_bool(text, "rank_certain", run->rank_certain);
}

static void wait_add(struct swi_text *text, const struct sw_run *run)
{
    if (!SW_HAS(run->size, run, wait) || !run->wait[0])
        return;
    swi_field_key(text, "wait");
    for (size_t i = 0; run->wait[i]; i++) {
        swi_text_put(text, i ? "," : "[");
        swi_escape_json(text, run->wait[i]);
    }
    swi_text_put(text, "]");
}

static void run_add(struct swi_text *text, const struct sw_run *run, const char *detail,
                    bool windowed, struct swi_log_counters *counters)
{
    swi_line_begin(text, "run");
    swi_field_integer(text, "version", 1);
    swi_field_number(text, "started", run->started_s);
    swi_field_string(text, "name", run->name);
    swi_field_string(text, "program", run->program);
    swi_field_string(text, "host", run->host);
    swi_field_integer(text, "pid", run->pid);
    swi_field_string(text, "stepwatch", run->version);
    swi_field_mode(text, run->mode);
    swi_field_integer(text, "rolling_average", run->rolling_average);
    swi_field_bool(text, "drop_first_batch", run->drop_first_batch);
    swi_field_string(text, "detail", detail);
    if (windowed)
        swi_field_bool(text, "windowed", true);
    if (SW_HAS(run->size, run, gpu) && *run->gpu)
        swi_field_string(text, "gpu", run->gpu);
    rank_add(text, run);
    wait_add(text, run);
    if (SW_HAS(run->size, run, peak_flops) && run->peak_flops > 0)
        swi_field_number(text, "peak_flops", run->peak_flops);
    swi_log_counters_of_run(text, counters, run);
}

void swi_lines_run(struct swi_text *text, const struct sw_run *run, const char *detail,
                   bool windowed, struct swi_log_counters *counters)
{
    run_add(text, run, detail, windowed, counters);
    swi_line_end(text);
}

void swi_lines_again(struct swi_text *text, const struct sw_run *run, const char *detail,
                     bool windowed, const int64_t *begun, int thread,
                     struct swi_log_counters *counters)
{
    static const char *const names[] = {"fit", "epoch", "train", "valid"};
    run_add(text, run, detail, windowed, counters);
    swi_field_bool(text, "again", true);
    swi_line_end(text);
    for (int action = SW_FIT; action <= SW_VALID; action++) {
        if (begun[action] < 0)
            continue;
        swi_line_begin_at(text, "begin", begun[action]);
        swi_field_string(text, "action", names[action]);
        if (thread)
            swi_field_integer(text, "thread", thread);
        swi_field_bool(text, "again", true);
        swi_line_end(text);
    }
}

static void config_add(struct swi_text *text, const struct sw_hparam *config)
{
    swi_line_begin(text, "config");
    swi_field_string(text, "name", config->name);
    if (config->type == SW_HPARAM_INT)
        swi_field_integer(text, "value", config->integer);
    else if (config->type == SW_HPARAM_FLOAT)
        swi_field_number(text, "value", config->number);
    else
        swi_field_string(text, "value", config->string);
    swi_line_end(text);
}

static void finish_add(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, "finish", record->time_ns);
    swi_field_integer(text, "exit_status", record->end->exit_status);
    swi_field_integer(text, "signal", record->end->signal);
    swi_field_bool(text, "interrupted", record->end->interrupted);
    if (record->end->cause)
        swi_field_string(text, "cause", record->end->cause);
    swi_line_end(text);
}

static void clock_add(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, "clock", record->time_ns);
    swi_field_integer(text, "clock_offset_ns", record->clock->offset_ns);
    swi_field_integer(text, "clock_error_ns", record->clock->error_ns);
    swi_line_end(text);
}

static void open_add(struct swi_text *text, const struct sw_alert *alert)
{
    swi_field_key(text, "open");
    for (size_t i = 0; i < alert->open_count; i++) {
        const struct sw_open_region *region = sw_alert_open(alert, i);
        swi_text_put(text, i ? ",{\"thread\":" : "[{\"thread\":");
        swi_text_integer(text, region->thread);
        swi_field_string(text, "action", region->action);
        swi_field_integer(text, "since", region->since_ns);
        swi_text_put(text, "}");
    }
    swi_text_put(text, alert->open_count ? "]" : "[]");
}

/* stepwatch's own have a kind, and the names that wandb has for levels. */
static void alert_add(struct swi_text *text, const struct sw_record *record)
{
    static const char *const said[] = {"note", "warning", "error"},
                             *own[] = {"INFO", "WARN", "ERROR"};
    const struct sw_alert *alert = record->alert;
    bool user = strcmp(alert->kind, "user") == 0;
    int level = alert->level < 0 ? 0 : alert->level > 2 ? 2 : alert->level;
    swi_line_begin_at(text, "alert", record->time_ns);
    swi_field_integer(text, "step", record->step);
    if (!user)
        swi_field_string(text, "kind", alert->kind);
    swi_field_string(text, "level", user ? said[level] : own[level]);
    swi_field_string(text, "title", alert->title);
    swi_field_string(text, "text", alert->text);
    if (strcmp(alert->kind, "stall") == 0)
        open_add(text, alert);
    swi_line_end(text);
}

void swi_lines_expected(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, "expect", record->time_ns);
    swi_field_integer(text, "steps", record->steps_expected);
    swi_line_end(text);
}

void swi_lines_record(struct swi_text *text, const struct sw_record *record, bool histograms,
                      int64_t window, struct swi_log_counters *counters,
                      const struct swi_thinning *thinning)
{
    const struct swi_step_group *group = thinning ? swi_thinned_steps(thinning, record) : NULL;
    if (record->hparam)
        config_add(text, record->hparam);
    if (record->metrics.count)
        swi_metric_lines(text, record, true, thinning);
    for (size_t i = 0; i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        swi_region_line(text, region, record->regions.stride,
                        record->type == SW_RECORD_REGIONS ? window : -1, counters);
    }
    if (record->lost)
        swi_lost_line(text, record);
    if (record->pause)
        swi_pause_line(text, record);
    if (group)
        swi_steps_line(text, group, counters);
    else if (record->step_done)
        swi_step_line(text, record, counters);
    if (record->report)
        swi_report_lines(text, record, histograms);
    if (record->type == SW_RECORD_RANKS)
        all_ranks_line(text, record);
    if (record->type == SW_RECORD_CLOCK)
        clock_add(text, record);
    if (record->type == SW_RECORD_WINDOW)
        swi_window_line(text, record);
    if (record->type == SW_RECORD_NOTE)
        swi_note_line(text, record);
    if (record->type == SW_RECORD_ALERT)
        alert_add(text, record);
    if (record->type == SW_RECORD_SPAN)
        swi_span_line(text, record->span);
    if (record->end)
        finish_add(text, record);
}
