/* SPDX-License-Identifier: MIT */
/* report.c - the report of a fit: lists or statistics in the summary, two tables, lines of output.
 */
#include "sinks/common/grid.h"
#include "sinks/common/markdown.h"
#include "sinks/common/number.h"
#include "sinks/wandb/sha256.h"
#include "sinks/wandb/wandb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the summary --------------------------------------------------------------------------------
 */

/* The value of a rank, 0 the smallest, where values are known by their histogram; the half keeps
 * the rank from being rounded to the one below. */
static double value_at(const struct sw_distribution *d, double rank)
{
    return sw_quantile(d, (rank + 0.5) / (double)(d->count - 1));
}

/* Interpolated between its two ranks, as numpy does. */
static double percentile(const struct sw_distribution *d, double p)
{
    double position = p * (double)(d->count - 1);
    double low = floor(position);
    double below = value_at(d, low), above = value_at(d, ceil(position));
    return below + (position - low) * (above - below);
}

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
        swi_json_number(text, percentile(d, parts[i].p) * scale);
    }
    swi_text_format(text, ",\"size\":%" PRId64 "}", d->count);
}

/* None is [], one is the number alone, and more than 32 are known by their statistics. */
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
    struct swi_text key = {0};
    bool whole = strcmp(row->phase, "fit") == 0 && strcmp(row->action, "fit") == 0;
    if (whole)
        swi_text_format(&key, "fit/%s", what);
    else
        swi_text_format(&key, "%s/%s_%s", row->phase, row->action, what);
    struct swi_text *json = key.data ? swi_row_set(&w->summary, key.data) : NULL;
    if (json)
        swi_wandb_distribution(json, d, scale);
    swi_text_free(&key);
}

static void summary_report(struct wandb *w, const struct sw_report *report)
{
    w->summary.next = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = &report->row[i];
        if (row->rates.count > 0)
            summary_set(w, row, "throughput", &row->rates, 1);
        summary_set(w, row, "duration", &row->durations, 1e-9);
    }
    w->summary_changed = true;
}

/* ---- tables -------------------------------------------------------------------------------------
 */

static bool is_number(enum swi_form form, size_t column)
{
    /* Mean Duration, Duration Std Dev, Number of Calls, Total Time; formatted, the calls alone. */
    if (form == SWI_FORMATTED)
        return column == SWI_COLUMN_CALLS;
    return column >= 2 && column <= 6 && column != 5;
}

static void cell_add(struct swi_text *text, const char *cell, bool number)
{
    if (!number)
        swi_escape_json(text, cell);
    else if (strspn(cell, "0123456789.eE+-") == strlen(cell) && strpbrk(cell, "0123456789"))
        swi_text_put(text, cell);
    else
        swi_text_put(text, "null");
}

static void grid_json(struct swi_text *text, const struct swi_grid *grid, enum swi_form form)
{
    swi_text_put(text, "{\"columns\":[");
    for (size_t c = 0; c < grid->columns; c++) {
        swi_text_put(text, c ? "," : "");
        swi_escape_json(text, swi_grid_header(c));
    }
    swi_text_put(text, "],\"data\":[");
    for (size_t r = 0; r < grid->rows; r++) {
        swi_text_put(text, r ? ",[" : "[");
        for (size_t c = 0; c < grid->columns; c++) {
            swi_text_put(text, c ? "," : "");
            cell_add(text, swi_grid_cell(grid, r, c), is_number(form, c));
        }
        swi_text_put(text, "]");
    }
    swi_text_put(text, "]}");
}

/* The file, its record, and the value that stands for it in the row. */
static int table_write(struct wandb *w, const struct sw_record *record, const char *key,
                       const struct swi_text *json, const struct swi_grid *grid,
                       struct sw_error *err)
{
    char sha[65], path[256], absolute[PATH_MAX + 512];
    swi_sha256_hex(json->data, json->size, sha);
    snprintf(path, sizeof path, "media/table/%s_%" PRId64 "_%.20s.table.json", key, w->step, sha);
    snprintf(absolute, sizeof absolute, "%s/files/%s", w->folder, path);
    int rc = sw_sink_replace(w->sink, absolute, json->data, json->size, err);
    if (rc < 0)
        return rc;
    swi_records_file(&w->records, path, true);
    struct swi_text *value = swi_row_set(swi_wandb_row(w, record), key);
    if (value)
        swi_text_format(value,
                        "{\"_type\":\"table-file\",\"path\":\"%s\",\"sha256\":\"%s\",\"size\":%zu,"
                        "\"ncols\":%zu,\"nrows\":%zu}",
                        path, sha, json->size, grid->columns, grid->rows);
    return 0;
}

static int table(struct wandb *w, const struct sw_record *record, const char *key,
                 enum swi_form form, struct sw_error *err)
{
    struct swi_grid grid;
    struct swi_text json = {0};
    int rc = SW_ENOMEM;
    if (swi_grid_init(&grid, record->report, form, SWI_COLUMNS_STANDARD, swi_escape_none)) {
        grid_json(&json, &grid, form);
        rc = json.failed ? SW_ENOMEM : table_write(w, record, key, &json, &grid, err);
    }
    if (rc == SW_ENOMEM)
        sw_error_set(err, rc, "no memory for the table %s", key);
    swi_grid_fini(&grid);
    swi_text_free(&json);
    return rc;
}

/* ---- lines --------------------------------------------------------------------------------------
 */

static int output_write(struct wandb *w, const struct sw_record *record, struct sw_error *err)
{
    char path[PATH_MAX + 32];
    size_t before = w->output.size;
    swi_text_put(&w->output, "Profiling Results:\n");
    swi_markdown_report(&w->output, record->report, SWI_FORMATTED, SWI_COLUMNS_STANDARD);
    swi_markdown_notes(&w->output, record->report);
    if (w->output.failed)
        return sw_error_set(err, SW_ENOMEM, "no memory for output.log");
    swi_records_output(&w->records, w->output.data + before, record->wall_s);
    snprintf(path, sizeof path, "%s/files/output.log", w->folder);
    int rc = sw_sink_replace(w->sink, path, w->output.data, w->output.size, err);
    if (rc == 0 && before == 0)
        swi_records_file(&w->records, "output.log", false);
    return rc;
}

/* The formatted table joins the last row of the fit, the other gets the next. */
int swi_wandb_report(struct wandb *w, const struct sw_record *record, struct sw_error *err)
{
    summary_report(w, record->report);
    int rc = table(w, record, "profile_report", SWI_FORMATTED, err);
    swi_wandb_row_end(w);
    int raw = table(w, record, "profile_results", SWI_RAW, err);
    int lines = output_write(w, record, err);
    return rc < 0 ? rc : raw < 0 ? raw : lines;
}
