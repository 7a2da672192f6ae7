/* SPDX-License-Identifier: MIT */
#include "sinks/common/grid.h"

#include "core/text/exact_number.h"
#include "core/text/number.h"

#include <stepwatch/stepwatch.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- as JSON --------------------------------------------------------------------------------- */

bool swi_grid_is_number(const struct swi_grid *grid, enum swi_form form, size_t column)
{
    const struct sw_column *is = grid->column[column].is;
    if (form == SWI_FORMATTED)
        return is->kind == SW_COLUMN_COUNT;
    return is->kind != SW_COLUMN_TEXT && !(is->flags & SW_COLUMN_ROUNDED);
}

static void json_cell_add(struct swi_text *text, const char *cell, bool number)
{
    if (!number)
        swi_escape_json(text, cell);
    else if (strspn(cell, "0123456789.eE+-") == strlen(cell) && strpbrk(cell, "0123456789"))
        swi_text_put(text, cell);
    else
        swi_text_put(text, "null");
}

void swi_grid_headers_json(struct swi_text *text, const struct swi_grid *grid)
{
    swi_text_put(text, "[");
    for (size_t c = 0; c < grid->columns; c++) {
        swi_text_put(text, c ? "," : "");
        swi_escape_json(text, swi_grid_header(grid, c));
    }
    swi_text_put(text, "]");
}

void swi_grid_rows_json(struct swi_text *text, const struct swi_grid *grid, enum swi_form form)
{
    swi_text_put(text, "[");
    for (size_t r = 0; r < grid->rows; r++) {
        swi_text_put(text, r ? ",[" : "[");
        for (size_t c = 0; c < grid->columns; c++) {
            swi_text_put(text, c ? "," : "");
            json_cell_add(text, swi_grid_cell(grid, r, c), swi_grid_is_number(grid, form, c));
        }
        swi_text_put(text, "]");
    }
    swi_text_put(text, "]");
}

/* ---- the grid -------------------------------------------------------------------------------- */

/* The input for one cell. */
struct cell {
    const struct sw_column *column;
    const struct sw_report_row *row;
    const struct sw_report_row *before; /* the row above, or NULL */
    const struct swi_grid_look *look;
};

static bool is_raw(const struct cell *c)
{
    return c->look->form != SWI_FORMATTED;
}

/* ---- one function for each kind of column ---------------------------------------------------- */

/* Returns whether the text of a cell is hidden: for people, a phase is only on its first row, and
 * the row of the fit has no action. */
static bool is_hidden(const struct cell *c)
{
    if (is_raw(c))
        return false;
    if (c->column->offset == offsetof(struct sw_report_row, phase))
        return !c->look->sorted && c->before && c->before->phase_id == c->row->phase_id;
    bool fit = !c->look->sorted && c->row->phase_id == SW_PHASE_FIT && c->row->action_id == SW_FIT;
    return fit && c->column->offset == offsetof(struct sw_report_row, action);
}

static void text_add(struct swi_text *text, const struct cell *c)
{
    const char *value = sw_column_text(c->column, c->row);
    if (value && !is_hidden(c))
        c->look->escape(text, value);
}

/* A reader gets bytes and times with a prefix. */
static void counter_add(struct swi_text *text, const struct cell *c, int64_t value)
{
    if (is_raw(c))
        swi_text_format(text, "%" PRId64, value);
    else if (strcmp(c->column->unit, "B") == 0)
        swi_number_bytes(text, value);
    else if (strcmp(c->column->unit, "ns") == 0)
        swi_number_time(text, (double)value / 1e9);
    else
        swi_number_count(text, value);
}

/* Adds an unknown value: nothing for programs, a dash for people. */
static void unknown_add(struct swi_text *text, const struct cell *c)
{
    swi_text_put(text, is_raw(c) ? "" : "-");
}

static void duration_add(struct swi_text *text, const struct cell *c, double ns)
{
    if (is_raw(c))
        swi_number_exact(text, ns / (c->look->form == SWI_RAW_MS ? 1e6 : 1e9));
    else
        swi_number_time(text, ns / 1e9);
}

