/* SPDX-License-Identifier: MIT */
/* With padding, the layout is that of the format "pipe" of the package tabulate. */
#include "sinks/common/markdown_report.h"
#include "core/text/escape.h"
#include "sinks/common/notes.h"

enum { PADDING = 2 }; /* added to a header's length to get its least width */
enum { RULE = 3 };    /* dashes below a header without padding */

static size_t width_of(const struct swi_grid *grid, size_t column)
{
    size_t header = swi_text_width(swi_grid_header(grid, column)) + PADDING;
    size_t cells = grid->column[column].width;
    return header > cells ? header : cells;
}

static void cell_add(struct swi_text *text, const struct swi_grid *grid, size_t column,
                     const char *cell, bool padded)
{
    size_t blanks = padded ? width_of(grid, column) - swi_text_width(cell) : 0;
    bool right = swi_grid_is_count(grid, column);
    swi_text_put(text, column ? " | " : "| ");
    swi_text_fill(text, ' ', right ? blanks : 0);
    swi_text_put(text, cell);
    swi_text_fill(text, ' ', right ? 0 : blanks);
}

static void head_add(struct swi_text *text, const struct swi_grid *grid, bool padded)
{
    for (size_t column = 0; column < grid->columns; column++)
        cell_add(text, grid, column, swi_grid_header(grid, column), padded);
    swi_text_put(text, " |\n");
    for (size_t column = 0; column < grid->columns; column++) {
        bool right = swi_grid_is_count(grid, column);
        swi_text_put(text, right ? "|" : "|:");
        swi_text_fill(text, '-', padded ? width_of(grid, column) + 1 : RULE);
        swi_text_put(text, right ? ":" : "");
    }
    swi_text_put(text, "|\n");
}

size_t swi_markdown_table(struct swi_text *text, const struct swi_grid *grid, bool padded,
                          size_t bytes)
{
    size_t row = 0;
    head_add(text, grid, padded);
    for (; row < grid->rows && text->size < bytes; row++) {
        for (size_t column = 0; column < grid->columns; column++)
            cell_add(text, grid, column, swi_grid_cell(grid, row, column), padded);
        swi_text_put(text, " |\n");
    }
    return row;
}

void swi_markdown_report(struct swi_text *text, const struct sw_report *report, enum swi_form form,
                         enum swi_columns columns)
{
    struct swi_grid grid;
    if (swi_grid_init(&grid, report, form, columns, swi_escape_markdown))
        swi_markdown_table(text, &grid, true, SIZE_MAX);
    else
        text->failed = true;
    swi_grid_fini(&grid);
}

/* A line right below a table would be read as one more row, so an empty line comes first. With
 * `accounting: false` there is none, because the text must be exactly that of fastxtend. */
void swi_markdown_notes(struct swi_text *text, const struct sw_report *report)
{
    struct swi_text notes = {0};
    swi_notes_dropped(&notes, report);
    swi_notes_accounting(&notes, report, swi_escape_markdown);
    if (notes.size && report->show_accounting)
        swi_text_put(text, "\n");
    swi_text_put(text, notes.size ? notes.data : "");
    text->failed |= notes.failed;
    swi_text_free(&notes);
}
