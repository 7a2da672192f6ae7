/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/lines.h"
#include "core/text/escape.h"
#include "core/text/number.h"
#include "sinks/runlog/distribution.h"

#include <stepwatch/stepwatch.h>

#include <math.h>

/* ---- parts of a line: every field but the first ------------------------------------------------
 */

/* Keys are constants: their lengths are known, so each is copied together with the quotes and the
 * colon around it. */
#define SWI_INLINE inline __attribute__((always_inline))

static SWI_INLINE void key_add(struct swi_text *text, const char *key)
{
    swi_text_put(text, ",\"");
    swi_text_put(text, key);
    swi_text_put(text, "\":");
}

static SWI_INLINE void string_add(struct swi_text *text, const char *key, const char *value)
{
    key_add(text, key);
    swi_escape_json(text, value);
}

static SWI_INLINE void integer_add(struct swi_text *text, const char *key, int64_t value)
{
    key_add(text, key);
    swi_text_integer(text, value);
}

static SWI_INLINE void bool_add(struct swi_text *text, const char *key, bool value)
{
    key_add(text, key);
    swi_text_put(text, value ? "true" : "false");
}

static SWI_INLINE void number_add(struct swi_text *text, const char *key, double value)
{
    key_add(text, key);
    swi_number_json(text, value);
}

static SWI_INLINE void begin(struct swi_text *text, const char *type)
{
    swi_text_put(text, "{\"type\":\"");
    swi_text_put(text, type);
    swi_text_put(text, "\"");
}

static SWI_INLINE void begin_at(struct swi_text *text, const char *type, int64_t time_ns)
{
    begin(text, type);
    integer_add(text, "t", time_ns);
}

static void end(struct swi_text *text)
{
    swi_text_put(text, "}\n");
}

/* Marks what a replay makes itself. */
static void by_profiler_add(struct swi_text *text)
{
    string_add(text, "by", "profiler");
}

static const char *mode_name(enum sw_mode mode)
{
    return mode == SW_MODE_SIMPLE ? "simple" : "throughput";
}

/* ---- the run and its end -----------------------------------------------------------------------
 */

/* Adds a number if it is known. */
static void known_add(struct swi_text *text, const char *key, int64_t value, int64_t least)
{
    if (value >= least)
        integer_add(text, key, value);
}

static void rank_add(struct swi_text *text, const struct sw_run *run)
{
    if (!SW_HAS(run->size, run, rank_certain))
        return;
    integer_add(text, "rank", run->rank);
    known_add(text, "world_size", run->world_size, 1);
    known_add(text, "local_rank", run->local_rank, 0);
    known_add(text, "local_size", run->local_size, 1);
    known_add(text, "node", run->node, 0);
    if (*run->job)
        string_add(text, "job", run->job);
    if (SW_HAS(run->size, run, id) && *run->id)
        string_add(text, "run", run->id);
    known_add(text, "attempt", run->attempt, 1);
    string_add(text, "rank_source", run->rank_source);
    bool_add(text, "rank_certain", run->rank_certain);
}

static void wait_add(struct swi_text *text, const struct sw_run *run)
{
    if (!SW_HAS(run->size, run, wait) || !run->wait[0])
        return;
    key_add(text, "wait");
    for (size_t i = 0; run->wait[i]; i++) {
        swi_text_put(text, i ? "," : "[");
        swi_escape_json(text, run->wait[i]);
    }
    swi_text_put(text, "]");
}

static void run_add(struct swi_text *text, const struct sw_run *run, const char *detail,
                    bool windowed, struct swi_log_counters *counters)
{
    begin(text, "run");
    integer_add(text, "version", 1);
    number_add(text, "started", run->started_s);
    string_add(text, "name", run->name);
    string_add(text, "program", run->program);
    string_add(text, "host", run->host);
    integer_add(text, "pid", run->pid);
    string_add(text, "stepwatch", run->version);
    string_add(text, "mode", mode_name(run->mode));
    integer_add(text, "rolling_average", run->rolling_average);
    bool_add(text, "drop_first_batch", run->drop_first_batch);
    string_add(text, "detail", detail);
    if (windowed)
        bool_add(text, "windowed", true);
    if (SW_HAS(run->size, run, gpu) && *run->gpu)
        string_add(text, "gpu", run->gpu);
    rank_add(text, run);
    wait_add(text, run);
    swi_log_counters_of_run(text, counters, run);
}

