/* SPDX-License-Identifier: MIT */
#include "sinks/table/fitted_columns.h"

/* What stands above a column where the whole header has no room. */
static const char *const brief[SWI_COLUMN_COUNT] = {
    "Phase",     "Action", "Mean", "Std Dev", "Calls", "Samples/s", "Total", "Share",
    "Unrounded", "Self",   "Min",  "Max",     "P50",   "P95",       "P99",   "Overall",
};

/* What a reader misses least comes first; the rest stays in any case. */
static const size_t spare[] = {3, 4, 6};
enum { SPARE = sizeof spare / sizeof *spare, STANDARD = 8 };

const char *swi_fitted_columns_header(const struct swi_fitted_columns *view, size_t i)
{
    return view->brief ? brief[view->column[i]] : swi_grid_header(view->column[i]);
}

/* Of a line: a bar with a blank on each side between the columns, and half of that at both ends. */
static size_t width_of(const struct swi_fitted_columns *view, const struct swi_grid *grid)
{
    size_t width = 3 * view->count + 1;
    for (size_t i = 0; i < view->count; i++) {
        size_t header = swi_text_width(swi_fitted_columns_header(view, i));
        size_t cells = grid->width[view->column[i]];
        width += header > cells ? header : cells;
    }
    return width;
}

static void leave_out(struct swi_fitted_columns *view, size_t column)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->count; i++)
        if (view->column[i] != column)
            view->column[kept++] = view->column[i];
    view->count = kept;
}

void swi_fitted_columns_init(struct swi_fitted_columns *view, const struct swi_grid *grid,
                             size_t width)
{
    *view = (struct swi_fitted_columns){.count = grid->columns};
    for (size_t i = 0; i < grid->columns; i++)
        view->column[i] = i;
    view->brief = width_of(view, grid) > width;
    /* Who asks for all columns gets them, in lines as long as that takes. */
    for (size_t i = 0; i < SPARE && grid->columns == STANDARD; i++)
        if (width_of(view, grid) > width)
            leave_out(view, spare[i]);
}

void swi_fitted_columns_missing(struct swi_text *text, const struct swi_fitted_columns *view,
                                const struct swi_grid *grid)
{
    for (size_t i = 0; i < SPARE && i < grid->columns - view->count; i++)
        swi_text_format(text, "%s%s",
                        i ? ", " : "For a wider terminal or a file: ", swi_grid_header(spare[i]));
    swi_text_put(text, view->count < grid->columns ? ".\n" : "");
}
