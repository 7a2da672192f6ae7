/* SPDX-License-Identifier: MIT */
/* fit_report.c - the report of a fit: lists or statistics in the summary, tables, a chart and lines
 * of output. */
#include "core/text/escape.h"
#include "sinks/common/grid.h"
#include "sinks/common/report_output.h"
#include "sinks/common/notes.h"
#include "sinks/wandb/wandb_sink.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the summary ----------------------------------------------------------------------------- */

static void statistics(struct swi_text *text, const struct sw_distribution *d, double scale)
{
    static const struct {
        const char *key;
        double p;
    } parts[] = {{"10%", 0.1}, {"25%", 0.25}, {"75%", 0.75}, {"90%", 0.9}};
    swi_text_put(text, "{\"_type\":\"numpy.ndarray\",\"var\":");
    swi_json_number(text, d->variance * scale * scale);
    swi_text_put(text, ",\"mean\":");
    swi_json_number(text, d->mean * scale);
    swi_text_put(text, ",\"min\":");
    swi_json_number(text, d->min * scale);
    swi_text_put(text, ",\"max\":");
    swi_json_number(text, d->max * scale);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        swi_text_format(text, ",\"%s\":", parts[i].key);
        swi_json_number(text, sw_quantile(d, parts[i].p) * scale);
    }
    swi_text_format(text, ",\"size\":%" PRId64 "}", d->count);
}

/* No value is [], a single one is a number, and more than 32 are written as statistics. */
void swi_wandb_distribution(struct swi_text *text, const struct sw_distribution *d, double scale)
{
    if (d->count == 1 && d->kept == 1) {
        swi_json_number(text, d->value[0] * scale);
        return;
    }
    if (d->count > SW_DISTRIBUTION_KEPT || (size_t)d->count != d->kept) {
        statistics(text, d, scale);
        return;
    }
    swi_text_put(text, "[");
    for (size_t i = 0; i < d->kept; i++) {
        swi_text_put(text, i ? "," : "");
        swi_json_number(text, d->value[i] * scale);
    }
    swi_text_put(text, "]");
}

static void summary_set(struct wandb *w, const struct sw_report_row *row, const char *what,
                        const struct sw_distribution *d, double scale)
{
    SWI_FREED struct swi_text key = {0};
    bool whole = strcmp(row->phase, "fit") == 0 && strcmp(row->action, "fit") == 0;
    if (whole)
        swi_text_format(&key, "fit/%s", what);
    else
        swi_text_format(&key, "%s/%s_%s", row->phase, row->action, what);
    struct swi_text *json = key.data ? swi_fields_set(swi_wandb_fresh(w), key.data) : NULL;
    if (json)
        swi_wandb_distribution(json, d, scale);
}

static void summary_number(struct wandb *w, const char *key, double value)
{
    if (isfinite(value))
        swi_fields_number(swi_wandb_fresh(w), key, value);
}

/* A list of sentences, the worst first. */
static void summary_findings(struct wandb *w, const struct sw_report *report)
{
    size_t count = swi_findings_count(report);
    struct swi_text *json = count ? swi_fields_set(swi_wandb_fresh(w), "stepwatch/findings") : NULL;
    for (size_t i = 0; json && i < count; i++) {
        SWI_FREED struct swi_text line = {0};
        const struct sw_finding *finding = sw_report_finding(report, i);
        swi_text_format(&line, "%s: %s", finding->id, finding->text);
        swi_json_format(json, i ? ",%s" : "[%s", line.data ? line.data : "");
    }
    if (json)
        swi_text_put(json, "]");
}

static void summary_report(struct wandb *w, const struct sw_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if (!isnan(row->samples_per_s))
            summary_set(w, row, "throughput", &row->rates, 1);
        summary_set(w, row, "duration", &row->durations, 1e-9);
    }
    if (!report->show_accounting) /* only the keys of fastxtend */
        return;
    summary_number(w, "train/overall_samples_per_s", report->overall_train.samples_per_s);
    summary_number(w, "valid/overall_samples_per_s", report->overall_valid.samples_per_s);
    summary_findings(w, report);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int table(struct wandb *w, const struct sw_record *record, const struct sw_report *report,
                 const char *key, enum swi_form form, struct sw_error *err)
{
    struct swi_grid grid;
    bool made = swi_grid_init(&grid, report, form, SWI_COLUMNS_STANDARD, swi_escape_none);
    struct swi_wandb_table table = {.key = key, .rows = grid.rows, .data.failed = !made};
    for (size_t c = 0; made && c < grid.columns; c++)
        swi_wandb_column_add(&table, swi_grid_header(&grid, c),
                             swi_grid_is_number(&grid, form, c) ? SWI_WANDB_NUMBER
                                                                : SWI_WANDB_STRING);
    if (made)
        swi_grid_rows_json(&table.data, &grid, form);
    swi_grid_fini(&grid);
    return swi_wandb_table_write(w, record, &table, err);
}

/* ---- the chart ------------------------------------------------------------------------------- */

