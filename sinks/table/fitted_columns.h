/* SPDX-License-Identifier: MIT */
/* fitted_columns.h - the columns that a line has room for, under whole or brief headers. */
#ifndef SINKS_TABLE_FITTED_COLUMNS_H
#define SINKS_TABLE_FITTED_COLUMNS_H

#include "sinks/common/grid.h"

struct swi_fitted_columns {
    size_t count;
    size_t *column; /* of the grid */
    bool brief;
};

/* width: characters of a line. False if out of memory; swi_fitted_columns_fini() is due in any
 * case. */
bool swi_fitted_columns_init(struct swi_fitted_columns *view, const struct swi_grid *grid,
                             enum swi_columns chosen, size_t width);
void swi_fitted_columns_fini(struct swi_fitted_columns *view);
const char *swi_fitted_columns_header(const struct swi_fitted_columns *view,
                                      const struct swi_grid *grid, size_t i);

/* Says which columns had no room; nothing where all are there. */
void swi_fitted_columns_missing(struct swi_text *text, const struct swi_fitted_columns *view,
                                const struct swi_grid *grid);

#endif
