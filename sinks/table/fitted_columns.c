/* SPDX-License-Identifier: MIT */
#include "sinks/table/fitted_columns.h"

#include <stdlib.h>
#include <string.h>

/* The columns that readers need least come first. All others always stay. */
static const char *const spare[] = {"std_ns", "calls", "total_ns"};
enum { SPARE = sizeof spare / sizeof *spare };

const char *swi_fitted_columns_header(const struct swi_fitted_columns *view,
                                      const struct swi_grid *grid, size_t i)
{
    const struct swi_grid_column *column = &grid->column[view->column[i]];
    return view->brief && !column->header ? column->is->brief
                                          : swi_grid_header(grid, view->column[i]);
}

/* The width of a line: between columns, a bar with a blank on each side, and half of that at both
 * ends. */
static size_t width_of(const struct swi_fitted_columns *view, const struct swi_grid *grid)
{
    size_t width = 3 * view->count + 1;
    for (size_t i = 0; i < view->count; i++) {
        size_t header = swi_text_width(swi_fitted_columns_header(view, grid, i));
        size_t cells = grid->column[view->column[i]].width;
        width += header > cells ? header : cells;
    }
    return width;
}

static bool has_key(const struct swi_grid *grid, size_t column, const char *key)
{
    return strcmp(grid->column[column].is->key, key) == 0;
}

static void leave_out(struct swi_fitted_columns *view, const struct swi_grid *grid, const char *key)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->count; i++)
        if (!has_key(grid, view->column[i], key))
            view->column[kept++] = view->column[i];
    view->count = kept;
}

bool swi_fitted_columns_init(struct swi_fitted_columns *view, const struct swi_grid *grid,
                             enum swi_columns chosen, size_t width)
{
    *view = (struct swi_fitted_columns){.column = calloc(grid->columns + 1, sizeof *view->column)};
    if (!view->column)
        return false;
    for (size_t i = 0; i < grid->columns; i++)
        view->column[view->count++] = i;
    view->brief = width_of(view, grid) > width;
    /* A user who asks for all columns gets them, however long the lines. */
    for (size_t i = 0; i < SPARE && chosen == SWI_COLUMNS_STANDARD; i++)
        if (width_of(view, grid) > width)
            leave_out(view, grid, spare[i]);
    return true;
}

void swi_fitted_columns_fini(struct swi_fitted_columns *view)
{
    free(view->column);
    *view = (struct swi_fitted_columns){0};
}

/* Returns the index of the grid's column with this key; the number of columns if there is none. */
static size_t place_of(const struct swi_grid *grid, const char *key)
{
    size_t i = 0;
    while (i < grid->columns && !has_key(grid, i, key))
        i++;
    return i;
}

static bool is_missing(const struct swi_fitted_columns *view, const struct swi_grid *grid,
                       size_t place)
{
    for (size_t i = 0; i < view->count; i++)
        if (view->column[i] == place)
            return false;
    return place < grid->columns;
}

void swi_fitted_columns_missing(struct swi_text *text, const struct swi_fitted_columns *view,
                                const struct swi_grid *grid)
{
    const char *before = "For a wider terminal or a file: ";
    for (size_t i = 0; i < SPARE; i++) {
        size_t place = place_of(grid, spare[i]);
        if (!is_missing(view, grid, place))
            continue;
        swi_text_format(text, "%s%s", before, swi_grid_header(grid, place));
        before = ", ";
    }
    swi_text_put(text, view->count < grid->columns ? ".\n" : "");
}
