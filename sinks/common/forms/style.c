/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/style.h"

#include "core/text/exact_number.h"

#include <stepwatch/stepwatch.h>

#include <float.h>
#include <string.h>

/* ---- the table of PyTorch Lightning's profilers ---------------------------------------------- */

#define ROW(field) offsetof(struct swi_styled_row, field)

/* clang-format off */
static const struct sw_column columns[] = {
    {"action",   "Action",            "Name",    "",   SW_COLUMN_TEXT,     0, ROW(row.action)},
    {"mean_ns",  "Mean duration (s)", "Average", "ns", SW_COLUMN_DURATION, 0, ROW(row.mean_ns)},
    {"calls",    "Num calls",         "Count",   "",   SW_COLUMN_COUNT,    0, ROW(row.calls)},
    {"total_ns", "Total time (s)",    "Sum",     "ns", SW_COLUMN_DURATION, 0, ROW(row.total_ns)},
    {"share",    "Percentage %",      "Percent", "%",  SW_COLUMN_RATE,     0, ROW(whole_percent)},
};
/* clang-format on */

enum { WIDTH = 15, DIGITS = 5, TAB = 8 };

/* Whole nanoseconds often end with the five that is rounded. It must be rounded up, which a
 * division by 1e9 does not guarantee. */
static void duration_add(struct swi_text *text, double ns, const char *unit)
{
    (void)unit;
    swi_number_short(text, ns / 1e9 * (1 + 2 * DBL_EPSILON), DIGITS);
}

static void percent_add(struct swi_text *text, double percent)
{
    swi_number_short(text, percent, DIGITS);
}

static const struct swi_notation notation = {duration_add, percent_add, NULL};

struct drawing {
    const struct swi_grid *grid;
    const struct swi_style_totals *totals;
    /* Lightning's has a bar and two blanks before each row, rules around, the sum of the calls in
     * the row Total, and the stage; Hannah's has none of these. */
    bool boxed;
};

static bool is_column(const struct drawing *drawing, size_t column, const char *key)
{
    return strcmp(drawing->grid->column[column].is->key, key) == 0;
}

static bool is_extended_column(const struct sw_column *column)
{
    return strcmp(column->key, "calls") == 0 || strcmp(column->key, "share") == 0;
}

static bool is_extended(const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->grid->columns; i++)
        if (is_extended_column(drawing->grid->column[i].is))
            return true;
    return false;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void name_add(struct swi_text *text, const struct drawing *drawing, const char *name)
{
    swi_text_put(text, drawing->boxed ? "|  " : "");
    swi_text_left(text, name, drawing->totals->longest);
    swi_text_put(text, "\t|");
}

/* Hannah's table has no blanks before the calls. */
static void cell_add(struct swi_text *text, const struct drawing *drawing, size_t column,
                     const char *cell)
{
    bool blanks = drawing->boxed || !is_column(drawing, column, "calls");
    swi_text_put(text, blanks ? "  " : "");
    swi_text_left(text, cell, WIDTH);
    swi_text_put(text, "\t|");
}

static void head_add(struct swi_text *text, const struct drawing *drawing)
{
    name_add(text, drawing, swi_grid_header(drawing->grid, 0));
    for (size_t column = 1; column < drawing->grid->columns; column++)
        cell_add(text, drawing, column, swi_grid_header(drawing->grid, column));
}