void swi_lines_run(struct swi_text *text, const struct sw_run *run, const char *detail,
                   bool windowed, struct swi_log_counters *counters)
{
    run_add(text, run, detail, windowed, counters);
    end(text);
}

void swi_lines_again(struct swi_text *text, const struct sw_run *run, const char *detail,
                     bool windowed, const int64_t *begun, int thread,
                     struct swi_log_counters *counters)
{
    static const char *const names[] = {"fit", "epoch", "train", "valid"};
    run_add(text, run, detail, windowed, counters);
    bool_add(text, "again", true);
    end(text);
    for (int action = SW_FIT; action <= SW_VALID; action++) {
        if (begun[action] < 0)
            continue;
        begin_at(text, "begin", begun[action]);
        string_add(text, "action", names[action]);
        if (thread)
            integer_add(text, "thread", thread);
        bool_add(text, "again", true);
        end(text);
    }
}

static void config_add(struct swi_text *text, const struct sw_hparam *config)
{
    begin(text, "config");
    string_add(text, "name", config->name);
    if (config->type == SW_HPARAM_INT)
        integer_add(text, "value", config->integer);
    else if (config->type == SW_HPARAM_FLOAT)
        number_add(text, "value", config->number);
    else
        string_add(text, "value", config->string);
    end(text);
}

static void finish_add(struct swi_text *text, const struct sw_record *record)
{
    begin_at(text, "finish", record->time_ns);
    integer_add(text, "exit_status", record->end->exit_status);
    integer_add(text, "signal", record->end->signal);
    bool_add(text, "interrupted", record->end->interrupted);
    if (record->end->cause)
        string_add(text, "cause", record->end->cause);
    end(text);
}

/* ---- what the loop did -------------------------------------------------------------------------
 */

static void region_add(struct swi_text *text, const struct sw_region *region, const char *shape,
                       int64_t window, struct swi_log_counters *counters)
{
    static const char *const type[] = {"begin", "end", "cancel", "cancel"};
    if (region->use_count && counters)
        swi_log_counters_name_region(text, counters, region);
    begin_at(text, type[region->event], region->time_ns);
    string_add(text, "action", region->action);
    if (shape && *shape)
        string_add(text, "shape", shape);
    if (region->event == SW_REGION_DISCARD)
        bool_add(text, "left_open", true);
    if (region->thread)
        integer_add(text, "thread", region->thread);
    if (region->samples >= 0)
        integer_add(text, "samples", region->samples);
    if (window >= 0)
        integer_add(text, "window", window);
    if (counters && counters->count && region->event <= SW_REGION_END)
        swi_log_counters_of_region(text, counters, region);
    end(text);
}

static void window_add(struct swi_text *text, const struct sw_window *window)
{
    static const char *const reasons[] = {"run", "schedule", "capture"};
    begin_at(text, window->open ? "window_begin" : "window_end",
             window->open ? window->begin_ns : window->end_ns);
    integer_add(text, "window", window->number);
    if (window->open) {
        string_add(text, "reason", reasons[window->reason]);
        integer_add(text, "step", window->first_step);
    } else {
        integer_add(text, "step", window->next_step);
        bool_add(text, "cut", window->cut);
    }
    end(text);
}

static void note_add(struct swi_text *text, const struct sw_record *record)
{
    begin_at(text, "note", record->time_ns);
    integer_add(text, "step", record->step);
    string_add(text, "text", record->note->text);
    if (record->note->thread)
        integer_add(text, "thread", record->note->thread);
    end(text);
}