/* A bar chart: an action, and its milliseconds in a training step. */
static const char chart[] =
    "{\"panel_type\":\"Vega2\",\"panel_config\":{\"panelDefId\":\"wandb/bar/v0\","
    "\"fieldSettings\":{\"label\":\"action\",\"value\":\"ms\"},"
    "\"stringSettings\":{\"title\":\"Where a training step's time goes (ms)\"},"
    "\"transform\":{\"name\":\"tableWithLeafColNames\"},"
    "\"userQuery\":{\"queryFields\":[{\"name\":\"runSets\","
    "\"args\":[{\"name\":\"runSets\",\"value\":\"${runSets}\"}],"
    "\"fields\":[{\"name\":\"id\",\"fields\":[]},{\"name\":\"name\",\"fields\":[]},"
    "{\"name\":\"_defaultColorIndex\",\"fields\":[]},"
    "{\"name\":\"summaryTable\",\"args\":[{\"name\":\"tableKey\","
    "\"value\":\"step_time_table\"}],\"fields\":[]}]}]}}}";

static const struct sw_report_row *train_row(const struct sw_report *report, int action)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        if (row->phase_id == SW_PHASE_TRAIN && row->action_id == action)
            return row;
    }
    return NULL;
}

/* Returns whether a row is part of a training step. The step itself has no self time. */
static bool is_part(const struct sw_report_row *row)
{
    return row->phase_id == SW_PHASE_TRAIN && isfinite(row->self_ns) && row->self_ns > 0;
}

static void bar_put(struct swi_wandb_table *table, const struct sw_report_row *row, double steps)
{
    bool rest = row->action_id == SW_BATCH && row->self_ns < row->total_ns;
    swi_text_put(&table->data, table->rows++ ? ",[" : "[");
    swi_escape_json(&table->data, rest ? "rest of batch" : row->action);
    swi_text_put(&table->data, ",");
    swi_json_number(&table->data, row->self_ns * 1e-6 / steps);
    swi_text_put(&table->data, "]");
}

/* Writes self times, so that the bars add up to the step. */
static int chart_write(struct wandb *w, const struct sw_record *record, struct sw_error *err)
{
    static const char *const key[] = {"_wandb", "visualize", "step_time", NULL};
    struct swi_wandb_table bars = {.key = "step_time_table"};
    const struct sw_report_row *batch = train_row(record->report, SW_BATCH);
    if (!batch || batch->calls <= 0)
        return 0;
    swi_text_put(&bars.data, "[");
    for (size_t i = 0; i < record->report->count; i++)
        if (is_part(sw_report_row(record->report, i)))
            bar_put(&bars, sw_report_row(record->report, i), (double)batch->calls);
    swi_text_put(&bars.data, "]");
    swi_wandb_column_add(&bars, "action", SWI_WANDB_STRING);
    swi_wandb_column_add(&bars, "ms", SWI_WANDB_NUMBER);
    if (!w->charted)
        swi_records_config_nested(&w->records, key, chart);
    w->charted = true;
    return swi_wandb_table_write(w, record, &bars, err);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void report_text(struct swi_text *text, const struct sw_report *report)
{
    struct sw_report news = swi_report_news(report);
    swi_text_put(text, report->amended ? "After the fit:\n" : "Profiling Results:\n");
    swi_markdown_report(text, &news, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    if (!report->amended)
        swi_markdown_notes(text, report);
    if (!report->amended && report->show_accounting)
        swi_findings_notes(text, report, swi_escape_markdown);
}

static int output_write(struct wandb *w, const struct sw_record *record, struct sw_error *err)
{
    SWI_FREED struct swi_text text = {0};
    report_text(&text, record->report);
    int rc = text.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for output.log") : 0;
    if (rc == 0)
        swi_wandb_printed_report(w, text.data, record->wall_s);
    swi_wandb_output_flush(w);
    return rc;
}

/* The formatted table and the chart's table are in the last row of the fit, the raw table is in the
 * next. */
int swi_wandb_fit_report(struct wandb *w, const struct sw_record *record, struct sw_error *err)
{
    summary_report(w, record->report);
    int rc = table(w, record, record->report, "profile_report", SWI_FORMATTED, err);
    int bars = chart_write(w, record, err);
    swi_wandb_row_end(w);
    int raw = table(w, record, record->report, "profile_results", SWI_RAW, err);
    int lines = w->console ? output_write(w, record, err) : 0;
    return rc < 0 ? rc : bars < 0 ? bars : raw < 0 ? raw : lines;
}

/* ---- all ranks ------------------------------------------------------------------------------- */

static void ranks_text(struct wandb *w, const char *key, const char *value)
{
    struct swi_text *json = value ? swi_fields_set(swi_wandb_fresh(w), key) : NULL;
    if (json)
        swi_escape_json(json, value);
}

static void summary_ranks(struct wandb *w, const struct sw_ranks *ranks)
{
    summary_number(w, "ranks/lost", ranks->lost);
    summary_number(w, "ranks/communication", ranks->communication);
    summary_number(w, "ranks/gain", ranks->gain);
    if (ranks->slow_rank >= 0)
        summary_number(w, "ranks/slow_rank", (double)ranks->slow_rank);
    ranks_text(w, "ranks/verdict", ranks->verdict);
    ranks_text(w, "ranks/sentence", ranks->sentence);
}

int swi_wandb_ranks_report(struct wandb *w, const struct sw_record *record, struct sw_error *err)
{
    struct sw_report report;
    summary_ranks(w, record->ranks);
    int rc = swi_ranks_report_init(&report, record->ranks)
                 ? table(w, record, &report, "all_ranks", SWI_RAW, err)
                 : sw_error_set(err, SW_ENOMEM, "not enough memory for the report of all ranks");
    swi_ranks_report_fini(&report);
    return rc;
}
