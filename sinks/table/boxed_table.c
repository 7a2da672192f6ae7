/* SPDX-License-Identifier: MIT */
/* boxed_table.c - a table in a box. */
#include "core/text/characters.h"
#include "sinks/table/table_sink.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* ---- the columns that a line has room for ---------------------------------------------------- */

/* The columns that readers need least come first. All others always stay. */
static const char *const spare[] = {"std_ns", "calls", "total_ns"};
enum { SPARE = sizeof spare / sizeof *spare };

static const char *fitted_columns_header(const struct swi_fitted_columns *view,
                                         const struct swi_grid *grid, size_t i)
{
    const struct swi_grid_column *column = &grid->column[view->column[i]];
    return view->brief && !column->header ? column->is->brief
                                          : swi_grid_header(grid, view->column[i]);
}

/* The width of a line: between columns, a bar with a blank on each side, and half of that at both
 * ends. */
static size_t width_of(const struct swi_fitted_columns *view, const struct swi_grid *grid)
{
    size_t width = 3 * view->count + 1;
    for (size_t i = 0; i < view->count; i++) {
        size_t header = swi_text_width(fitted_columns_header(view, grid, i));
        size_t cells = grid->column[view->column[i]].width;
        width += header > cells ? header : cells;
    }
    return width;
}

static bool has_key(const struct swi_grid *grid, size_t column, const char *key)
{
    return strcmp(grid->column[column].is->key, key) == 0;
}

static void leave_out(struct swi_fitted_columns *view, const struct swi_grid *grid, const char *key)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->count; i++)
        if (!has_key(grid, view->column[i], key))
            view->column[kept++] = view->column[i];
    view->count = kept;
}

bool swi_fitted_columns_init(struct swi_fitted_columns *view, const struct swi_grid *grid,
                             enum swi_columns chosen, size_t width)
{
    *view = (struct swi_fitted_columns){.column = calloc(grid->columns + 1, sizeof *view->column)};
    if (!view->column)
        return false;
    for (size_t i = 0; i < grid->columns; i++)
        view->column[view->count++] = i;
    view->brief = width_of(view, grid) > width;
    /* A user who asks for all columns gets them, however long the lines. */
    for (size_t i = 0; i < SPARE && chosen == SWI_COLUMNS_STANDARD; i++)
        if (width_of(view, grid) > width)
            leave_out(view, grid, spare[i]);
    return true;
}

void swi_fitted_columns_fini(struct swi_fitted_columns *view)
{
    free(view->column);
    *view = (struct swi_fitted_columns){0};
}

/* Returns the index of the grid's column with this key; the number of columns if there is none. */
static size_t place_of(const struct swi_grid *grid, const char *key)
{
    size_t i = 0;
    while (i < grid->columns && !has_key(grid, i, key))
        i++;
    return i;
}

static bool is_missing(const struct swi_fitted_columns *view, const struct swi_grid *grid,
                       size_t place)
{
    for (size_t i = 0; i < view->count; i++)
        if (view->column[i] == place)
            return false;
    return place < grid->columns;
}

void swi_fitted_columns_missing(struct swi_text *text, const struct swi_fitted_columns *view,
                                const struct swi_grid *grid)
{
    const char *before = "For a wider terminal or a file: ";
    for (size_t i = 0; i < SPARE; i++) {
        size_t place = place_of(grid, spare[i]);
        if (!is_missing(view, grid, place))
            continue;
        swi_text_format(text, "%s%s", before, swi_grid_header(grid, place));
        before = ", ";
    }
    swi_text_put(text, view->count < grid->columns ? ".\n" : "");
}

/* ---- the width of characters ----------------------------------------------------------------- */

/* wcwidth() goes by the locale. A program that never set one has the 7-bit "C" locale, which knows
 * no wide characters. All tables of a process share this one. It is never freed: the C library
 * fills it in when a thread first uses it, with a lock that ThreadSanitizer does not see. */
static locale_t utf8_locale;

