/* SPDX-License-Identifier: MIT */
/* grid_json.h - the cells of a grid as JSON, for trackers that show tables. */
#ifndef SINKS_COMMON_GRID_JSON_H
#define SINKS_COMMON_GRID_JSON_H

#include "sinks/common/grid.h"

/* Returns whether a column has numbers in this form. Formatted and rounded values are text. */
bool swi_grid_is_number(const struct swi_grid *grid, enum swi_form form, size_t column);

/* Adds the headers as a JSON array of texts. */
void swi_grid_headers_json(struct swi_text *text, const struct swi_grid *grid);

/* Adds the rows as a JSON array of arrays. The names must not have been escaped. A number that is
 * missing or not finite is null. */
void swi_grid_rows_json(struct swi_text *text, const struct swi_grid *grid, enum swi_form form);

#endif
