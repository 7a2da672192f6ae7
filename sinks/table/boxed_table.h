/* SPDX-License-Identifier: MIT */
/* boxed_table.h - a table drawn by libsmartcols. */
#ifndef SINKS_TABLE_BOXED_TABLE_H
#define SINKS_TABLE_BOXED_TABLE_H

#include "sinks/table/fitted_columns.h"

/* Drawn by libsmartcols. False if it cannot be; then the text is as it was. */
bool swi_boxed_table(struct swi_text *text, const struct swi_grid *grid,
                     const struct swi_fitted_columns *view, bool utf8, bool colour);

#endif
