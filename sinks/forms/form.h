/* SPDX-License-Identifier: MIT */
/* form.h - a report in the form that the options of a sink ask for: its rows sorted and limited,
 * its columns chosen, or the table of another profiler. */
#ifndef SINKS_FORMS_FORM_H
#define SINKS_FORMS_FORM_H

#include "sinks/forms/column_names.h"
#include "sinks/forms/style.h"

struct swi_form_of_report {
    struct sw_report report; /* its rows and columns are those to be shown; the rest is as it was */
    const struct swi_style *style; /* NULL: stepwatch's own */
    struct swi_style_totals totals;
    enum swi_columns columns; /* of `report`, for its grid */
    bool sorted;              /* rows of one phase may be apart */
    const char *time_unit;
    void *rows;               /* own memory, or NULL */
    struct sw_column *chosen; /* the same */
};

/* time_ns: of the record that brings the report. False if out of memory; swi_form_fini() is due in
 * any case. The report must stay as long as the form. */
bool swi_form_init(struct swi_form_of_report *form, const struct swi_form_options *options,
                   const struct sw_report *report, int64_t time_ns);
void swi_form_fini(struct swi_form_of_report *form);

/* The same for a report whose table no other profiler has: sorted, limited, with the columns that
 * it has of those that are chosen. */
bool swi_form_init_own(struct swi_form_of_report *form, const struct swi_form_options *options,
                       const struct sw_report *report);

/* The cells of it. */
bool swi_form_grid(struct swi_grid *grid, const struct swi_form_of_report *form, enum swi_form is,
                   swi_escape_fn *escape);

/* Adds the table of a style other than stepwatch's, as it is in its source to the character. */
void swi_form_draw(struct swi_text *text, const struct swi_form_of_report *form,
                   const struct swi_form_options *options);

/* Reports the names of columns that there are not. */
void swi_form_check(const struct swi_form_options *options, struct sw_sink_check *check);

#endif
