/* SPDX-License-Identifier: MIT */
/* style.h - a table in the format of another profiler. */
#ifndef SINKS_COMMON_FORMS_STYLE_H
#define SINKS_COMMON_FORMS_STYLE_H

#include "sinks/common/grid.h"
#include "sinks/common/lightning_stage.h"
#include "sinks/common/option_rows.h"

#include <stepwatch/report.h>
#include <stepwatch/sink.h>

#include <stdbool.h>

/* ---- rows by name and shape only, for formats of profilers without phases -------------------- */

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

/* Adds the row of a report to another row, or to a new one. mean_ns is made by
 * swi_styled_rows_finish(). */
void swi_styled_row_begin(struct swi_styled_row *to, const struct sw_report_row *from,
                          const char *step_name);
void swi_styled_row_add(struct swi_styled_row *to, const struct sw_report *report,
                        const struct sw_report_row *from);

/* Makes the totals and what follows from them, and sorts the rows by their first calls. */
void swi_styled_rows_finish(struct swi_styled_row *rows, size_t count,
                            const struct sw_report *report, int64_t time_ns,
                            struct swi_style_totals *totals);

/* ---- the options of sinks that show a report as a table -------------------------------------- */

/* The state of a sink has this as its field `form`. */
struct swi_form_options {
    const char *style;
    const char *sort;           /* "" for that of the style */
    int64_t limit;              /* rows; 0 for that of the style; -1 for all */
    const char *const *columns; /* names, standard, or all */
    int64_t name_width, shapes_width, source_width;
    const char *time_unit;
    const char *group_by;
    int64_t stack_depth; /* regions of a stack, with group_by: stack */
    bool top_level;      /* only actions whose first call is in no other region than fit */
    const char *header;  /* of the sink table, above the table of torch; NULL or "": none */
    bool for_programs;   /* not an option: standard columns include counters */
};

enum { SWI_LIMIT_MAX = 1000000, SWI_STACK_MAX = 1000 };

/* The entries in the sink's table of options. */
#define SWI_FORM_OPTIONS(state)                                                                    \
    SWI_OPTION_NAMED("columns", LIST, state, form.columns,                                         \
                     "standard, all, or names of columns, such as [standard, p99]; all adds "      \
                     "unrounded samples/second, self time, min, max, the percentiles 50, 95 and "  \
                     "99, and overall samples/second",                                             \
                     .fallback = "standard"),                                                      \
        SWI_OPTION_NAMED("style", CHOICE, state, form.style,                                       \
                         "stepwatch: the table of stepwatch; torch: the table of torch.profiler; " \
                         "lightning, hannah: the table of their simple profiler",                  \
                         .fallback = "stepwatch", .choices = "stepwatch|torch|lightning|hannah"),  \
        SWI_OPTION_NAMED("sort", STRING, state, form.sort,                                         \
                         "column by which to sort the rows, largest value first, such as p99, "    \
                         "mean or self_cpu_time_total (default: the usual order of the style)",    \
                         .fallback = ""),                                                          \
        SWI_OPTION_NAMED(                                                                          \
            "limit", INT, state, form.limit,                                                       \
            "number of rows to show; -1: all; 0: 100 in the style torch, all in the other styles", \
            .fallback = "0", .min = -1, .max = SWI_LIMIT_MAX, .unit = "rows"),                     \
        SWI_OPTION_NAMED("name_width", INT, state, form.name_width,                                \
                         "in the style torch, longer names are cut to this length",                \
                         .fallback = "55", .min = 4, .max = 10000, .unit = "characters"),          \
        SWI_OPTION_NAMED("shapes_width", INT, state, form.shapes_width,                            \
                         "in the style torch, longer shapes are cut to this length",               \
                         .fallback = "80", .min = 4, .max = 10000, .unit = "characters"),          \
        SWI_OPTION_NAMED("source_width", INT, state, form.source_width,                            \
                         "in the style torch, longer regions of a stack are cut to this length: "  \
                         "their end is kept",                                                      \
                         .fallback = "75", .min = 4, .max = 10000, .unit = "characters"),          \
        SWI_OPTION_NAMED("time_unit", CHOICE, state, form.time_unit,                               \
                         "unit of all times in the style torch; auto: chosen for each time",       \
                         .fallback = "auto", .choices = "auto|s|ms|us"),                           \
        SWI_OPTION_NAMED("group_by", CHOICE, state, form.group_by,                                 \
                         "action: one row for each action; shape: one row for each shape of an "   \
                         "action's input, with a column of the shapes (not in the styles "         \
                         "lightning and hannah); stack: in the style torch, one row for each "     \
                         "stack of regions around an action, with the column Source Location",     \
                         .fallback = "action", .choices = "action|shape|stack"),                   \
        SWI_OPTION_NAMED("stack_depth", INT, state, form.stack_depth,                              \
                         "with group_by: stack, how many of the innermost regions make up a "      \
                         "stack; 0: no stacks, so one row for each action",                        \
                         .fallback = "5", .min = 0, .max = SWI_STACK_MAX, .unit = "regions"),      \
        SWI_OPTION_NAMED("top_level", BOOL, state, form.top_level,                                 \
                         "in the style torch, show only rows whose first call was in no other "    \
                         "region than fit",                                                        \
                         .fallback = "false")

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
    /* Returns the key by which the rows are sorted, given the shown columns. NULL: they are in the
     * order of their first calls. */
    const char *(*sort)(const struct sw_column *column, size_t columns);
    /* report: with the rows of the grid, which are struct swi_styled_row. */
    void (*draw)(struct swi_text *text, const struct swi_grid *grid, const struct sw_report *report,
                 const struct swi_style_totals *totals, const struct swi_form_options *options);
};

/* Returns a style by its name; NULL for that of stepwatch itself. */
const struct swi_style *swi_style_find(const char *name);

extern const struct swi_style swi_style_torch;

#endif
