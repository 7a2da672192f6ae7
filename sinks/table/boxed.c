/* SPDX-License-Identifier: MIT */
#include "sinks/table/table.h"

#include "config.h"

#ifdef HAVE_SMARTCOLS
#include <libsmartcols.h>
#include <locale.h>
#include <stdlib.h>

/* Phase and action read from the left, numbers compare from the right. */
static bool columns_make(struct libscols_table *table, const struct grid *grid)
{
    for (size_t k = 0; k < grid->columns; k++)
        if (!scols_table_new_column(table, grid->column[k].title, 0, k < 2 ? 0 : SCOLS_FL_RIGHT))
            return false;
    return true;
}

static bool rows_make(struct libscols_table *table, const struct grid *grid)
{
    for (size_t i = 0; i < grid->rows; i++) {
        struct libscols_line *line = scols_table_new_line(table, NULL);
        for (size_t k = 0; k < grid->columns; k++)
            if (!line || scols_line_set_data(line, k, grid_cell(grid, i, k)) != 0)
                return false;
    }
    return true;
}

static void rule_add(struct text *text, const char *line, bool utf8)
{
    for (size_t i = text_width(line); i > 0; i--)
        text_add(text, utf8 ? "\u2500" : "-");
    text_add(text, "\n");
}

/* Between heading and rows, and between two phases: lines that libsmartcols does not draw by
 * itself. */
static void lines_add(struct text *text, const struct grid *grid, char *drawn, bool utf8)
{
    size_t row = 0;
    char *line, *rest = drawn;
    for (bool heading = true; (line = strsep(&rest, "\n")) && *line; heading = false) {
        bool phase = !heading && *grid_cell(grid, row, 0);
        if (phase)
            rule_add(text, line, utf8);
        text_add(text, line);
        text_add(text, "\n");
        row += !heading;
    }
}

/* libsmartcols measures text by the locale, which the program may have left at "C": cells are UTF-8
 * whatever it says. */
static char *draw(struct libscols_table *table)
{
    char *drawn = NULL;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    if (scols_print_table_to_string(table, &drawn) != 0)
        drawn = NULL;
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
    return drawn;
}

bool table_boxed(struct text *text, const struct grid *grid, bool utf8)
{
    char *drawn = NULL;
    struct libscols_table *table = scols_new_table();
    bool made = table && columns_make(table, grid) && rows_make(table, grid);
    if (made) {
        scols_table_enable_nowrap(table, 1);
        scols_table_set_column_separator(table, "  ");
        drawn = draw(table);
        made = drawn != NULL;
    }
    if (made)
        lines_add(text, grid, drawn, utf8);
    free(drawn);
    scols_unref_table(table);
    return made;
}
#else
bool table_boxed(struct text *text, const struct grid *grid, bool utf8)
{
    (void)text;
    (void)grid;
    (void)utf8;
    return false;
}
#endif
