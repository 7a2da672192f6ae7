/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/lines.h"

#include "sinks/common/runlog/line_fields.h"
#include "sinks/common/value_table.h"

#include <stepwatch/stepwatch.h>

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
    if (SW_HAS(run->size, run, wait) && run->wait[0])
        swi_field_texts(text, "wait", run->wait);
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
    static const char *const own[] = {"INFO", "WARN", "ERROR"};
    const struct sw_alert *alert = record->alert;
    bool user = strcmp(alert->kind, "user") == 0;
    swi_line_begin_at(text, "alert", record->time_ns);
    swi_field_integer(text, "step", record->step);
    if (!user)
        swi_field_string(text, "kind", alert->kind);
    swi_field_string(text, "level",
                     user ? swi_level_word(alert->level) : own[swi_level_of(alert->level)]);
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

/* ---- what the loop did ----------------------------------------------------------------------- */

void swi_lines_region(struct swi_text *text, const struct sw_region *region, size_t size,
                      int64_t window, struct swi_log_counters *counters)
{
    static const char *const type[] = {"begin", "end", "cancel", "cancel"};
    if (region->use_count && counters)
        swi_log_counters_name(text, counters, region->use, region->use_count, region->use_stride);
    swi_line_begin_at(text, type[region->event], region->time_ns);
    swi_field_string(text, "action", region->action);
    if (SW_HAS(size, region, shape) && *region->shape)
        swi_field_string(text, "shape", region->shape);
    if (region->event == SW_REGION_DISCARD)
        swi_field_bool(text, "left_open", true);
    if (region->thread)
        swi_field_integer(text, "thread", region->thread);
    if (region->samples >= 0)
        swi_field_integer(text, "samples", region->samples);
    if (SW_HAS(size, region, step) && region->step >= 0)
        swi_field_integer(text, "step", region->step);
    if (window >= 0)
        swi_field_integer(text, "window", window);
    if (counters && counters->count && region->event <= SW_REGION_END)
        swi_log_counters_of_region(text, counters, region);
    swi_line_end(text);
}

/* Where the window begins, so that its steps get their numbers within the epoch. */
static void place_add(struct swi_text *text, const struct sw_record *record)
{
    const struct sw_window *window = record->window;
    swi_field_integer(text, "epoch", record->epoch);
    if (!SW_HAS(window->size, window, valid_steps))
        return;
    swi_field_integer(text, "train_steps", window->train_steps);
    swi_field_integer(text, "valid_steps", window->valid_steps);
}

static void window_line(struct swi_text *text, const struct sw_record *record)
{
    static const char *const reasons[] = {"run", "schedule", "capture"};
    const struct sw_window *window = record->window;
    swi_line_begin_at(text, window->open ? "window_begin" : "window_end",
                      window->open ? window->begin_ns : window->end_ns);
    swi_field_integer(text, "window", window->number);
    if (window->open) {
        swi_field_string(text, "reason", reasons[window->reason]);
        swi_field_integer(text, "step", window->first_step);
        place_add(text, record);
    } else {
        swi_field_integer(text, "step", window->next_step);
        swi_field_bool(text, "cut", window->cut);
    }
    swi_line_end(text);
}

static void note_line(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, "note", record->time_ns);
    swi_field_integer(text, "step", record->step);
    swi_field_string(text, "text", record->note->text);
    if (record->note->thread)
        swi_field_integer(text, "thread", record->note->thread);
    swi_line_end(text);
}

static void span_line(struct swi_text *text, const struct sw_span *span)
{
    swi_line_begin_at(text, span->open ? "span_begin" : "span_end",
                      span->open ? span->begin_ns : span->end_ns);
    swi_field_integer(text, "id", span->id);
    swi_field_string(text, "action", span->action);
    if (span->thread)
        swi_field_integer(text, "thread", span->thread);
    swi_line_end(text);
}

static void pause_line(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, record->pause->paused ? "pause" : "resume", record->time_ns);
    if (record->pause->thread)
        swi_field_integer(text, "thread", record->pause->thread);
    swi_line_end(text);
}

static void lost_line(struct swi_text *text, const struct sw_record *record)
{
    swi_line_begin_at(text, "lost", record->time_ns);
    swi_field_integer(text, "metrics", record->lost->metrics);
    swi_field_integer(text, "steps", record->lost->steps);
    swi_field_integer(text, "regions", record->lost->regions);
    if (SW_HAS(record->lost->size, record->lost, spans) && record->lost->spans)
        swi_field_integer(text, "spans", record->lost->spans);
    swi_line_end(text);
}

/* Adds what the text has between two places once more. */
static void repeat(struct swi_text *text, size_t from, size_t to)
{
    size_t size = to - from;
    if (!swi_text_reserve(text, size))
        return;
    memcpy(text->data + text->size, text->data + from, size);
    text->size += size;
    text->data[text->size] = '\0';
}

/* What the value is the mean of. */
static void thinned_add(struct swi_text *text, const struct swi_thinned *thinned)
{
    swi_field_integer(text, "count", thinned->count);
    if (thinned->count) {
        swi_field_number(text, "min", thinned->min);
        swi_field_number(text, "max", thinned->max);
    }
    if (thinned->nonfinite)
        swi_field_integer(text, "nonfinite", thinned->nonfinite);
}

static void metric_end(struct swi_text *text, const struct sw_record *record, size_t i,
                       const struct swi_thinning *thinning)
{
    const struct sw_metric *metric = sw_record_metric(record, i);
    const struct swi_thinned *thinned = swi_thinned_of(thinning, record, i);
    swi_field_string(text, "name", metric->name);
    swi_field_number(text, "value", metric->value);
    if (thinned)
        thinned_add(text, thinned);
    if (metric->by == SW_BY_PROFILER)
        swi_field_by_profiler(text);
    else if (metric->by == SW_BY_MONITOR)
        swi_field_string(text, "by", "monitor");
    if (record->step_source != SW_STEP_OF_LOOP)
        swi_field_bool(text, "own_step", true);
    swi_line_end(text);
}

/* All lines begin alike. */
void swi_metric_lines(struct swi_text *text, const struct sw_record *record, bool own,
                      const struct swi_thinning *thinning)
{
    size_t from = text->size, to = from;
    for (size_t i = 0; i < record->metrics.count; i++) {
        if (sw_record_metric(record, i)->by == SW_BY_PROFILER && !own)
            continue;
        if (to > from) {
            repeat(text, from, to);
        } else {
            swi_line_begin_at(text, "metric", record->time_ns);
            swi_field_integer(text, "step", record->step);
            to = text->size;
        }
        metric_end(text, record, i, thinning);
    }
}

/* ---- any record ------------------------------------------------------------------------------ */

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
        swi_lines_region(text, region, record->regions.stride,
                         record->type == SW_RECORD_REGIONS ? window : -1, counters);
    }
    if (record->lost)
        lost_line(text, record);
    if (record->pause)
        pause_line(text, record);
    if (group || record->step_done)
        swi_step_line(text, record, group, counters);
    if (record->report)
        swi_report_lines(text, record, histograms);
    if (record->type == SW_RECORD_RANKS)
        swi_ranks_line(text, record);
    if (record->type == SW_RECORD_CLOCK)
        clock_add(text, record);
    if (record->type == SW_RECORD_WINDOW)
        window_line(text, record);
    if (record->type == SW_RECORD_NOTE)
        note_line(text, record);
    if (record->type == SW_RECORD_ALERT)
        alert_add(text, record);
    if (record->type == SW_RECORD_SPAN)
        span_line(text, record->span);
    if (record->end)
        finish_add(text, record);
}
