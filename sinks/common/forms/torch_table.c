/* SPDX-License-Identifier: MIT */
/* The table of key_averages() of torch.profiler 2.15. */
#include "sinks/common/forms/style.h"

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
    {"source_location",     "Source Location", "Stack",   "",   SW_COLUMN_TEXT,     0, ROW(stack)},
    {"flops",               "Total FLOPs",  "FLOPs",      "FLOPs", SW_COLUMN_RATE,  0, ROW(flops)},
};
/* clang-format on */

/* Blanks before a name, unless they make its column too wide. */
enum { MARGIN = 4, WIDTH = 12, GAP = 2, DOTS = 3 };

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

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_shapes(const struct sw_column *column)
{
    return strcmp(column->key, "input_shapes") == 0;
}

static bool is_source(const struct sw_column *column)
{
    return strcmp(column->key, "source_location") == 0;
}

static bool is_shown(const struct sw_column *column, const struct swi_style_totals *totals,
                     enum swi_group by)
{
    if (column->kind == SW_COLUMN_COUNTER)
        return totals->has_net;
    if (strcmp(column->key, "flops") == 0)
        return totals->flops_scale >= 0;
    if (is_source(column))
        return by == SWI_BY_STACK && totals->longest_frame;
    bool shapes = by == SWI_BY_SHAPE && totals->longest_shape > strlen("[]");
    return shapes || !is_shapes(column);
}

static size_t columns_of(struct sw_column *to, const struct swi_style_totals *totals,
                         enum swi_group by)
{
    static const char *const scaled[] = {"Total FLOPs",  "Total KFLOPs", "Total MFLOPs",
                                         "Total GFLOPs", "Total TFLOPs", "Total PFLOPs"};
    size_t count = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (!is_shown(&columns[i], totals, by))
            continue;
        memcpy(&to[count], &columns[i], sizeof *to);
        if (strcmp(columns[i].key, "flops") == 0)
            to[count].header = scaled[totals->flops_scale];
        count++;
    }
    return count;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* The table, the width of its names, and where they are cut. */
struct torch_drawing {
    const struct swi_grid *grid;
    const struct sw_report *report;
    size_t name_width, name_limit, shapes_width, source_width;
};

static const struct sw_column *column_of(const struct torch_drawing *drawing, size_t column)
{
    return drawing->grid->column[column].is;
}

