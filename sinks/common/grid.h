/* SPDX-License-Identifier: MIT */
/* grid.h - a report as rows of text cells, from which all tables are made. */
#ifndef SINKS_COMMON_GRID_H
#define SINKS_COMMON_GRID_H

#include "core/text/buffer.h"
#include "core/text/escape.h"

#include <stepwatch/report.h>

/* How values are written in the cells. */
enum swi_form {
    SWI_FORMATTED, /* for people: 86.62ms; phase only on the first of its rows */
    SWI_RAW,       /* for programs: 0.08662, in seconds; phase and action on every row */
    SWI_RAW_MS     /* the same, but durations in milliseconds: 86.62 */
};

enum swi_columns {
    SWI_COLUMNS_STANDARD, /* columns with SW_COLUMN_STANDARD */
    SWI_COLUMNS_ALL
};

/* The number formats of another profiler. */
struct swi_notation {
    void (*duration)(struct swi_text *text, double ns, const char *unit);
    void (*percent)(struct swi_text *text, double percent); /* for columns with SW_COLUMN_RATE */
    void (*flops)(struct swi_text *text, double scaled);    /* those with the unit FLOPs; or NULL */
};

/* The format of the cells. */
struct swi_grid_look {
    enum swi_form form;
    enum swi_columns columns;
    swi_escape_fn *escape;               /* for names given by the user */
    bool sorted;                         /* rows are not grouped by phase: each row has its own */
    const struct swi_notation *notation; /* for SWI_FORMATTED; NULL: that of stepwatch */
    const char *unit;                    /* passed to notation */
};

struct swi_grid_column {
    const struct sw_column *is;
    size_t width;  /* characters of its longest cell, without the header */
    size_t header; /* offset in text; 0: the column's own, which needs no escape */
};

struct swi_grid {
    size_t columns;
    struct swi_grid_column *column; /* the chosen columns of the report's table */
    size_t rows;
    struct swi_text text;             /* all cells, each with its NUL */
    const struct sw_report_row **row; /* of the report, while the grid is made */
    size_t *cell;                     /* offset of each cell in text */
    bool sorted;
    bool raw; /* counters are called by their keys: counter/NAME, escaped as the cells */
};

/* Make a grid. Names given by the user are passed to escape. Return false if out of memory. Call
 * swi_grid_fini() in any case. */
bool swi_grid_init(struct swi_grid *grid, const struct sw_report *report, enum swi_form form,
                   enum swi_columns columns, swi_escape_fn *escape);
bool swi_grid_init_as(struct swi_grid *grid, const struct sw_report *report,
                      const struct swi_grid_look *look);
void swi_grid_fini(struct swi_grid *grid);

/* Returns the part of a report that a reader of a stream has not seen: of the second report of a
 * fit, only the rows `after`. It borrows the rows. */
struct sw_report swi_report_news(const struct sw_report *report);

const char *swi_grid_header(const struct swi_grid *grid, size_t column);
/* Text cells are escaped and aligned left. Counts are integers in every form, which some tables
 * mark. */
bool swi_grid_is_text(const struct swi_grid *grid, size_t column);
bool swi_grid_is_count(const struct swi_grid *grid, size_t column);
const char *swi_grid_cell(const struct swi_grid *grid, size_t row, size_t column);

/* ---- as JSON --------------------------------------------------------------------------------- */

/* Returns whether a column has numbers in this form. Formatted and rounded values are text. */
bool swi_grid_is_number(const struct swi_grid *grid, enum swi_form form, size_t column);
/* Adds the headers as a JSON array of texts. */
void swi_grid_headers_json(struct swi_text *text, const struct swi_grid *grid);
/* Adds the rows as a JSON array of arrays. The names must not have been escaped. A number that is
 * missing or not finite is null. */
void swi_grid_rows_json(struct swi_text *text, const struct swi_grid *grid, enum swi_form form);

#endif