static void span_add(struct swi_text *text, const struct sw_span *span)
{
    begin_at(text, span->open ? "span_begin" : "span_end",
             span->open ? span->begin_ns : span->end_ns);
    integer_add(text, "id", span->id);
    string_add(text, "action", span->action);
    if (span->thread)
        integer_add(text, "thread", span->thread);
    end(text);
}

static void pause_add(struct swi_text *text, const struct sw_record *record)
{
    begin_at(text, record->pause->paused ? "pause" : "resume", record->time_ns);
    if (record->pause->thread)
        integer_add(text, "thread", record->pause->thread);
    end(text);
}

static void lost_add(struct swi_text *text, const struct sw_record *record)
{
    begin_at(text, "lost", record->time_ns);
    integer_add(text, "metrics", record->lost->metrics);
    integer_add(text, "steps", record->lost->steps);
    integer_add(text, "regions", record->lost->regions);
    if (SW_HAS(record->lost->size, record->lost, spans) && record->lost->spans)
        integer_add(text, "spans", record->lost->spans);
    end(text);
}

/* Returns whether part k belongs to the same list as part i. */
static bool same_list(const struct sw_step *step, size_t i, size_t k)
{
    return sw_step_part_at(step, k)->action_id == sw_step_part_at(step, i)->action_id &&
           sw_step_part_at(step, k)->inner == sw_step_part_at(step, i)->inner;
}

static size_t calls_of(const struct sw_step *step, size_t i)
{
    size_t calls = 0;
    for (size_t k = 0; k < step->count; k++)
        calls += same_list(step, i, k);
    return calls;
}

static bool is_first(const struct sw_step *step, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_list(step, i, k))
            return false;
    return true;
}

/* Adds a value of each part in the list of part i: one value, or an array in the order of the
 * calls.
 */
static void list_add(struct swi_text *text, const struct sw_step *step, size_t i,
                     void (*value_add)(struct swi_text *text, const struct sw_step *step, size_t k))
{
    bool several = calls_of(step, i) > 1;
    swi_text_put(text, several ? "[" : "");
    for (size_t k = i; k < step->count; k++) {
        if (!same_list(step, i, k))
            continue;
        swi_text_put(text, k > i ? "," : "");
        value_add(text, step, k);
    }
    swi_text_put(text, several ? "]" : "");
}

static void duration_add(struct swi_text *text, const struct sw_step *step, size_t k)
{
    swi_text_integer(text, sw_step_part_at(step, k)->duration_ns);
}

static bool has_inner(const struct sw_step *step)
{
    for (size_t i = 0; i < step->count; i++)
        if (sw_step_part_at(step, i)->inner)
            return true;
    return false;
}

/* Returns whether every list has a single call, as in most steps. Then no search is needed. */
static bool are_single(const struct sw_step *step)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < step->count; i++) {
        int action = sw_step_part_at(step, i)->action_id;
        if (action < 0 || action > 63 || (seen >> action & 1))
            return false;
        seen |= UINT64_C(1) << action;
    }
    return true;
}

static const char *shape_at(const struct sw_step *step, size_t i)
{
    const struct sw_step_part *part = sw_step_part_at(step, i);
    bool known = SW_HAS(step->part_stride, part, shape) && part->shape;
    return known && !part->inner ? part->shape : "";
}

/* Most steps have none. */
static bool any_shape(const struct sw_step *step)
{
    const struct sw_step_part *part = step->part;
    if (!SW_HAS(step->part_stride, part, shape))
        return false;
    for (size_t i = 0; i < step->count; i++, part = sw_element_(part, step->part_stride, 1))
        if (*part->shape)
            return true;
    return false;
}

static bool has_shape(const struct sw_step *step, size_t from)
{
    for (size_t k = from; k < step->count; k++)
        if (*shape_at(step, k) && same_list(step, from, k))
            return true;
    return false;
}

static void shape_add(struct swi_text *text, const struct sw_step *step, size_t k)
{
    swi_escape_json(text, shape_at(step, k));
}

