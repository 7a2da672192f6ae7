/* SPDX-License-Identifier: MIT */
#include "sinks/common/grid.h"
#include "sinks/common/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD = 8, ALL = 14 };

static const struct grid_column columns[ALL] = {
    {"Phase", false},
    {"Action", false},
    {"Mean Duration", false},
    {"Duration Std Dev", false},
    {"Number of Calls", true},
    {"Samples/Second", false},
    {"Total Time", false},
    {"Percent of Total", false},
    {"Samples/Second (exact)", false},
    {"Self Time", false},
    {"Min", false},
    {"Median", false},
    {"95th Percentile", false},
    {"99th Percentile", false},
};

/* A column behind the standard ones that is a duration, in nanoseconds. */
static double extra_ns(const struct sw_report_row *row, size_t column)
{
    switch (column) {
    case 9:
        return row->self_ns;
    case 10:
        return row->min_ns;
    case 11:
        return row->p50_ns;
    case 12:
        return row->p95_ns;
    default:
        return row->p99_ns;
    }
}

/* ---- cells --------------------------------------------------------------------------------------
 */

/* One text of the grid, copied; false without memory. */
static bool put(struct grid *grid, size_t row, size_t column, const char *text)
{
    return (grid->cell[row * grid->columns + column] = strdup(text)) != NULL;
}

static const char *calls(char *buffer, const struct sw_report_row *row)
{
    snprintf(buffer, NUMBER_SIZE, "%" PRId64, row->calls);
    return buffer;
}

/* A duration that is not measured, like the self time of a step, is a dash. */
static const char *seconds(char *buffer, double ns)
{
    return isnan(ns) ? strcpy(buffer, "-") : number_seconds(buffer, ns / 1e9);
}

static const char *seconds_raw(char *buffer, double ns)
{
    return isnan(ns) ? strcpy(buffer, "") : number_shortest(buffer, ns / 1e9);
}

static const char *report_cell(char *buffer, const struct sw_report_row *row, size_t column)
{
    switch (column) {
    case 2:
        return seconds(buffer, row->mean_ns);
    case 3:
        return seconds(buffer, row->std_ns);
    case 4:
        return calls(buffer, row);
    case 5:
        return number_grouped(buffer, row->samples_per_s);
    case 6:
        return seconds(buffer, row->total_ns);
    case 7:
        return number_percent(buffer, row->share);
    case 8:
        return isnan(row->samples_per_s) ? "-" : number_general(buffer, 8, row->samples_per_s);
    default:
        return seconds(buffer, extra_ns(row, column));
    }
}

static const char *results_cell(char *buffer, const struct sw_report_row *row, size_t column)
{
    switch (column) {
    case 2:
        return number_shortest(buffer, row->mean_ns / 1e9);
    case 3:
        return number_shortest(buffer, row->std_ns / 1e9);
    case 6:
        return number_shortest(buffer, row->total_ns / 1e9);
    case 8:
        return isnan(row->samples_per_s) ? "" : number_shortest(buffer, row->samples_per_s);
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
        return seconds_raw(buffer, extra_ns(row, column));
    default:
        return report_cell(buffer, row, column);
    }
}

static bool grid_new(struct grid *grid, const struct sw_report *report, bool all)
{
    *grid =
        (struct grid){.columns = all ? ALL : STANDARD, .column = columns, .rows = report->count};
    grid->cell = calloc(grid->rows * grid->columns + 1, sizeof(*grid->cell));
    return grid->cell != NULL;
}

/* Phase on the first row of each phase; no action on the row of the fit as a whole. */
static bool names_report(struct grid *grid, const struct sw_report *report, size_t i)
{
    const struct sw_report_row *row = &report->row[i];
    bool new_phase = i == 0 || report->row[i - 1].phase_id != row->phase_id;
    return put(grid, i, 0, new_phase ? row->phase : "") &&
           put(grid, i, 1, i == 0 ? "" : row->action);
}

static bool names_results(struct grid *grid, const struct sw_report *report, size_t i)
{
    return put(grid, i, 0, report->row[i].phase) && put(grid, i, 1, report->row[i].action);
}

static bool fill(struct grid *grid, const struct sw_report *report,
                 bool (*names)(struct grid *, const struct sw_report *, size_t),
                 const char *(*cell)(char *, const struct sw_report_row *, size_t))
{
    char buffer[NUMBER_SIZE];
    for (size_t i = 0; i < grid->rows; i++) {
        if (!names(grid, report, i))
            return false;
        for (size_t k = 2; k < grid->columns; k++)
            if (!put(grid, i, k, cell(buffer, &report->row[i], k)))
                return false;
    }
    return true;
}

bool grid_report(struct grid *grid, const struct sw_report *report, bool all)
{
    return grid_new(grid, report, all) && fill(grid, report, names_report, report_cell);
}

bool grid_results(struct grid *grid, const struct sw_report *report, bool all)
{
    return grid_new(grid, report, all) && fill(grid, report, names_results, results_cell);
}

void grid_fini(struct grid *grid)
{
    for (size_t i = 0; grid->cell && i < grid->rows * grid->columns; i++)
        free(grid->cell[i]);
    free(grid->cell);
    *grid = (struct grid){0};
}
