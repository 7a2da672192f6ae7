/* SPDX-License-Identifier: MIT */
#include "tools/log/report_json.h"

#include "tools/log/log_lines.h"
#include "tools/log/run_replay.h"
#include "tools/output/print.h"

#include <math.h>
#include <string.h>

/* ---- findings -------------------------------------------------------------------------------- */

static json_t *steps_json(const struct sw_evidence *evidence)
{
    json_t *steps = json_array();
    for (int64_t i = 0; i < evidence->count; i++)
        json_array_append_new(steps, json_integer(evidence->step[i]));
    return steps;
}

/* The evidence that the schemas document. A log of another version may have more, or have it of
 * another kind: that is left out. */
enum { NUMBER = 1, COUNT = 2, TEXT = 4, STEPS = 8 };
static const struct documented {
    const char *name;
    int kinds;
} documented[] = {
    {"action", TEXT},          {"between_steps", NUMBER},
    {"change", NUMBER},        {"confidence", NUMBER},
    {"cost_ns", NUMBER},       {"count", COUNT},
    {"each_ns", NUMBER},       {"epochs", COUNT},
    {"fast_ns", NUMBER},       {"fast_part", NUMBER},
    {"formula", TEXT},         {"high", NUMBER},
    {"hits", COUNT},           {"host", TEXT},
    {"late_ns", NUMBER},       {"low", NUMBER},
    {"metric", TEXT},          {"period", COUNT},
    {"rank", COUNT},           {"share", NUMBER},
    {"share_typical", NUMBER}, {"size", COUNT},
    {"slow_ns", NUMBER},       {"small", COUNT},
    {"step", COUNT},           {"step_ns", NUMBER},
    {"steps", COUNT | STEPS},  {"verdict", TEXT},
    {"waited_ns", NUMBER},     {"z", NUMBER},
};

static bool is_documented(const struct sw_evidence *evidence)
{
    int kind = evidence->kind == SW_EVIDENCE_NUMBER  ? NUMBER
               : evidence->kind == SW_EVIDENCE_COUNT ? COUNT | NUMBER
               : evidence->kind == SW_EVIDENCE_TEXT  ? TEXT
               : evidence->kind == SW_EVIDENCE_STEPS ? STEPS
                                                     : 0;
    for (size_t i = 0; i < sizeof documented / sizeof *documented; i++)
        if (strcmp(documented[i].name, evidence->name) == 0)
            return documented[i].kinds & kind;
    return false;
}

static json_t *evidence_json(const struct sw_evidence *evidence)
{
    switch (evidence->kind) {
    case SW_EVIDENCE_NUMBER:
        return text_json_number(evidence->number);
    case SW_EVIDENCE_COUNT:
        return json_integer(evidence->count);
    case SW_EVIDENCE_TEXT:
        return text_json(evidence->text);
    case SW_EVIDENCE_STEPS:
        return steps_json(evidence);
    default:
        return json_true();
    }
}

json_t *finding_json(const struct sw_finding *finding)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", text_json(finding->id));
    json_object_set_new(object, "level", json_string(swi_level_name(finding->level)));
    json_object_set_new(object, "gain", text_json_number(finding->gain));
    json_object_set_new(object, "text", text_json(finding->text));
    json_object_set_new(object, "next", text_json(finding->next));
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct sw_evidence *evidence = sw_finding_evidence(finding, i);
        if (!is_documented(evidence))
            continue;
        json_object_set_new(object, evidence->name, evidence_json(evidence));
    }
    if (finding->formula)
        json_object_set_new(object, "formula", json_string(finding->formula));
    return object;
}

