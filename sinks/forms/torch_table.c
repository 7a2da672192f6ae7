/* SPDX-License-Identifier: MIT */
/* The table of key_averages() of torch.profiler 2.15. */
#include "sinks/forms/torch_table.h"
#include "core/text/number.h"

#include <math.h>
#include <string.h>

#define ROW(field) offsetof(struct swi_styled_row, field)

/* The keys are those of sort_by there. */
/* clang-format off */
static const struct sw_column columns[] = {
    {"name",                "Name",         "Action",     "",   SW_COLUMN_TEXT,     0, ROW(row.action)},
    {"self_cpu_percent",    "Self CPU %",   "Self Share", "%",  SW_COLUMN_RATE,     0, ROW(self_percent)},
    {"self_cpu_time_total", "Self CPU",     "Self",       "ns", SW_COLUMN_DURATION, 0, ROW(row.self_ns)},
    {"cpu_percent",         "CPU total %",  "Share",      "%",  SW_COLUMN_RATE,     0, ROW(self_total_percent)},
    {"cpu_time_total",      "CPU total",    "Total",      "ns", SW_COLUMN_DURATION, 0, ROW(row.total_ns)},
    {"cpu_time",            "CPU time avg", "Mean",       "ns", SW_COLUMN_DURATION, 0, ROW(row.mean_ns)},
    {"cpu_memory_usage",    "CPU Mem",      "Memory",     "B",  SW_COLUMN_COUNTER,  0, ROW(net)},
    {"self_cpu_memory_usage", "Self CPU Mem", "Self Memory", "B", SW_COLUMN_COUNTER, 0, ROW(self_net)},
    {"count",               "# of Calls",   "Calls",      "",   SW_COLUMN_COUNT,    0, ROW(row.calls)},
    {"input_shapes",        "Input Shapes", "Shapes",     "",   SW_COLUMN_TEXT,     0, ROW(row.shape)},
    {"flops",               "Total FLOPs",  "FLOPs",      "FLOPs", SW_COLUMN_RATE,  0, ROW(flops)},
};
/* clang-format on */

/* Blanks before a name, unless they make its column too wide. */
enum { MARGIN = 4, WIDTH = 12, DOTS = 3, SHAPES_WIDTH = 80 };

static void in_unit(struct swi_text *text, double us, double scale, const char *unit)
{
    swi_number_fixed(text, us / scale, 3);
    swi_text_put(text, unit);
}

/* The unit is chosen before the time is rounded. */
static void duration_add(struct swi_text *text, double ns, const char *unit)
{
    double us = ns / 1e3;
    bool chosen = strcmp(unit, "auto") != 0;
    if (chosen ? strcmp(unit, "s") == 0 : us >= 1e6)
        in_unit(text, us, 1e6, "s");
    else if (chosen ? strcmp(unit, "ms") == 0 : us >= 1e3)
        in_unit(text, us, 1e3, "ms");
    else
        in_unit(text, us, 1, "us");
}

static void percent_add(struct swi_text *text, double percent)
{
    if (isnan(percent)) {
        swi_text_put(text, "NaN");
        return;
    }
    swi_number_fixed(text, percent, 2);
    swi_text_put(text, "%");
}

static void flops_add(struct swi_text *text, double scaled)
{
    if (isnan(scaled))
        swi_text_put(text, "--");
    else
        swi_text_format(text, "%8.3f", scaled);
}

static const struct swi_notation notation = {duration_add, percent_add, flops_add};

/* ---- columns ------------------------------------------------------------------------------------
 */

static bool is_shown(const struct sw_column *column, const struct swi_style_totals *totals,
                     bool by_shape)
{
    if (column->kind == SW_COLUMN_COUNTER)
        return totals->has_net;
    if (strcmp(column->key, "flops") == 0)
        return totals->flops_scale >= 0;
    return by_shape || strcmp(column->key, "input_shapes") != 0;
}

static size_t columns_of(struct sw_column *to, const struct swi_style_totals *totals, bool by_shape)
{
    static const char *const scaled[] = {"Total FLOPs",  "Total KFLOPs", "Total MFLOPs",
                                         "Total GFLOPs", "Total TFLOPs", "Total PFLOPs"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (!is_shown(&columns[i], totals, by_shape))
            continue;
        memcpy(&to[count], &columns[i], sizeof *to);
        if (strcmp(columns[i].key, "flops") == 0)
            to[count].header = scaled[totals->flops_scale];
        count++;
    }
    return count;
}

