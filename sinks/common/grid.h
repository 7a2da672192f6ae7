/* SPDX-License-Identifier: MIT */
/* grid.h - a report as cells of text: formatted for people, or raw for programs. */
#ifndef SINKS_GRID_H
#define SINKS_GRID_H

#include <stepwatch/report.h>

enum { GRID_COLUMNS_MAX = 16 };

/* A column: its title, and whether its cells are numbers as such (Number of Calls). */
struct grid_column {
    const char *title;
    bool numeric;
};

struct grid {
    size_t columns;
    const struct grid_column *column;
    size_t rows;
    char **cell; /* rows * columns texts, row by row; UTF-8 is not promised in names */
};

/* Cells for people: durations with an SI prefix, phase and action only where they change. `all`
 * adds the columns after Percent of Total. Returns false without memory; grid_fini() either way. */
bool grid_report(struct grid *grid, const struct sw_report *report, bool all);

/* Cells for programs: seconds that read back the same, phase and action on every row. */
bool grid_results(struct grid *grid, const struct sw_report *report, bool all);

void grid_fini(struct grid *grid);

static inline const char *grid_cell(const struct grid *grid, size_t row, size_t column)
{
    return grid->cell[row * grid->columns + column];
}

#endif