static void rounded_add(struct swi_text *text, const struct cell *c, double value)
{
    if (isnan(value))
        swi_text_put(text, "-");
    else if (c->column->kind == SW_COLUMN_RATIO)
        swi_number_percent(text, value);
    else
        swi_number_rate(text, value);
}

static void percent_add(struct swi_text *text, double percent)
{
    swi_number_fixed(text, percent, 1);
    swi_text_put(text, "%");
}

static void number_add(struct swi_text *text, const struct cell *c)
{
    double value = sw_column_number(c->column, c->row);
    if (c->column->flags & SW_COLUMN_ROUNDED)
        rounded_add(text, c, value);
    else if (isnan(value))
        unknown_add(text, c);
    else if (c->column->kind == SW_COLUMN_DURATION)
        duration_add(text, c, value);
    else if (is_raw(c) || c->column->flags & SW_COLUMN_REPEATED)
        swi_number_exact(text, value);
    else if (strcmp(c->column->unit, "%") == 0)
        percent_add(text, value);
    else if (c->column->kind == SW_COLUMN_RATIO)
        swi_number_percent(text, value);
    else
        swi_number_overall(text, value);
}

static void noted_add(struct swi_text *text, const struct cell *c)
{
    const struct swi_notation *notation = c->look->notation;
    double value = sw_column_number(c->column, c->row);
    if (c->column->kind == SW_COLUMN_DURATION)
        notation->duration(text, value, c->look->unit);
    else if (notation->flops && strcmp(c->column->unit, "FLOPs") == 0)
        notation->flops(text, value);
    else
        notation->percent(text, value);
}

static void value_add(struct swi_text *text, const struct cell *c)
{
    if (c->column->kind == SW_COLUMN_TEXT)
        text_add(text, c);
    else if (c->column->kind == SW_COLUMN_COUNT)
        swi_text_format(text, "%" PRId64, sw_column_count(c->column, c->row));
    else if (c->column->kind == SW_COLUMN_COUNTER &&
             sw_column_count(c->column, c->row) != SW_COUNTER_NONE)
        counter_add(text, c, sw_column_count(c->column, c->row));
    else if (c->column->kind == SW_COLUMN_COUNTER)
        unknown_add(text, c);
    else if (c->look->notation && !is_raw(c))
        noted_add(text, c);
    else
        number_add(text, c);
}

/* ---- the grid -------------------------------------------------------------------------------- */

/* Programs get the counters in any case. */
static bool is_shown(const struct sw_column *column, const struct swi_grid_look *look)
{
    uint32_t shown = SW_COLUMN_STANDARD;
    if (look->form != SWI_FORMATTED)
        shown |= SW_COLUMN_OF_COUNTER;
    return sw_column_is_known(column) &&
           (look->columns == SWI_COLUMNS_ALL || column->flags & shown);
}

static bool columns_take(struct swi_grid *grid, const struct sw_report *report,
                         const struct swi_grid_look *look)
{
    grid->column = calloc(report->column_count + 1, sizeof *grid->column);
    for (size_t i = 0; grid->column && i < report->column_count; i++)
        if (is_shown(sw_report_column(report, i), look))
            grid->column[grid->columns++].is = sw_report_column(report, i);
    return grid->column != NULL;
}

static const char *header_of(const struct swi_grid *grid, const struct sw_column *column)
{
    return grid->raw && column->flags & SW_COLUMN_OF_COUNTER ? column->key : column->header;
}

/* Headers have the names of counters, which may be anything. Those of the forms, such
 * as "# of Calls", need no escape, and must be exactly as other profilers write them. */
