/* SPDX-License-Identifier: MIT */
/* The layout of a pandas data frame. */
#include "sinks/table/plain_table.h"

/* A column of integers has one more blank before its header and cells. */
static size_t width_of(const struct swi_grid *grid, size_t column)
{
    size_t header = swi_text_width(swi_grid_header(grid, column));
    size_t cells = grid->column[column].width;
    return (header > cells ? header : cells) + swi_grid_is_count(grid, column);
}

static void cell_add(struct swi_text *text, const struct swi_grid *grid, size_t column,
                     const char *cell)
{
    swi_text_put(text, column ? " " : "");
    swi_text_fill(text, ' ', width_of(grid, column) - swi_text_width(cell));
    swi_text_put(text, cell);
}

void swi_plain_table(struct swi_text *text, const struct swi_grid *grid)
{
    for (size_t column = 0; column < grid->columns; column++)
        cell_add(text, grid, column, swi_grid_header(grid, column));
    swi_text_put(text, "\n");
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t column = 0; column < grid->columns; column++)
            cell_add(text, grid, column, swi_grid_cell(grid, row, column));
        swi_text_put(text, "\n");
    }
}