json_t *findings_json(const struct swi_advice *advice)
{
    json_t *list = json_array();
    for (size_t i = 0; i < advice->count; i++)
        json_array_append_new(list, finding_json(&advice->finding[i]));
    return list;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void put_value(json_t *object, const struct sw_column *column,
                      const struct sw_report_row *row)
{
    if (column->kind == SW_COLUMN_TEXT)
        json_object_set_new(object, column->key, text_json(sw_column_text(column, row)));
    else if (column->kind == SW_COLUMN_COUNT)
        json_object_set_new(object, column->key, json_integer(sw_column_count(column, row)));
    else
        json_object_set_new(object, column->key, text_json_number(sw_column_number(column, row)));
}

static json_t *row_json(const struct sw_report *report, const struct collected_row *collected)
{
    const struct sw_report_row *row = &collected->row;
    json_t *object = json_object();
    for (size_t i = 0; i < report->column_count; i++)
        put_value(object, sw_report_column(report, i), row);
    if (row->shape && *row->shape)
        json_object_set_new(object, "shape", text_json(row->shape));
    if (collected->counters)
        json_object_set(object, "counters", collected->counters);
    return object;
}

static json_t *overall_json(const struct sw_overall *overall)
{
    return json_pack("{s:I, s:o, s:o}", "samples", (json_int_t)overall->samples, "elapsed_ns",
                     text_json_number(overall->elapsed_ns), "samples_per_s",
                     text_json_number(overall->samples_per_s));
}

/* The log may have anything there. */
static json_t *misuse_json(const struct log_value *lines)
{
    json_t *list = json_array();
    for (const struct log_value *line = log_first(lines); line; line = log_after(lines, line))
        json_array_append_new(list, json_pack("{s:o, s:I}", "text",
                                              text_json(log_string(line, "text", "")), "times",
                                              (json_int_t)log_integer(line, "times", 0)));
    return list;
}

static void put(struct json_parts *json, const char *key, double value)
{
    json_put(json, key, text_json_number(value));
}

static void put_integer(struct json_parts *json, const char *key, int64_t value)
{
    json_put(json, key, json_integer(value));
}

static void put_bool(struct json_parts *json, const char *key, bool value)
{
    json_put(json, key, json_boolean(value));
}

static void put_rows(struct json_parts *json, const char *key,
                     const struct collected_report *collected, const struct collected_row *row,
                     size_t count)
{
    json_enter(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_put(json, NULL, row_json(&collected->report, &row[i]));
    json_leave(json);
}

void report_json(struct json_parts *json, const struct collected_report *collected)
{
    const struct sw_report *report = &collected->report;
    const struct sw_accounting *accounting = &report->accounting;
    json_enter(json, NULL, '{');
    put_integer(json, "fit", report->fit);
    json_put(json, "mode", json_string(report->mode == SW_MODE_SIMPLE ? "simple" : "throughput"));
    put_bool(json, "drop_first_batch", report->drop_first_batch);
    put_bool(json, "interrupted", report->interrupted);
    put_integer(json, "epochs", report->epoch);
    put_integer(json, "step", report->step);
    put(json, "started", report->started_s);
    put(json, "fit_ns", report->fit_ns);
    put(json, "accounted_ns", accounting->accounted_ns);
    put(json, "other_ns", accounting->other_ns);
    if (isfinite(accounting->own_ns))
        put(json, "own_ns", accounting->own_ns);
    if (accounting->own_threads_ns > 0)
        put(json, "own_threads_ns", accounting->own_threads_ns);
    put_integer(json, "steps", accounting->steps);
    put_integer(json, "misuses", accounting->misuses);
    put_integer(json, "discarded", accounting->discarded);
    if (accounting->joules > 0)
        put(json, "joules", accounting->joules);
    if (accounting->rss_bytes > 0) {
        put_integer(json, "rss_bytes", accounting->rss_bytes);
        put_integer(json, "peak_rss_bytes", accounting->peak_rss_bytes);
    }
    json_put(json, "misuse", misuse_json(collected->misuse));
    json_put(json, "overall_train", overall_json(&report->overall_train));
    json_put(json, "overall_valid", overall_json(&report->overall_valid));
    json_put(json, "findings", findings_json(&collected->advice));
    put_rows(json, "rows", collected, collected->row, collected->count);
    if (collected->shaped_count)
        put_rows(json, "rows_by_shape", collected, collected->shaped, collected->shaped_count);
    json_leave(json);
}

int run_json(struct json_parts *json, const struct collected *run, const struct json_parts *reports,
             struct sw_error *err)
{
    json_enter(json, NULL, '{');
    json_put(json, "log", log_json(&run->replay));
    json_put(json, "name", text_json(run->name));
    json_put(json, "program", text_json(run->program));
    json_put(json, "host", text_json(run->host));
    put(json, "started", run->started_s);
    json_enter(json, "reports", '[');
    int rc = json_ahead_print(reports, json, err);
    json_leave(json);
    json_leave(json);
    return rc;
}
