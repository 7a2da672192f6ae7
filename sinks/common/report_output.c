/* SPDX-License-Identifier: MIT */
#include "sinks/common/report_output.h"
#include "core/text/escape.h"
#include "core/text/parts.h"
#include "sinks/common/notes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one file for each fit ------------------------------------------------------------------- */

/* Adds the path of a program's n-th fit: out/report.md, then out/report-2.md. "-" stays. */
static void path_put(struct swi_text *text, const char *path, int fit)
{
    if (fit < 2 || strcmp(path, "-") == 0) {
        swi_text_put(text, path);
        return;
    }
    size_t stem = swi_stem_length(path);
    swi_text_add(text, path, stem);
    swi_text_format(text, "-%d%s", fit, path + stem);
}

int swi_fit_file_write(struct sw_sink *sink, const char *path, int fit, struct swi_text *text,
                       struct sw_error *err)
{
    struct swi_text of_fit = {0};
    path_put(&of_fit, path, fit);
    int rc = text->failed || of_fit.failed
                 ? sw_error_set(err, SW_ENOMEM, "%s: not enough memory for the table", path)
                 : sw_sink_replace(sink, of_fit.data, text->data, text->size, err);
    swi_text_free(&of_fit);
    swi_text_free(text);
    return rc;
}

/* ---- which rank writes ----------------------------------------------------------------------- */

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* An older core has no ranks. A replay has no other ranks. */
static bool has_ranks(const struct sw_run *run)
{
    return SW_HAS(run->size, run, rank_files) && run->world_size > 1 && !run->replayed;
}

static bool is_alone(const struct sw_run *run, const char *ranks)
{
    return run->rank_certain && strcmp(ranks, "all") != 0;
}

bool swi_is_left_to_first(const struct sw_run *run, const char *path, const char *ranks)
{
    return is_stdout(path) && has_ranks(run) && run->rank > 0 && is_alone(run, ranks);
}

static void others_add(struct swi_text *text, const struct sw_run *run)
{
    if (*run->rank_files) {
        swi_text_put(text, "; the others: ");
        swi_escape_terminal(text, run->rank_files);
    } else if (run->world_size == 2) {
        swi_text_put(text, "; of the other one nothing is kept: add runlog");
    } else {
        swi_text_format(text, "; of the other %" PRId64 " nothing is kept: add runlog",
                        run->world_size - 1);
    }
}

void swi_first_rank_note(struct swi_text *text, const struct sw_run *run, const char *path,
                         const char *ranks)
{
    if (!is_stdout(path) || !has_ranks(run))
        return;
    swi_text_format(text, "rank %" PRId64 " of %" PRId64, run->rank, run->world_size);
    if (is_alone(run, ranks))
        others_add(text, run);
    swi_text_put(text, "\n");
}

/* ---- a report as Markdown -------------------------------------------------------------------- */

enum { PADDING = 2 }; /* added to a header's length to get its least width */
enum { RULE = 3 };    /* dashes below a header without padding */

static size_t width_of(const struct swi_grid *grid, size_t column)
{
    size_t header = swi_text_width(swi_grid_header(grid, column)) + PADDING;
    size_t cells = grid->column[column].width;
    return header > cells ? header : cells;
}

static void cell_add(struct swi_text *text, const struct swi_grid *grid, size_t column,
                     const char *cell, bool padded)
{
    size_t width = padded ? width_of(grid, column) : 0;
    swi_text_put(text, column ? " | " : "| ");
    if (swi_grid_is_count(grid, column))
        swi_text_right(text, cell, width);
    else
        swi_text_left(text, cell, width);
}

static void head_add(struct swi_text *text, const struct swi_grid *grid, bool padded)
{
    for (size_t column = 0; column < grid->columns; column++)
        cell_add(text, grid, column, swi_grid_header(grid, column), padded);
    swi_text_put(text, " |\n");
    for (size_t column = 0; column < grid->columns; column++) {
        bool right = swi_grid_is_count(grid, column);
        swi_text_put(text, right ? "|" : "|:");
        swi_text_fill(text, '-', padded ? width_of(grid, column) + 1 : RULE);
        swi_text_put(text, right ? ":" : "");
    }
    swi_text_put(text, "|\n");
}

size_t swi_markdown_table(struct swi_text *text, const struct swi_grid *grid, bool padded,
                          size_t bytes)
{
    size_t row = 0;
    head_add(text, grid, padded);
    for (; row < grid->rows && text->size < bytes; row++) {
        for (size_t column = 0; column < grid->columns; column++)
            cell_add(text, grid, column, swi_grid_cell(grid, row, column), padded);
        swi_text_put(text, " |\n");
    }
    return row;
}

void swi_markdown_report(struct swi_text *text, const struct sw_report *report, enum swi_form form,
                         enum swi_columns columns)
{
    struct swi_grid grid;
    if (swi_grid_init(&grid, report, form, columns, swi_escape_markdown))
        swi_markdown_table(text, &grid, true, SIZE_MAX);
    else
        text->failed = true;
    swi_grid_fini(&grid);
}

/* A line right below a table would be read as one more row, so an empty line comes first. With
 * `accounting: false` there is none, because the text must be exactly that of fastxtend. */
void swi_markdown_notes(struct swi_text *text, const struct sw_report *report)
{
    struct swi_text notes = {0};
    swi_notes_dropped(&notes, report);
    swi_notes_accounting(&notes, report, swi_escape_markdown);
    if (notes.size && report->show_accounting)
        swi_text_put(text, "\n");
    swi_text_put(text, notes.size ? notes.data : "");
    text->failed |= notes.failed;
    swi_text_free(&notes);
}

/* ---- a report of all ranks as a report ------------------------------------------------------- */