static void shapes_add(struct swi_text *text, const struct sw_step *step)
{
    const char *comma = "";
    key_add(text, "shapes");
    swi_text_put(text, "{");
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        if (part->inner || !is_first(step, i) || !has_shape(step, i))
            continue;
        swi_text_put(text, comma);
        swi_escape_json(text, part->action);
        swi_text_put(text, ":");
        list_add(text, step, i, shape_add);
        comma = ",";
    }
    swi_text_put(text, "}");
}

/* Calls inside a call of the same action have a separate field, because their time is in both. */
static void parts_add(struct swi_text *text, const struct sw_step *step, const char *key, int inner)
{
    const char *comma = "";
    bool single = are_single(step);
    key_add(text, key);
    swi_text_put(text, "{");
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        if (part->inner != inner || !(single || is_first(step, i)))
            continue;
        swi_text_put(text, comma);
        swi_escape_json(text, part->action);
        swi_text_put(text, ":");
        if (single)
            swi_text_integer(text, part->duration_ns);
        else
            list_add(text, step, i, duration_add);
        comma = ",";
    }
    swi_text_put(text, "}");
}

static void step_add(struct swi_text *text, const struct sw_record *record,
                     struct swi_log_counters *counters)
{
    const struct sw_step *step = record->step_done;
    if (counters)
        swi_log_counters_name_step(text, counters, step);
    begin_at(text, "step", record->time_ns);
    integer_add(text, "step", record->step);
    string_add(text, "phase", step->phase == SW_PHASE_VALID ? "valid" : "train");
    integer_add(text, "samples", step->samples);
    parts_add(text, step, "durations", 0);
    if (has_inner(step))
        parts_add(text, step, "inner", 1);
    if (any_shape(step))
        shapes_add(text, step);
    if (counters)
        swi_log_counters_of_step(text, counters, step);
    end(text);
}

static void metric_add(struct swi_text *text, const struct sw_record *record,
                       const struct sw_metric *metric)
{
    begin_at(text, "metric", record->time_ns);
    integer_add(text, "step", record->step);
    string_add(text, "name", metric->name);
    number_add(text, "value", metric->value);
    if (metric->by == SW_BY_PROFILER)
        by_profiler_add(text);
    else if (metric->by == SW_BY_MONITOR)
        string_add(text, "by", "monitor");
    end(text);
}

/* ---- the report --------------------------------------------------------------------------------
 */

static void value_add(struct swi_text *text, const struct sw_column *column,
                      const struct sw_report_row *row)
{
    if (column->kind == SW_COLUMN_TEXT)
        swi_escape_json(text, sw_column_text(column, row));
    else if (column->kind == SW_COLUMN_COUNT)
        swi_text_integer(text, sw_column_count(column, row));
    else
        swi_number_json(text, sw_column_number(column, row));
}

/* Counters have a field of their own, and what follows from them is computed again. */
static bool is_of_counters(const struct sw_column *column, const struct sw_report_row *row)
{
    const char *behind = (const char *)row->counter;
    return behind && column->offset >= (size_t)(behind - (const char *)row);
}

static bool is_logged(const struct sw_column *column)
{
    return sw_column_is_known(column) && column->kind != SW_COLUMN_COUNTER &&
           !(column->flags & SW_COLUMN_REPEATED);
}

static void use_add(struct swi_text *text, int64_t value)
{
    if (value == SW_COUNTER_NONE)
        swi_text_put(text, "null");
    else
        swi_text_integer(text, value);
}

/* Those that the row has: [total, self], or of a peak the largest. */
static void counters_add(struct swi_text *text, const struct sw_report *report,
                         const struct sw_report_row *row)
{
    const char *before = ",\"counters\":{";
    for (size_t i = 0; i < report->counter_count; i++) {
        const struct sw_counter_total *counter = sw_row_counter(report, row, i);
        if (counter->total == SW_COUNTER_NONE)
            continue;
        swi_text_put(text, before);
        swi_escape_json(text, counter->name);
        swi_text_put(text, ":[");
        use_add(text, counter->total);
        swi_text_put(text, ",");
        use_add(text, counter->self);
        swi_text_put(text, "]");
        before = ",";
    }
    if (*before == ',' && !before[1])
        swi_text_put(text, "}");
}

