/* SPDX-License-Identifier: MIT */
/* style.h - a table in the format of another profiler. */
#ifndef SINKS_FORMS_STYLE_H
#define SINKS_FORMS_STYLE_H

#include "sinks/common/grid.h"
#include "sinks/forms/form_options.h"
#include "sinks/forms/styled_rows.h"

struct swi_style {
    const char *name;
    const char *step_name;          /* name of the row of all steps */
    const struct sw_column *column; /* of struct swi_styled_row; the first is always shown */
    size_t columns;
    bool shapes; /* rows may be grouped by shape */
    /* Copies the columns that a report has. Returns how many. NULL: all. */
    size_t (*columns_of)(struct sw_column *to, const struct swi_style_totals *totals,
                         bool by_shape);
    int64_t limit; /* rows, if the option leaves it to the style; 0: all */
    const struct swi_notation *notation;
    /* Returns the key by which the rows are sorted, given the shown columns. NULL: in the order of
     * their first calls. */
    const char *(*sort)(const struct sw_column *column, size_t columns);
    void (*draw)(struct swi_text *text, const struct swi_grid *grid,
                 const struct swi_style_totals *totals, const struct swi_form_options *options);
};

/* Returns a style by its name; NULL for that of stepwatch itself. */
const struct swi_style *swi_style_find(const char *name);

#endif
