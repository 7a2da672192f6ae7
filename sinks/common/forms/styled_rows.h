/* SPDX-License-Identifier: MIT */
/* styled_rows.h - the rows of a report by name and shape only, for formats of profilers without
 * phases. */
#ifndef SINKS_COMMON_FORMS_STYLED_ROWS_H
#define SINKS_COMMON_FORMS_STYLED_ROWS_H

#include "sinks/common/lightning_stage.h"

#include <stepwatch/report.h>

#include <stdbool.h>

struct swi_styled_row {
    struct sw_report_row row;  /* action, its first phase, calls, mean_ns, total_ns, self_ns, … */
    double spans_ns;           /* the part of total_ns that spans took, which is in no self time */
    double self_percent;       /* share of the self times of all rows */
    double self_total_percent; /* total_ns without spans_ns, as a share of the same */
    double whole_percent;      /* total_ns as a share of the time since the run began */
    int64_t net, self_net;     /* bytes: of tensors or of `net`, and its part of its own */
    double flops;              /* own part of the counter `flops`, scaled; NAN: none */
    size_t next;               /* place + 1 of another shape of the action; 0: none */
    const char *stack;         /* of frames, joined by "; "; "": none */
    const char *const *frame;  /* the regions around, the innermost first */
    size_t frames;
};

/* Totals of all rows, including those that are not shown. */
struct swi_style_totals {
    double self_ns;
    int64_t calls;
    double whole_ns; /* since the run began */
    enum swi_stage stage;
    bool has_net;         /* the report counts them */
    int flops_scale;      /* 0 to 5: powers of 1000 of `flops`; -1: no row has any */
    size_t longest;       /* characters of the longest name */
    size_t longest_shape; /* of the longest shape */
    size_t longest_frame; /* of the longest region in a stack; 0: there are none */
};

/* Makes rows of the actions that have calls, in the order of their first calls. The row of the fit
 * is left out, because the totals represent it. step_name: the style's name of the row of steps.
 * Returns the rows, which the caller frees; NULL if out of memory. */
struct swi_styled_row *swi_styled_rows(const struct sw_report *report, const char *step_name,
                                       int64_t time_ns, size_t *count,
                                       struct swi_style_totals *totals);

/* Adds the row of a report to another row, or to a new one. mean_ns is the sum of all calls until
 * swi_styled_rows_finish(). */
void swi_styled_row_begin(struct swi_styled_row *to, const struct sw_report_row *from,
                          const char *step_name);
void swi_styled_row_add(struct swi_styled_row *to, const struct sw_report *report,
                        const struct sw_report_row *from);

/* Makes the totals and what follows from them, and sorts the rows by their first calls. */
void swi_styled_rows_finish(struct swi_styled_row *rows, size_t count,
                            const struct sw_report *report, int64_t time_ns,
                            struct swi_style_totals *totals);

#endif