static void row_add(struct swi_text *text, const struct sw_report *report,
                    const struct sw_report_row *row, bool histograms)
{
    const char *comma = "";
    bool counters = SW_HAS(report->size, report, counter_size);
    swi_text_put(text, "{");
    for (size_t i = 0; i < report->column_count; i++) {
        const struct sw_column *column = sw_report_column(report, i);
        if (!is_logged(column) || (counters && is_of_counters(column, row)))
            continue;
        swi_text_format(text, "%s\"%s\":", comma, column->key);
        value_add(text, column, row);
        comma = ",";
    }
    if (counters)
        counters_add(text, report, row);
    if (histograms && row->durations.count > 0) {
        key_add(text, "hist");
        swi_distribution_add(text, &row->durations);
    }
    swi_text_put(text, "}");
}

static void accounting_add(struct swi_text *text, const struct sw_accounting *a)
{
    number_add(text, "accounted_ns", a->accounted_ns);
    number_add(text, "other_ns", a->other_ns);
    number_add(text, "own_ns", a->own_ns);
    if (a->joules > 0)
        number_add(text, "joules", a->joules);
    integer_add(text, "steps", a->steps);
    integer_add(text, "misuses", a->misuses);
    integer_add(text, "discarded", a->discarded);
}

static void misuses_add(struct swi_text *text, const struct sw_report *report)
{
    if (!report->misuse_count)
        return;
    key_add(text, "misuse");
    for (size_t i = 0; i < report->misuse_count; i++) {
        swi_text_put(text, i ? ",{\"text\":" : "[{\"text\":");
        swi_escape_json(text, sw_report_misuse(report, i)->text);
        integer_add(text, "times", sw_report_misuse(report, i)->times);
        swi_text_put(text, "}");
    }
    swi_text_put(text, "]");
}

static void overall_add(struct swi_text *text, const char *phase, const struct sw_overall *overall)
{
    key_add(text, phase);
    swi_text_put(text, "{\"samples\":");
    swi_text_integer(text, overall->samples);
    number_add(text, "elapsed_ns", overall->elapsed_ns);
    number_add(text, "samples_per_s", overall->samples_per_s);
    swi_text_put(text, "}");
}

/* ---- findings ----------------------------------------------------------------------------------
 */

static void steps_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    for (int64_t i = 0; i < evidence->count; i++) {
        swi_text_put(text, i ? "," : "[");
        swi_text_integer(text, evidence->step[i]);
    }
    swi_text_put(text, evidence->count ? "]" : "[]");
}

static void evidence_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    key_add(text, evidence->name);
    if (evidence->kind == SW_EVIDENCE_NUMBER)
        swi_number_json(text, evidence->number);
    else if (evidence->kind == SW_EVIDENCE_COUNT)
        swi_text_integer(text, evidence->count);
    else if (evidence->kind == SW_EVIDENCE_TEXT)
        swi_escape_json(text, evidence->text);
    else if (evidence->kind == SW_EVIDENCE_STEPS)
        steps_add(text, evidence);
    else
        swi_text_put(text, "true");
}

static void finding_add(struct swi_text *text, const struct sw_record *record, int fit,
                        const struct sw_finding *finding)
{
    static const char *const levels[] = {"note", "medium", "high"};
    begin_at(text, "finding", record->time_ns);
    integer_add(text, "fit", fit);
    string_add(text, "id", finding->id);
    string_add(text, "level", levels[finding->level]);
    number_add(text, "gain", finding->gain);
    string_add(text, "text", finding->text);
    string_add(text, "next", finding->next);
    for (size_t i = 0; i < finding->evidence_count; i++)
        evidence_add(text, sw_finding_evidence(finding, i));
    by_profiler_add(text);
    end(text);
}

/* A second report of a fit has the findings of the first. */
static void findings_add(struct swi_text *text, const struct sw_record *record)
{
    const struct sw_report *report = record->report;
    bool known = SW_HAS(report->size, report, finding) && !report->amended;
    for (size_t i = 0; known && i < report->finding_count; i++)
        finding_add(text, record, report->fit, sw_report_finding(report, i));
}