static void headers_add(struct swi_grid *grid, const struct swi_grid_look *look)
{
    static const char harmless[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 #%/().";
    swi_text_add(&grid->text, "", 1);
    for (size_t i = 0; i < grid->columns; i++) {
        const char *header = header_of(grid, grid->column[i].is);
        if (!header[strspn(header, harmless)])
            continue;
        grid->column[i].header = grid->text.size;
        look->escape(&grid->text, header);
        swi_text_add(&grid->text, "", 1);
    }
}

static void cell_add(struct swi_grid *grid, size_t at, struct cell *c)
{
    struct swi_grid_column *column = &grid->column[at % grid->columns];
    c->column = column->is;
    grid->cell[at] = grid->text.size;
    value_add(&grid->text, c);
    swi_text_add(&grid->text, "", 1);
    size_t width = grid->text.failed ? 0 : swi_text_width(grid->text.data + grid->cell[at]);
    column->width = width > column->width ? width : column->width;
}

static bool is_builtin(const struct sw_report_row *row)
{
    return row->action_id >= 0 && row->action_id < SW_BUILTIN_ACTIONS;
}

/* Returns whether the program uses an action of a loop, even if all of them were dropped or
 * discarded. */
static bool has_loop(const struct sw_report *report)
{
    bool loop = report->accounting.steps > 0 || report->accounting.discarded > 0;
    for (size_t i = 0; i < report->count && !loop; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        loop = is_builtin(row) && row->action_id != SW_FIT && row->calls > 0;
    }
    return loop;
}

/* Of a program that has no loop, people see what it has measured, and no rows of dashes. fastxtend
 * has all rows of a loop. */
static bool rows_take(struct swi_grid *grid, const struct sw_report *report,
                      const struct swi_grid_look *look)
{
    bool all = look->form != SWI_FORMATTED || has_loop(report);
    grid->row = calloc(report->count + 1, sizeof *grid->row);
    for (size_t i = 0; grid->row && i < report->count; i++)
        if (all || !is_builtin(sw_report_row(report, i)) || sw_report_row(report, i)->calls)
            grid->row[grid->rows++] = sw_report_row(report, i);
    return grid->row != NULL;
}

bool swi_grid_init_as(struct swi_grid *grid, const struct sw_report *report,
                      const struct swi_grid_look *look)
{
    *grid = (struct swi_grid){.sorted = look->sorted, .raw = look->form != SWI_FORMATTED};
    if (!columns_take(grid, report, look) || !rows_take(grid, report, look))
        return false;
    headers_add(grid, look);
    size_t cells = grid->rows * grid->columns;
    grid->cell = calloc(cells + 1, sizeof *grid->cell);
    if (!grid->cell)
        return false;
    for (size_t i = 0; i < cells; i++) {
        size_t row = i / grid->columns;
        struct cell c = {
            .row = grid->row[row], .before = row ? grid->row[row - 1] : NULL, .look = look};
        cell_add(grid, i, &c);
    }
    return !grid->text.failed;
}

bool swi_grid_init(struct swi_grid *grid, const struct sw_report *report, enum swi_form form,
                   enum swi_columns columns, swi_escape_fn *escape)
{
    struct swi_grid_look look = {.form = form, .columns = columns, .escape = escape};
    return swi_grid_init_as(grid, report, &look);
}

void swi_grid_fini(struct swi_grid *grid)
{
    swi_text_free(&grid->text);
    free(grid->column);
    free(grid->row);
    free(grid->cell);
    *grid = (struct swi_grid){0};
}

const char *swi_grid_header(const struct swi_grid *grid, size_t column)
{
    const struct swi_grid_column *is = &grid->column[column];
    return is->header ? grid->text.data + is->header : header_of(grid, is->is);
}

bool swi_grid_is_text(const struct swi_grid *grid, size_t column)
{
    return grid->column[column].is->kind == SW_COLUMN_TEXT;
}

bool swi_grid_is_count(const struct swi_grid *grid, size_t column)
{
    return grid->column[column].is->kind == SW_COLUMN_COUNT;
}

const char *swi_grid_cell(const struct swi_grid *grid, size_t row, size_t column)
{
    return grid->text.data + grid->cell[row * grid->columns + column];
}

/* ---- reports --------------------------------------------------------------------------------- */

struct sw_report swi_report_news(const struct sw_report *report)
{
    struct sw_report news = *report;
    while (report->amended && news.count && news.row->phase_id != SW_PHASE_AFTER) {
        news.row = sw_report_row(&news, 1);
        news.count--;
    }
    while (report->amended && news.shaped_count && news.shaped->phase_id != SW_PHASE_AFTER) {
        news.shaped = sw_report_shaped(&news, 1);
        news.shaped_count--;
    }
    return news;
}
