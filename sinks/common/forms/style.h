/* SPDX-License-Identifier: MIT */
/* style.h - a table in the format of another profiler. */
#ifndef SINKS_COMMON_FORMS_STYLE_H
#define SINKS_COMMON_FORMS_STYLE_H

#include "sinks/common/grid.h"
#include "sinks/common/forms/form_options.h"
#include "sinks/common/forms/styled_rows.h"

/* What has a row of its own. */
enum swi_group { SWI_BY_ACTION, SWI_BY_SHAPE, SWI_BY_STACK };

struct swi_style {
    const char *name;
    const char *step_name;          /* name of the row of all steps */
    const struct sw_column *column; /* of struct swi_styled_row; the first is always shown */
    size_t columns;
    bool shapes; /* rows may be grouped by shape */
    bool stacks; /* and by stack */
    /* Copies the columns that a report has. Returns how many. NULL: all. */
    size_t (*columns_of)(struct sw_column *to, const struct swi_style_totals *totals,
                         enum swi_group by);
    int64_t limit; /* rows, if the option leaves it to the style; 0: all */
    const struct swi_notation *notation;
    /* Returns the key by which the rows are sorted, given the shown columns. NULL: in the order of
     * their first calls. */
    const char *(*sort)(const struct sw_column *column, size_t columns);
    /* report: with the rows of the grid, which are struct swi_styled_row. */
    void (*draw)(struct swi_text *text, const struct swi_grid *grid, const struct sw_report *report,
                 const struct swi_style_totals *totals, const struct swi_form_options *options);
};

/* Returns a style by its name; NULL for that of stepwatch itself. */
const struct swi_style *swi_style_find(const char *name);

#endif
