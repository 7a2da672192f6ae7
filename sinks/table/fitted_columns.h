/* SPDX-License-Identifier: MIT */
/* fitted_columns.h - the columns that a line has room for, under whole or brief headers. */
#ifndef SINKS_TABLE_FITTED_COLUMNS_H
#define SINKS_TABLE_FITTED_COLUMNS_H

#include "sinks/common/grid.h"

struct swi_fitted_columns {
    size_t count;
    size_t column[SWI_COLUMN_COUNT];
    bool brief;
};

/* width: characters of a line. */
void swi_fitted_columns_init(struct swi_fitted_columns *view, const struct swi_grid *grid,
                             size_t width);
const char *swi_fitted_columns_header(const struct swi_fitted_columns *view, size_t i);

/* Says which columns had no room; nothing where all are there. */
void swi_fitted_columns_missing(struct swi_text *text, const struct swi_fitted_columns *view,
                                const struct swi_grid *grid);

#endif
