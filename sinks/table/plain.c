/* SPDX-License-Identifier: MIT */
#include "sinks/table/table.h"

/* The one numeric column has a blank more before its title and its cells. */
static size_t padding(const struct grid *grid, size_t k)
{
    return grid->column[k].numeric ? 1 : 0;
}

static size_t column_width(const struct grid *grid, size_t k)
{
    size_t width = text_width(grid->column[k].title);
    for (size_t i = 0; i < grid->rows; i++) {
        size_t cell = text_width(grid_cell(grid, i, k));
        width = cell > width ? cell : width;
    }
    return width + padding(grid, k);
}

static void cell_add(struct text *text, const char *cell, size_t width, bool first)
{
    if (!first)
        text_add(text, " ");
    for (size_t n = text_width(cell); n < width; n++)
        text_add(text, " ");
    text_add(text, cell);
}

void table_plain(struct text *text, const struct grid *grid)
{
    size_t width[GRID_COLUMNS_MAX];
    for (size_t k = 0; k < grid->columns; k++) {
        width[k] = column_width(grid, k);
        cell_add(text, grid->column[k].title, width[k], k == 0);
    }
    text_add(text, "\n");
    for (size_t i = 0; i < grid->rows; i++) {
        for (size_t k = 0; k < grid->columns; k++)
            cell_add(text, grid_cell(grid, i, k), width[k], k == 0);
        text_add(text, "\n");
    }
}