/* A row of a report, followed by the columns of all ranks. */
struct both_rows {
    struct sw_report_row row;
    struct sw_ranks_row ranks;
};

#define TEXT(field) offsetof(struct both_rows, row.field)
#define ALL(field) offsetof(struct both_rows, ranks.field)
#define STANDARD SW_COLUMN_STANDARD

/* clang-format off */
static const struct sw_column columns[] = {
    {"phase",        "Phase",             "Phase",     "",      SW_COLUMN_TEXT,     STANDARD, TEXT(phase)},
    {"action",       "Action",            "Action",    "",      SW_COLUMN_TEXT,     STANDARD, TEXT(action)},
    {"ranks",        "Ranks",             "Ranks",     "ranks", SW_COLUMN_COUNT,    STANDARD, ALL(ranks)},
    {"min_ns",       "Min",               "Min",       "ns",    SW_COLUMN_DURATION, STANDARD, ALL(min_ns)},
    {"min_rank",     "Min Rank",          "@Rank",     "",      SW_COLUMN_COUNT,    STANDARD, ALL(min_rank)},
    {"mean_ns",      "Mean",              "Mean",      "ns",    SW_COLUMN_DURATION, STANDARD, ALL(mean_ns)},
    {"max_ns",       "Max",               "Max",       "ns",    SW_COLUMN_DURATION, STANDARD, ALL(max_ns)},
    {"max_rank",     "Max Rank",          "@Rank",     "",      SW_COLUMN_COUNT,    STANDARD, ALL(max_rank)},
    {"imbalance",    "Imbalance",         "Imbalance", "",      SW_COLUMN_RATIO,    STANDARD, ALL(imbalance)},
    {"calls",        "Number of Calls",   "Calls",     "calls", SW_COLUMN_COUNT,    STANDARD, ALL(calls)},
    {"call_mean_ns", "Mean Duration",     "Call Mean", "ns",    SW_COLUMN_DURATION, STANDARD, ALL(call_mean_ns)},
    {"call_std_ns",  "Duration Std Dev",  "Call Std",  "ns",    SW_COLUMN_DURATION, 0,        ALL(call_std_ns)},
    {"p50_ns",       "P50",               "P50",       "ns",    SW_COLUMN_DURATION, 0,        ALL(p50_ns)},
    {"p95_ns",       "P95",               "P95",       "ns",    SW_COLUMN_DURATION, 0,        ALL(p95_ns)},
    {"p99_ns",       "P99",               "P99",       "ns",    SW_COLUMN_DURATION, 0,        ALL(p99_ns)},
};
/* clang-format on */

static struct both_rows row_of(const struct sw_ranks_row *row)
{
    struct both_rows both = {.ranks = *row};
    both.row.phase_id = row->phase_id;
    both.row.action_id = row->action_id;
    both.row.phase = row->phase;
    both.row.action = row->action;
    both.row.calls = row->calls;
    return both;
}

bool swi_ranks_report_init(struct sw_report *report, const struct sw_ranks *ranks)
{
    struct both_rows *rows = calloc(ranks->count + 1, sizeof *rows);
    *report = (struct sw_report){.size = sizeof *report,
                                 .fit = ranks->fit,
                                 .complete = ranks->complete,
                                 .epoch = ranks->epoch,
                                 .step = ranks->step,
                                 .count = rows ? ranks->count : 0,
                                 .row_size = sizeof *rows,
                                 .row = rows ? &rows->row : NULL,
                                 .column_count = sizeof columns / sizeof *columns,
                                 .column_size = sizeof *columns,
                                 .column = columns};
    for (size_t i = 0; rows && i < ranks->count; i++)
        rows[i] = row_of(sw_ranks_row_at(ranks, i));
    return rows;
}

void swi_ranks_report_fini(struct sw_report *report)
{
    free((void *)report->row);
    report->row = NULL;
}

static void shares_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (isfinite(ranks->lost))
        swi_text_format(text, "Perfect balance would save %.1f %%", 100 * ranks->lost);
    if (isfinite(ranks->lost) && isfinite(ranks->communication))
        swi_text_format(text, "; communication that all wait for: %.1f %%",
                        100 * ranks->communication);
    swi_text_put(text, isfinite(ranks->lost) ? "\n" : "");
}

static void next_add(struct swi_text *text, const struct sw_ranks *ranks, swi_escape_fn *escape)
{
    size_t count = SW_HAS(ranks->size, ranks, finding) ? ranks->finding_count : 0;
    for (size_t i = 0; i < count; i++) {
        swi_text_put(text, "  Try: ");
        escape(text, sw_ranks_finding(ranks, i)->next);
        swi_text_put(text, "\n");
    }
}

void swi_ranks_notes(struct swi_text *text, const struct sw_ranks *ranks, swi_escape_fn *escape,
                     bool advice)
{
    swi_text_format(text, "%" PRId64 " of %" PRId64 " ranks", ranks->ranks, ranks->world_size);
    if (ranks->steps)
        swi_text_format(text, ", %" PRId64 " training steps", ranks->steps);
    swi_text_put(text, "\n");
    shares_add(text, ranks);
    if (!ranks->sentence)
        return;
    escape(text, ranks->sentence);
    swi_text_put(text, "\n");
    if (advice)
        next_add(text, ranks, escape);
}

int swi_ranks_file_write(struct sw_sink *sink, const char *path, int fit, struct swi_text *text,
                         struct sw_error *err)
{
    SWI_FREED struct swi_text beside = {0};
    size_t stem = swi_stem_length(path);
    if (strcmp(path, "-") != 0)
        swi_text_format(&beside, "%.*s-ranks%s", (int)stem, path, path + stem);
    return swi_fit_file_write(sink, beside.data ? beside.data : path, fit, text, err);
}