/* What rules need to know besides the steps. */
static void facts_add(struct swi_text *text, const struct sw_report *report)
{
    if (!SW_HAS(report->size, report, gpu))
        return;
    if (report->preempted >= 0)
        integer_add(text, "preempted", report->preempted);
    if (*report->gpu)
        string_add(text, "gpu", report->gpu);
}

static void report_add(struct swi_text *text, const struct sw_record *record, bool histograms)
{
    const struct sw_report *report = record->report;
    findings_add(text, record);
    begin_at(text, "report", record->time_ns);
    integer_add(text, "fit", report->fit);
    string_add(text, "mode", mode_name(report->mode));
    bool_add(text, "drop_first_batch", report->drop_first_batch);
    bool_add(text, "interrupted", report->interrupted);
    if (!report->complete)
        bool_add(text, "complete", false);
    integer_add(text, "epochs", report->epoch);
    integer_add(text, "step", report->step);
    number_add(text, "started", report->started_s);
    number_add(text, "fit_ns", report->fit_ns);
    accounting_add(text, &report->accounting);
    misuses_add(text, report);
    facts_add(text, report);
    if (report->amended)
        bool_add(text, "amended", true);
    overall_add(text, "overall_train", &report->overall_train);
    overall_add(text, "overall_valid", &report->overall_valid);
    key_add(text, "rows");
    for (size_t i = 0; i < report->count; i++) {
        swi_text_put(text, i ? "," : "[");
        row_add(text, report, sw_report_row(report, i), histograms);
    }
    swi_text_put(text, report->count ? "]" : "[]");
    by_profiler_add(text);
    end(text);
}

/* ---- all ranks ---------------------------------------------------------------------------------
 */

/* Adds a name, or null. */
static void name_add(struct swi_text *text, const char *key, const char *name)
{
    if (name) {
        string_add(text, key, name);
        return;
    }
    key_add(text, key);
    swi_text_put(text, "null");
}

static void culprit_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (ranks->slow_rank >= 0)
        integer_add(text, "rank", ranks->slow_rank);
    name_add(text, "host", ranks->slow_host);
    name_add(text, "phase", ranks->slow_action);
    number_add(text, "late_ns", ranks->late_ns);
    number_add(text, "gain", ranks->gain);
    number_add(text, "confidence", ranks->confidence);
}

static void straggler_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (!ranks->verdict)
        return;
    key_add(text, "straggler");
    swi_text_put(text, "{\"verdict\":");
    swi_escape_json(text, ranks->verdict);
    if (ranks->why)
        string_add(text, "why", ranks->why);
    if (isfinite(ranks->gain))
        culprit_add(text, ranks);
    if (ranks->sentence)
        string_add(text, "sentence", ranks->sentence);
    swi_text_put(text, "}");
}

static void ranks_row_add(struct swi_text *text, const struct sw_ranks_row *row)
{
    swi_text_put(text, "{\"phase\":");
    swi_escape_json(text, row->phase);
    string_add(text, "action", row->action);
    integer_add(text, "ranks", row->ranks);
    integer_add(text, "calls", row->calls);
    number_add(text, "min_ns", row->min_ns);
    integer_add(text, "min_rank", row->min_rank);
    number_add(text, "mean_ns", row->mean_ns);
    number_add(text, "max_ns", row->max_ns);
    integer_add(text, "max_rank", row->max_rank);
    number_add(text, "imbalance", row->imbalance);
    number_add(text, "call_mean_ns", row->call_mean_ns);
    number_add(text, "call_std_ns", row->call_std_ns);
    number_add(text, "p50_ns", row->p50_ns);
    number_add(text, "p95_ns", row->p95_ns);
    number_add(text, "p99_ns", row->p99_ns);
    swi_text_put(text, "}");
}

