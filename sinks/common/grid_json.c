/* SPDX-License-Identifier: MIT */
#include "sinks/common/grid_json.h"

#include <string.h>

bool swi_grid_is_number(const struct swi_grid *grid, enum swi_form form, size_t column)
{
    const struct sw_column *is = grid->column[column].is;
    if (form == SWI_FORMATTED)
        return is->kind == SW_COLUMN_COUNT;
    return is->kind != SW_COLUMN_TEXT && !(is->flags & SW_COLUMN_ROUNDED);
}

static void cell_add(struct swi_text *text, const char *cell, bool number)
{
    if (!number)
        swi_escape_json(text, cell);
    else if (strspn(cell, "0123456789.eE+-") == strlen(cell) && strpbrk(cell, "0123456789"))
        swi_text_put(text, cell);
    else
        swi_text_put(text, "null");
}

void swi_grid_headers_json(struct swi_text *text, const struct swi_grid *grid)
{
    swi_text_put(text, "[");
    for (size_t c = 0; c < grid->columns; c++) {
        swi_text_put(text, c ? "," : "");
        swi_escape_json(text, swi_grid_header(grid, c));
    }
    swi_text_put(text, "]");
}

void swi_grid_rows_json(struct swi_text *text, const struct swi_grid *grid, enum swi_form form)
{
    swi_text_put(text, "[");
    for (size_t r = 0; r < grid->rows; r++) {
        swi_text_put(text, r ? ",[" : "[");
        for (size_t c = 0; c < grid->columns; c++) {
            swi_text_put(text, c ? "," : "");
            cell_add(text, swi_grid_cell(grid, r, c), swi_grid_is_number(grid, form, c));
        }
        swi_text_put(text, "]");
    }
    swi_text_put(text, "]");
}