static void utf8_locale_make(void)
{
    utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* The columns of the terminal that a text takes. A character that the locale does not know takes
 * one. */
static size_t shown_width(const char *text)
{
    size_t width = 0, size = strlen(text), length;
    uint32_t code;
    for (; (length = swi_utf8_next(text, size, &code)) > 0; text += length, size -= length) {
        int columns = wcwidth((wchar_t)code);
        width += columns < 0 ? 1 : (size_t)columns;
    }
    return width;
}

/* ---- the box --------------------------------------------------------------------------------- */

/* Strokes of a box. */
struct strokes {
    const char *bar;
    const char *dash;
    const char *top[3]; /* left, where a column ends, right */
    const char *middle[3];
    const char *bottom[3];
};

static const struct strokes drawn = {
    "│", "─", {"┌", "┬", "┐"}, {"├", "┼", "┤"}, {"└", "┴", "┘"},
};
static const struct strokes typed = {"|", "-", {"+", "+", "+"}, {"+", "+", "+"}, {"+", "+", "+"}};

struct box {
    struct swi_text *text;
    const struct swi_grid *grid;
    const struct swi_fitted_columns *view;
    const struct strokes *strokes;
    size_t *width; /* of each column that is shown */
};

enum { HEADER = -1 };

static const char *cell_of(const struct box *box, ptrdiff_t row, size_t i)
{
    return row == HEADER ? fitted_columns_header(box->view, box->grid, i)
                         : swi_grid_cell(box->grid, (size_t)row, box->view->column[i]);
}

/* The table is as wide as its columns, even if the terminal is narrower, because a cut number is
 * worse than a long line. */
static void widths_find(const struct box *box)
{
    for (size_t i = 0; i < box->view->count; i++)
        for (ptrdiff_t row = HEADER; row < (ptrdiff_t)box->grid->rows; row++) {
            size_t width = shown_width(cell_of(box, row, i));
            box->width[i] = width > box->width[i] ? width : box->width[i];
        }
}

static void rule_add(const struct box *box, const char *const end[3])
{
    for (size_t i = 0; i < box->view->count; i++) {
        swi_text_put(box->text, end[i > 0]);
        for (size_t n = 0; n < box->width[i] + 2; n++)
            swi_text_put(box->text, box->strokes->dash);
    }
    swi_text_format(box->text, "%s\n", end[2]);
}

/* Phase and action are aligned on the left, and numbers on the right. */
static void line_add(const struct box *box, ptrdiff_t row, bool bold)
{
    swi_text_format(box->text, "%s %s", box->strokes->bar, bold ? "\033[1m" : "");
    for (size_t i = 0; i < box->view->count; i++) {
        const char *cell = cell_of(box, row, i);
        bool left = swi_grid_is_text(box->grid, box->view->column[i]);
        size_t blanks = box->width[i] - shown_width(cell);
        if (i > 0)
            swi_text_format(box->text, " %s ", box->strokes->bar);
        swi_text_fill(box->text, ' ', left ? 0 : blanks);
        swi_text_put(box->text, cell);
        swi_text_fill(box->text, ' ', left ? blanks : 0);
    }
    swi_text_format(box->text, "%s %s\n", bold ? "\033[0m" : "", box->strokes->bar);
}

static void box_draw(const struct box *box, bool colour)
{
    const struct swi_grid *grid = box->grid;
    widths_find(box);
    rule_add(box, box->strokes->top);
    line_add(box, HEADER, colour);
    for (size_t row = 0; row < grid->rows; row++) {
        bool phase = *swi_grid_cell(grid, row, 0) != '\0';
        if (phase && (row == 0 || !grid->sorted))
            rule_add(box, box->strokes->middle);
        line_add(box, (ptrdiff_t)row, false);
    }
    rule_add(box, box->strokes->bottom);
}

bool swi_boxed_table(struct swi_text *text, const struct swi_grid *grid,
                     const struct swi_fitted_columns *view, bool utf8, bool colour)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, utf8_locale_make);
    struct box box = {text, grid, view, utf8 ? &drawn : &typed,
                      calloc(view->count + 1, sizeof *box.width)};
    if (!box.width)
        return false;
    locale_t before = utf8_locale ? uselocale(utf8_locale) : (locale_t)0;
    box_draw(&box, colour);
    if (before)
        uselocale(before);
    free(box.width);
    return true;
}