static void total_cell_add(struct swi_text *text, const struct drawing *drawing, size_t column)
{
    const struct swi_style_totals *totals = drawing->totals;
    struct swi_text cell = {0};
    if (is_column(drawing, column, "calls") && drawing->boxed)
        swi_text_integer(&cell, totals->calls);
    else if (is_column(drawing, column, "calls"))
        swi_text_put(&cell, "_");
    else if (is_column(drawing, column, "total_ns"))
        swi_number_short(&cell, totals->whole_ns / 1e9, DIGITS);
    else
        swi_text_put(&cell, is_column(drawing, column, "share") ? "100 %" : "-");
    cell_add(text, drawing, column, cell.data ? cell.data : "");
    text->failed |= cell.failed;
    swi_text_free(&cell);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Returns the columns of a line. A tab is up to eight columns. */
static size_t columns_of(const char *line)
{
    size_t count = 0;
    for (; *line; line++) {
        bool inside = ((unsigned char)*line & 0xc0) == 0x80;
        count += *line == '\t' ? TAB - count % TAB : !inside;
    }
    return count;
}

static const char *title(const struct drawing *drawing)
{
    static const char *const of_stage[] = {[SWI_STAGE_FIT] = "FIT Profiler Report\n",
                                           [SWI_STAGE_VALIDATE] = "VALIDATE Profiler Report\n",
                                           [SWI_STAGE_NONE] = "Profiler Report\n"};
    return of_stage[drawing->boxed ? drawing->totals->stage : SWI_STAGE_NONE];
}

/* Lightning counts the newline before the header. Hannah's also counts the title with one newline
 * before it and two after it, and counts a tab as one character. */
static size_t rule_length(const struct drawing *drawing, const char *header)
{
    enum { BEFORE = 2, AFTER = 1 };
    if (drawing->boxed)
        return columns_of(header) + 1;
    return BEFORE + strlen(title(drawing)) + AFTER + swi_text_width(header);
}

static void rule_add(struct swi_text *text, size_t length)
{
    swi_text_fill(text, '-', length);
    swi_text_put(text, "\n");
}

static void total_add(struct swi_text *text, const struct drawing *drawing, size_t rule)
{
    if (!is_extended(drawing))
        return;
    name_add(text, drawing, "Total");
    for (size_t column = 1; column < drawing->grid->columns; column++)
        total_cell_add(text, drawing, column);
    swi_text_put(text, "\n");
    rule_add(text, rule);
}

static void rows_add(struct swi_text *text, const struct drawing *drawing)
{
    const struct swi_grid *grid = drawing->grid;
    for (size_t row = 0; row < grid->rows; row++) {
        name_add(text, drawing, swi_grid_cell(grid, row, 0));
        for (size_t column = 1; column < grid->columns; column++)
            cell_add(text, drawing, column, swi_grid_cell(grid, row, column));
        swi_text_put(text, "\n");
    }
}

static void table_add(struct swi_text *text, const struct drawing *drawing)
{
    struct swi_text header = {0};
    head_add(&header, drawing);
    if (!header.data) {
        text->failed = true;
        return;
    }
    size_t rule = rule_length(drawing, header.data);
    if (drawing->boxed)
        rule_add(text, rule);
    swi_text_format(text, "%s\n", header.data);
    rule_add(text, rule);
    total_add(text, drawing, rule);
    rows_add(text, drawing);
    if (drawing->boxed)
        rule_add(text, rule);
    swi_text_free(&header);
}

static void draw(struct swi_text *text, const struct swi_grid *grid, const struct sw_report *report,
                 const struct swi_style_totals *totals, const struct swi_form_options *options)
{
    const struct drawing drawing = {grid, totals, strcmp(options->style, "lightning") == 0};
    (void)report;
    swi_text_put(text, title(&drawing));
    swi_text_put(text, "\n");
    if (totals->calls)
        table_add(text, &drawing);
}

/* ---- the styles ------------------------------------------------------------------------------ */

/* The short form is sorted by mean, the extended one by percentage. */
static const char *sort_key(const struct sw_column *column, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_extended_column(&column[i]))
            return "share";
    return "mean_ns";
}

#define STYLE(name_)                                                                               \
    {                                                                                              \
        .name = (name_), .step_name = "step", .column = columns,                                   \
        .columns = sizeof columns / sizeof *columns, .notation = &notation, .sort = sort_key,      \
        .draw = draw                                                                               \
    }
static const struct swi_style swi_style_lightning = STYLE("lightning");
static const struct swi_style swi_style_hannah = STYLE("hannah");

/* ---- the forms ------------------------------------------------------------------------------- */

const struct swi_style *swi_style_find(const char *name)
{
    static const struct swi_style *const styles[] = {&swi_style_torch, &swi_style_lightning,
                                                     &swi_style_hannah};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (strcmp(styles[i]->name, name) == 0)
            return styles[i];
    return NULL;
}
