/* SPDX-License-Identifier: MIT */
/* stacked_rows.h - the rows of a report by name and stack. */
#ifndef SINKS_COMMON_FORMS_STACKED_ROWS_H
#define SINKS_COMMON_FORMS_STACKED_ROWS_H

#include "core/text/buffer.h"
#include "sinks/common/forms/path_table.h"
#include "sinks/common/forms/styled_rows.h"

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

#endif