static size_t width_of(const struct torch_drawing *drawing, size_t column)
{
    if (!column)
        return drawing->name_width;
    if (is_shapes(column_of(drawing, column)))
        return drawing->shapes_width;
    return is_source(column_of(drawing, column)) ? drawing->source_width : WIDTH;
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
    swi_text_right(text, cell, width);
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

/* A region of a stack that is too long keeps its end. */
static void source_add(struct swi_text *text, const char *frame, size_t width)
{
    struct swi_text shown = {0}, cut = {0};
    swi_escape_terminal(&shown, frame);
    const char *end = shown.data ? shown.data : "";
    size_t taken = swi_text_width(end);
    if (taken > width)
        swi_text_format(&cut, "...%s", end + bytes_of(end, taken - width + DOTS));
    swi_text_left(text, cut.data ? cut.data : end, width);
    swi_text_put(text, "  ");
    text->failed |= shown.failed || cut.failed;
    swi_text_free(&shown);
    swi_text_free(&cut);
}

static const struct swi_styled_row *row_of(const struct torch_drawing *drawing, size_t row)
{
    return (const struct swi_styled_row *)sw_report_row(drawing->report, row);
}

static const char *frame_at(const struct torch_drawing *drawing, size_t row, size_t i)
{
    const struct swi_styled_row *of = row_of(drawing, row);
    return i < of->frames ? of->frame[i] : "";
}

/* Of what runs beside the rest, torch does not compute the share. */
static bool has_no_share(const struct torch_drawing *drawing, size_t row, size_t column)
{
    bool span = row_of(drawing, row)->row.phase_id == SW_PHASE_SPANS;
    return span && strcmp(column_of(drawing, column)->key, "cpu_percent") == 0;
}

/* Line i of a row. Those after the first have only a region of its stack. */
static void line_add(struct swi_text *text, const struct torch_drawing *drawing, size_t row,
                     size_t i)
{
    for (size_t column = 0; column < drawing->grid->columns; column++) {
        const char *cell = i ? "" : swi_grid_cell(drawing->grid, row, column);
        if (!column && !i)
            name_add(text, cell, drawing);
        else if (is_source(column_of(drawing, column)))
            source_add(text, frame_at(drawing, row, i), drawing->source_width);
        else if (is_shapes(column_of(drawing, column)))
            shape_add(text, cell, drawing->shapes_width);
        else
            cell_add(text, i || !has_no_share(drawing, row, column) ? cell : "0",
                     width_of(drawing, column));
    }
    swi_text_put(text, "\n");
}

static bool has_sources(const struct torch_drawing *drawing)
{
    for (size_t column = 0; column < drawing->grid->columns; column++)
        if (is_source(column_of(drawing, column)))
            return true;
    return false;
}

/* An empty line follows the stack of a row. */
static size_t lines_of(const struct torch_drawing *drawing, size_t row)
{
    size_t frames = row_of(drawing, row)->frames;
    return !has_sources(drawing) ? 1 : frames ? frames + 1 : 2;
}

static size_t least(size_t natural, int64_t limit)
{
    return natural < (size_t)limit ? natural : (size_t)limit;
}

static struct torch_drawing drawing_of(const struct swi_grid *grid, const struct sw_report *report,
                                       const struct swi_style_totals *totals,
                                       const struct swi_form_options *options)
{
    return (struct torch_drawing){grid,
                                  report,
                                  least(totals->longest + MARGIN, options->name_width),
                                  (size_t)options->name_width,
                                  least(totals->longest_shape + MARGIN, options->shapes_width),
                                  least(totals->longest_frame + MARGIN, options->source_width)};
}

static void header_add(struct swi_text *text, const struct torch_drawing *drawing)
{
    rule_add(text, drawing);
    for (size_t column = 0; column < drawing->grid->columns; column++) {
        const char *header = swi_grid_header(drawing->grid, column);
        if (is_source(column_of(drawing, column)))
            swi_text_left(text, header, drawing->source_width);
        else
            swi_text_right(text, header, width_of(drawing, column));
        swi_text_put(text, "  ");
    }
    swi_text_put(text, "\n");
    rule_add(text, drawing);
}

static void title_add(struct swi_text *text, const struct torch_drawing *drawing, const char *title)
{
    size_t width = 0;
    for (size_t column = 0; column < drawing->grid->columns; column++)
        width += (column ? GAP : 0) + width_of(drawing, column);
    swi_text_fill(text, '=', width);
    swi_text_put(text, "\n");
    swi_escape_terminal(text, title);
    swi_text_put(text, "\n");
}

static void draw(struct swi_text *text, const struct swi_grid *grid, const struct sw_report *report,
                 const struct swi_style_totals *totals, const struct swi_form_options *options)
{
    struct torch_drawing drawing = drawing_of(grid, report, totals, options);
    if (!totals->calls)
        return;
    if (options->header && *options->header)
        title_add(text, &drawing, options->header);
    if (options->top_level)
        title_add(text, &drawing, "This report only display top-level ops statistics");
    header_add(text, &drawing);
    for (size_t row = 0; row < grid->rows; row++)
        for (size_t i = 0; i < lines_of(&drawing, row); i++)
            line_add(text, &drawing, row, i);
    rule_add(text, &drawing);
    swi_text_put(text, "Self CPU time total: ");
    duration_add(text, totals->self_ns, options->time_unit);
    swi_text_put(text, "\n");
}

const struct swi_style swi_style_torch = {
    .name = "torch",
    .step_name = "ProfilerStep*",
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .columns_of = columns_of,
    .shapes = true,
    .stacks = true,
    .limit = 100,
    .notation = &notation,
    .draw = draw,
};