static void ranks_add(struct swi_text *text, const struct sw_record *record)
{
    const struct sw_ranks *ranks = record->ranks;
    bool known = SW_HAS(ranks->size, ranks, finding) && ranks->complete;
    for (size_t i = 0; known && i < ranks->finding_count; i++)
        finding_add(text, record, ranks->fit, sw_ranks_finding(ranks, i));
    begin_at(text, "ranks", record->time_ns);
    integer_add(text, "fit", ranks->fit);
    bool_add(text, "complete", ranks->complete);
    integer_add(text, "epochs", ranks->epoch);
    integer_add(text, "step", ranks->step);
    integer_add(text, "world_size", ranks->world_size);
    integer_add(text, "ranks", ranks->ranks);
    integer_add(text, "steps", ranks->steps);
    integer_add(text, "steps_in_a_block", ranks->block);
    integer_add(text, "took_ns", ranks->took_ns);
    number_add(text, "lost", ranks->lost);
    number_add(text, "communication", ranks->communication);
    straggler_add(text, ranks);
    key_add(text, "rows");
    for (size_t i = 0; i < ranks->count; i++) {
        swi_text_put(text, i ? "," : "[");
        ranks_row_add(text, sw_ranks_row_at(ranks, i));
    }
    swi_text_put(text, ranks->count ? "]" : "[]");
    end(text);
}

static void clock_add(struct swi_text *text, const struct sw_record *record)
{
    begin_at(text, "clock", record->time_ns);
    integer_add(text, "clock_offset_ns", record->clock->offset_ns);
    integer_add(text, "clock_error_ns", record->clock->error_ns);
    end(text);
}

static void open_add(struct swi_text *text, const struct sw_alert *alert)
{
    key_add(text, "open");
    for (size_t i = 0; i < alert->open_count; i++) {
        const struct sw_open_region *region = sw_alert_open(alert, i);
        swi_text_put(text, i ? ",{\"thread\":" : "[{\"thread\":");
        swi_text_integer(text, region->thread);
        string_add(text, "action", region->action);
        integer_add(text, "since", region->since_ns);
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
    begin_at(text, "alert", record->time_ns);
    integer_add(text, "step", record->step);
    if (!user)
        string_add(text, "kind", alert->kind);
    string_add(text, "level", user ? said[level] : own[level]);
    string_add(text, "title", alert->title);
    string_add(text, "text", alert->text);
    if (strcmp(alert->kind, "stall") == 0)
        open_add(text, alert);
    end(text);
}

void swi_lines_expected(struct swi_text *text, const struct sw_record *record)
{
    begin_at(text, "expect", record->time_ns);
    integer_add(text, "steps", record->steps_expected);
    end(text);
}

void swi_lines_record(struct swi_text *text, const struct sw_record *record, bool histograms,
                      int64_t window, struct swi_log_counters *counters)
{
    if (record->hparam)
        config_add(text, record->hparam);
    for (size_t i = 0; i < record->metrics.count; i++)
        metric_add(text, record, sw_record_metric(record, i));
    for (size_t i = 0; i < record->regions.count; i++) {
        const struct sw_region *region = sw_record_region(record, i);
        bool shaped = SW_HAS(record->regions.stride, region, shape);
        region_add(text, region, shaped ? region->shape : NULL,
                   record->type == SW_RECORD_REGIONS ? window : -1, counters);
    }
    if (record->lost)
        lost_add(text, record);
    if (record->pause)
        pause_add(text, record);
    if (record->step_done)
        step_add(text, record, counters);
    if (record->report)
        report_add(text, record, histograms);
    if (record->type == SW_RECORD_RANKS)
        ranks_add(text, record);
    if (record->type == SW_RECORD_CLOCK)
        clock_add(text, record);
    if (record->type == SW_RECORD_WINDOW)
        window_add(text, record->window);
    if (record->type == SW_RECORD_NOTE)
        note_add(text, record);
    if (record->type == SW_RECORD_ALERT)
        alert_add(text, record);
    if (record->type == SW_RECORD_SPAN)
        span_add(text, record->span);
    if (record->end)
        finish_add(text, record);
}
