/* SPDX-License-Identifier: MIT */
/* grid.h - a report as rows of text cells, as every table of it shows them. */
#ifndef SINKS_COMMON_GRID_H
#define SINKS_COMMON_GRID_H

#include "core/text/buffer.h"
#include "core/text/escape.h"

#include <stepwatch/report.h>

/* How numbers are aligned in the cells. */
enum swi_form {
    SWI_FORMATTED, /* for reading: 86.62ms; phase only on the first of its rows */
    SWI_RAW,       /* for computing: 0.08662, in seconds; phase and action on every row */
    SWI_RAW_MS     /* the same with durations in milliseconds: 86.62 */
};

enum swi_columns {
    SWI_COLUMNS_STANDARD, /* those with SW_COLUMN_STANDARD */
    SWI_COLUMNS_ALL
};

/* How another profiler writes its numbers. */
struct swi_notation {
    void (*duration)(struct swi_text *text, double ns, const char *unit);
    void (*percent)(struct swi_text *text, double percent); /* of columns SW_COLUMN_RATE */
};

/* What cells look like. */
struct swi_grid_look {
    enum swi_form form;
    enum swi_columns columns;
    swi_escape_fn *escape;               /* of the user's names */
    bool sorted;                         /* phases are mixed: each row says its own */
    const struct swi_notation *notation; /* for SWI_FORMATTED; NULL: that of stepwatch */
    const char *unit;                    /* for it */
};

struct swi_grid_column {
    const struct sw_column *is;
    size_t width; /* characters of its longest cell, header not counted */
};

struct swi_grid {
    size_t columns;
    struct swi_grid_column *column; /* those of the report's table that are chosen */
    size_t rows;
    struct swi_text text; /* all cells, a NUL after each */
    size_t *cell;         /* where each begins in text */
    bool sorted;
};

/* Names of the user go through escape. False if out of memory; swi_grid_fini() is due in any
 * case. */
bool swi_grid_init(struct swi_grid *grid, const struct sw_report *report, enum swi_form form,
                   enum swi_columns columns, swi_escape_fn *escape);
bool swi_grid_init_as(struct swi_grid *grid, const struct sw_report *report,
                      const struct swi_grid_look *look);
void swi_grid_fini(struct swi_grid *grid);

/* What a reader of a stream has not seen yet: of the second report of a fit the rows `after` alone.
 * Borrows the rows. */
struct sw_report swi_report_news(const struct sw_report *report);

const char *swi_grid_header(const struct swi_grid *grid, size_t column);
/* Names are escaped and aligned left. Counts are integers in every form: tables set them apart. */
bool swi_grid_is_text(const struct swi_grid *grid, size_t column);
bool swi_grid_is_count(const struct swi_grid *grid, size_t column);
const char *swi_grid_cell(const struct swi_grid *grid, size_t row, size_t column);

#endif
