/* SPDX-License-Identifier: MIT */
/* form.h - shows a report as the options of a sink ask for: its rows sorted and limited, its
 * columns chosen, or as the table of another profiler. */
#ifndef SINKS_COMMON_FORMS_FORM_H
#define SINKS_COMMON_FORMS_FORM_H

#include "core/text/buffer.h"
#include "sinks/common/forms/call_paths.h"
#include "sinks/common/forms/style.h"

#include <stepwatch/report.h>

#include <stdbool.h>

/* ---- rows by name and stack ------------------------------------------------------------------ */

/* What the rows borrow. Initialise it as {0}. */
struct swi_stack_texts {
    const char **frame;
    struct swi_text joined;
};

/* Makes rows like swi_styled_rows(), one for each action and the `depth` innermost regions around
 * it. Regions that are named like a place in the source, "train.c(42): forward", are only in
 * stacks. Spans have no stack. `table` must stay valid as long as the rows; free them and what
 * `texts` has in any case. */
struct swi_styled_row *swi_stacked_rows(const struct sw_report *report,
                                        const struct swi_path_table *table, size_t depth,
                                        const char *step_name, int64_t time_ns, size_t *count,
                                        struct swi_style_totals *totals,
                                        struct swi_stack_texts *texts);

void swi_stack_texts_fini(struct swi_stack_texts *texts);

/* ---- columns as users name them -------------------------------------------------------------- */

/* Any table of columns: those of a report, or of a style. */
struct swi_columns_known {
    const struct sw_column *column;
    size_t count, size; /* size: distance of two in bytes */
};

const struct sw_column *swi_columns_at(const struct swi_columns_known *known, size_t i);

/* The column that a user calls so: by its key, with or without its unit, or by its header, whole or
 * brief. Case does not matter, and blanks, dashes and underscores are the same. NULL: none. */
const struct sw_column *swi_columns_find(const struct swi_columns_known *known, const char *name);

/* Returns whether a column belongs to the counter of this name, or to the group `memory` or `cpu`.
 */
bool swi_column_is_of(const struct sw_column *column, const char *name);

/* Adds the shortest name of each column: "phase, action, mean, …". The name nearest to a misspelt
 * one comes first, as a question. */
void swi_columns_list(struct swi_text *text, const struct swi_columns_known *known,
                      const char *misspelt);

/* ---- the form of a report -------------------------------------------------------------------- */

struct swi_form_of_report {
    struct sw_report report;       /* a copy with the rows and columns to be shown */
    const struct swi_style *style; /* NULL: stepwatch's own */
    struct swi_style_totals totals;
    enum swi_columns columns; /* of `report`, for its grid */
    enum swi_group by;        /* what has a row of its own */
    bool sorted;              /* rows of one phase may have others between them */
    const char *time_unit;
    void *rows; /* own memory, or NULL */
    struct swi_stack_texts stacks;
    struct sw_column *styled; /* columns of the style; NULL: all that it has */
    struct sw_column *chosen; /* the same */
};

/* Returns the kinds of records from which stacks and top_level follow: none, if the options ask for
 * neither. */
uint32_t swi_form_wants(const struct swi_form_options *options);

/* Makes the form of a report, which must stay valid as long as the form, and so must `paths`, which
 * took the records of swi_form_wants(). time_ns: of the record that has the report. Returns false
 * if out of memory. Call swi_form_fini() in any case. */
bool swi_form_init(struct swi_form_of_report *form, const struct swi_form_options *options,
                   const struct sw_report *report, const struct swi_call_paths *paths,
                   int64_t time_ns);
void swi_form_fini(struct swi_form_of_report *form);

/* Like swi_form_init(), but for a report that no other profiler has, so the style is stepwatch's.
 * Chosen columns that the report does not have are left out. */
bool swi_form_init_own(struct swi_form_of_report *form, const struct swi_form_options *options,
                       const struct sw_report *report);

/* Makes the cells of a form. */
bool swi_form_grid(struct swi_grid *grid, const struct swi_form_of_report *form, enum swi_form is,
                   swi_escape_fn *escape);

/* Adds the table of another profiler's style, exactly as that profiler prints it. */
void swi_form_draw(struct swi_text *text, const struct swi_form_of_report *form,
                   const struct swi_form_options *options);

/* Reports names of columns that do not exist. */
void swi_form_check(const struct swi_form_options *options, struct sw_sink_check *check);

#endif