/* ---- drawing ------------------------------------------------------------------------------------
 */

/* The table, the width of its names, and where they are cut. */
struct torch_drawing {
    const struct swi_grid *grid;
    size_t name_width, name_limit, shapes_width;
};

static bool is_of_shapes(const struct torch_drawing *drawing, size_t column)
{
    return strcmp(drawing->grid->column[column].is->key, "input_shapes") == 0;
}

static size_t width_of(const struct torch_drawing *drawing, size_t column)
{
    if (column && is_of_shapes(drawing, column))
        return drawing->shapes_width;
    return column ? WIDTH : drawing->name_width;
}

static void rule_add(struct swi_text *text, const struct torch_drawing *drawing)
{
    for (size_t column = 0; column < drawing->grid->columns; column++) {
        swi_text_fill(text, '-', width_of(drawing, column));
        swi_text_put(text, "  ");
    }
    swi_text_put(text, "\n");
}

/* A cell that is too long extends its column. */
static void cell_add(struct swi_text *text, const char *cell, size_t width)
{
    size_t taken = swi_text_width(cell);
    swi_text_fill(text, ' ', taken < width ? width - taken : 0);
    swi_text_put(text, cell);
    swi_text_put(text, "  ");
}

/* Returns how many bytes a number of characters take. */
static size_t bytes_of(const char *text, size_t characters)
{
    const char *c = text;
    while (*c && (characters || ((unsigned char)*c & 0xc0) == 0x80)) {
        characters -= ((unsigned char)*c & 0xc0) != 0x80;
        c++;
    }
    return (size_t)(c - text);
}

static void name_add(struct swi_text *text, const char *name, const struct torch_drawing *drawing)
{
    struct swi_text cut = {0};
    size_t keep = drawing->name_limit - DOTS;
    bool whole = swi_text_width(name) < keep;
    swi_text_add(&cut, name, whole ? strlen(name) : bytes_of(name, keep));
    swi_text_put(&cut, whole ? "" : "...");
    cell_add(text, cut.data ? cut.data : "", drawing->name_width);
    text->failed |= cut.failed;
    swi_text_free(&cut);
}

/* Cut at the width of its column, without dots. */
static void shape_add(struct swi_text *text, const char *shape, size_t width)
{
    struct swi_text cut = {0};
    swi_text_add(&cut, shape, bytes_of(shape, width));
    cell_add(text, cut.data ? cut.data : "", width);
    text->failed |= cut.failed;
    swi_text_free(&cut);
}

static void row_add(struct swi_text *text, const struct torch_drawing *drawing, size_t row)
{
    name_add(text, swi_grid_cell(drawing->grid, row, 0), drawing);
    for (size_t column = 1; column < drawing->grid->columns; column++)
        if (is_of_shapes(drawing, column))
            shape_add(text, swi_grid_cell(drawing->grid, row, column), drawing->shapes_width);
        else
            cell_add(text, swi_grid_cell(drawing->grid, row, column), WIDTH);
    swi_text_put(text, "\n");
}

static void draw(struct swi_text *text, const struct swi_grid *grid,
                 const struct swi_style_totals *totals, const struct swi_form_options *options)
{
    size_t limit = (size_t)options->name_width, natural = totals->longest + MARGIN;
    size_t shapes = totals->longest_shape + MARGIN;
    struct torch_drawing drawing = {grid, natural < limit ? natural : limit, limit,
                                    shapes < SHAPES_WIDTH ? shapes : SHAPES_WIDTH};
    if (!totals->calls)
        return;
    rule_add(text, &drawing);
    for (size_t column = 0; column < grid->columns; column++)
        cell_add(text, swi_grid_header(grid, column), width_of(&drawing, column));
    swi_text_put(text, "\n");
    rule_add(text, &drawing);
    for (size_t row = 0; row < grid->rows; row++)
        row_add(text, &drawing, row);
    rule_add(text, &drawing);
    swi_text_put(text, "Self CPU time total: ");
    duration_add(text, totals->self_ns, options->time_unit);
    swi_text_put(text, "\n");
}

static const char *sort_key(const struct sw_column *column, size_t count)
{
    (void)column;
    (void)count;
    return NULL;
}

const struct swi_style swi_style_torch = {
    .name = "torch",
    .step_name = "ProfilerStep*",
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .columns_of = columns_of,
    .shapes = true,
    .limit = 100,
    .notation = &notation,
    .sort = sort_key,
    .draw = draw,
};
