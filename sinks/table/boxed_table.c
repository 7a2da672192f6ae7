/* SPDX-License-Identifier: MIT */
/* boxed_table.c - a table drawn by libsmartcols. */
#include "sinks/table/table_sink.h"
#include "config.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_SMARTCOLS
#include <libsmartcols.h>
#include <locale.h>
#include <pthread.h>
#endif

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

/* ---- the box --------------------------------------------------------------------------------- */

#ifdef HAVE_SMARTCOLS

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

/* ---- columns by libsmartcols ----------------------------------------------------------------- */

/* Phase and action are aligned on the left, and numbers on the right. */
static bool columns_make(struct libscols_table *table, const struct swi_grid *grid,
                         const struct swi_fitted_columns *view)
{
    for (size_t i = 0; i < view->count; i++)
        if (!scols_table_new_column(table, fitted_columns_header(view, grid, i), 0,
                                    swi_grid_is_text(grid, view->column[i]) ? 0 : SCOLS_FL_RIGHT))
            return false;
    return true;
}

static bool rows_make(struct libscols_table *table, const struct swi_grid *grid,
                      const struct swi_fitted_columns *view)
{
    for (size_t row = 0; row < grid->rows; row++) {
        struct libscols_line *line = scols_table_new_line(table, NULL);
        for (size_t i = 0; i < view->count; i++)
            if (!line ||
                scols_line_set_data(line, i, swi_grid_cell(grid, row, view->column[i])) != 0)
                return false;
    }
    return true;
}

/* The table is as wide as its columns, even if the terminal is narrower, because a cut number is
 * worse than a long line. The cells contain only safe characters. */
static bool table_make(struct libscols_table *table, const struct swi_grid *grid,
                       const struct swi_fitted_columns *view, const char *bar)
{
    char separator[8];
    snprintf(separator, sizeof separator, " %s ", bar);
    return columns_make(table, grid, view) && rows_make(table, grid, view) &&
           scols_table_enable_nowrap(table, 1) == 0 &&
           scols_table_enable_noencoding(table, 1) == 0 &&
           scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER) == 0 &&
           scols_table_set_column_separator(table, separator) == 0;
}

/* Header and rows as lines; NULL if out of memory. */
static char *lines_make(const struct swi_grid *grid, const struct swi_fitted_columns *view,
                        const char *bar)
{
    char *lines = NULL;
    struct libscols_table *table = scols_new_table();
    if (table && table_make(table, grid, view, bar) &&
        scols_print_table_to_string(table, &lines) != 0)
        lines = NULL;
    scols_unref_table(table);
    return lines;
}

/* libsmartcols measures characters by the locale. A program that never set one has the 7-bit "C"
 * locale, in which it would print the bytes of each µ in hexadecimal. All tables of a process share
 * this one. It is never freed: the C library fills it in when a thread first uses it, with a lock
 * that ThreadSanitizer does not see. */
static locale_t utf8_locale;

static void utf8_locale_make(void)
{
    utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static char *lines_make_utf8(const struct swi_grid *grid, const struct swi_fitted_columns *view,
                             const char *bar)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, utf8_locale_make);
    if (!utf8_locale)
        return NULL;
    locale_t before = uselocale(utf8_locale);
    char *lines = lines_make(grid, view, bar);
    uselocale(before);
    return lines;
}

/* ---- the box around them --------------------------------------------------------------------- */

/* A rule as wide as the header, with a crossing below each of its bars. */
static void rule_add(struct swi_text *text, const char *header, const struct strokes *strokes,
                     const char *const end[3])
{
    size_t bar = strlen(strokes->bar);
    swi_text_format(text, "%s%s", end[0], strokes->dash);
    while (*header) {
        bool crossing = strncmp(header, strokes->bar, bar) == 0;
        swi_text_put(text, crossing ? end[1] : strokes->dash);
        header += crossing ? bar : 1;
    }
    swi_text_format(text, "%s%s\n", strokes->dash, end[2]);
}

static void line_add(struct swi_text *text, const char *line, const struct strokes *strokes,
                     bool bold)
{
    swi_text_format(text, "%s %s%s%s %s\n", strokes->bar, bold ? "\033[1m" : "", line,
                    bold ? "\033[0m" : "", strokes->bar);
}

static void box_add(struct swi_text *text, const struct swi_grid *grid, char *lines,
                    const struct strokes *strokes, bool colour)
{
    char *header = strsep(&lines, "\n");
    rule_add(text, header, strokes, strokes->top);
    line_add(text, header, strokes, colour);
    for (size_t row = 0; row < grid->rows && lines; row++) {
        bool phase = *swi_grid_cell(grid, row, 0) != '\0';
        if (phase && (row == 0 || !grid->sorted))
            rule_add(text, header, strokes, strokes->middle);
        line_add(text, strsep(&lines, "\n"), strokes, false);
    }
    rule_add(text, header, strokes, strokes->bottom);
}

bool swi_boxed_table(struct swi_text *text, const struct swi_grid *grid,
                     const struct swi_fitted_columns *view, bool utf8, bool colour)
{
    const struct strokes *strokes = utf8 ? &drawn : &typed;
    char *lines = lines_make_utf8(grid, view, strokes->bar);
    if (lines)
        box_add(text, grid, lines, strokes, colour);
    free(lines);
    return lines != NULL;
}
#else
bool swi_boxed_table(struct swi_text *text, const struct swi_grid *grid,
                     const struct swi_fitted_columns *view, bool utf8, bool colour)
{
    (void)text;
    (void)grid;
    (void)view;
    (void)utf8;
    (void)colour;
    return false;
}
#endif
