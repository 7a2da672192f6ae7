/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/form.h"
#include "core/text/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_only(const char *const *names, const char *name)
{
    return !names || !names[0] || (strcmp(names[0], name) == 0 && !names[1]);
}

static bool is_group(const char *name)
{
    return strcmp(name, "standard") == 0 || strcmp(name, "all") == 0;
}

static const struct sw_column shape_column = {"shape",
                                              "Input Shapes",
                                              "Shapes",
                                              "",
                                              SW_COLUMN_TEXT,
                                              SW_COLUMN_STANDARD,
                                              offsetof(struct sw_report_row, shape)};

struct choosing {
    struct swi_columns_known known;
    bool styled;
    enum swi_group by;
    uint32_t standard; /* flags of the standard columns */
    struct sw_column *chosen;
    size_t count;
};

static bool is_chosen(const struct choosing *c, const struct sw_column *column)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->chosen[i].header, column->header) == 0)
            return true;
    return false;
}

static void choose(struct choosing *c, const struct sw_column *column)
{
    if (column && sw_column_is_known(column) && !is_chosen(c, column))
        memcpy(&c->chosen[c->count++], column, sizeof *column);
}

/* Chooses the standard columns, or all. All columns of a style are standard. */
static void group_choose(struct choosing *c, bool all)
{
    for (size_t i = 0; i < c->known.count; i++) {
        const struct sw_column *column = swi_columns_at(&c->known, i);
        if (all || c->styled || column->flags & c->standard)
            choose(c, column);
    }
}

/* Finds the two columns of a counter, the total and the own part. Returns false if no counter has
 * this name. */
static bool counter_choose(struct choosing *c, const char *name)
{
    bool any = false;
    for (size_t i = 0; i < c->known.count; i++) {
        const struct sw_column *column = swi_columns_at(&c->known, i);
        if (!swi_column_is_of(column, name))
            continue;
        choose(c, column);
        any = true;
    }
    return any;
}

/* A row is nothing without its name: that is the first column, and a phase has one more. */
static void names_choose(struct choosing *c, const char *const *names)
{
    choose(c, swi_columns_at(&c->known, 0));
    if (!c->styled)
        choose(c, swi_columns_at(&c->known, 1));
    if (c->by == SWI_BY_STACK)
        choose(c, swi_columns_find(&c->known, "source_location"));
    if (c->by == SWI_BY_SHAPE)
        choose(c, c->styled ? swi_columns_find(&c->known, "input_shapes") : &shape_column);
    if (is_only(names, "standard"))
        group_choose(c, false);
    for (; names && *names; names++)
        if (is_group(*names))
            group_choose(c, strcmp(*names, "all") == 0);
        else if (!counter_choose(c, *names))
            choose(c, swi_columns_find(&c->known, *names));
}

static bool columns_choose(struct swi_form_of_report *form, const struct swi_form_options *options)
{
    struct sw_report *report = &form->report;
    struct choosing c = {{report->column, report->column_count, report->column_size},
                         .styled = form->style != NULL,
                         .by = form->by,
                         .standard = SW_COLUMN_STANDARD |
                                     (options->for_programs ? SW_COLUMN_OF_COUNTER : 0)};
    bool more = form->by == SWI_BY_SHAPE && !form->style;
    form->columns = SWI_COLUMNS_ALL;
    if (!more && is_only(options->columns, "all"))
        return true;
    if (!more && is_only(options->columns, "standard")) {
        form->columns = form->style ? SWI_COLUMNS_ALL : SWI_COLUMNS_STANDARD;
        return true;
    }
    form->chosen = c.chosen = calloc(c.known.count + 2, sizeof *c.chosen);
    if (!c.chosen)
        return false;
    names_choose(&c, options->columns);
    report->column = c.chosen;
    report->column_count = c.count;
    report->column_size = sizeof *c.chosen;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct ranked {
    const struct sw_report_row *row;
    const char *text;
    double value;
    size_t place;
};

static int by_value(const struct ranked *x, const struct ranked *y)
{
    if (isnan(x->value) || isnan(y->value))
        return isnan(x->value) - isnan(y->value);
    return (x->value < y->value) - (x->value > y->value);
}

/* Sorts numbers from the largest and names from a to z. Equal rows stay in order. */
static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int order = x->text && y->text ? strcmp(x->text, y->text) : by_value(x, y);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static struct ranked rank_of(const struct sw_report *report, const struct sw_column *column,
                             size_t i)
{
    const struct sw_report_row *row = sw_report_row(report, i);
    struct ranked ranked = {.row = row, .place = i};
    ranked.text = column ? sw_column_text(column, row) : NULL;
    ranked.value = column ? sw_column_number(column, row) : 0;
    return ranked;
}

static bool rows_arrange(struct swi_form_of_report *form, const struct sw_column *column,
                         size_t limit)
{
    struct sw_report *report = &form->report;
    size_t count = report->count, shown = count < limit ? count : limit;
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    char *rows = calloc(shown + 1, report->row_size);
    for (size_t i = 0; ranked && i < count; i++)
        ranked[i] = rank_of(report, column, i);
    if (ranked && column)
        qsort(ranked, count, sizeof *ranked, by_rank);
    for (size_t i = 0; ranked && rows && i < shown; i++)
        memcpy(rows + i * report->row_size, ranked[i].row, report->row_size);
    bool fine = ranked && rows;
    free(ranked);
    free(form->rows);
    form->rows = rows;
    report->row = (const struct sw_report_row *)rows;
    report->count = fine ? shown : 0;
    return fine;
}

/* Returns the column by which the user, or else the style, sorts; NULL if the rows are not sorted.
 */
static const struct sw_column *sort_column(const struct swi_form_of_report *form,
                                           const struct swi_form_options *options,
                                           const struct swi_columns_known *known)
{
    const struct sw_report *shown = &form->report;
    if (*options->sort)
        return swi_columns_find(known, options->sort);
    if (!form->style || !form->style->sort)
        return NULL;
    return swi_columns_find(known, form->style->sort(shown->column, shown->column_count));
}

static size_t limit_of(const struct swi_form_of_report *form,
                       const struct swi_form_options *options)
{
    int64_t limit = options->limit;
    if (limit == 0 && form->style)
        limit = form->style->limit;
    return limit > 0 ? (size_t)limit : SIZE_MAX;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The style decides which of its columns this report has. */
static bool style_columns(struct swi_form_of_report *form, struct sw_report *report)
{
    form->styled = calloc(form->style->columns, sizeof *form->styled);
    if (!form->styled)
        return false;
    report->column = form->styled;
    report->column_count = form->style->columns_of(form->styled, &form->totals, form->by);
    return true;
}

static bool style_apply(struct swi_form_of_report *form, const struct swi_form_options *options,
                        const struct swi_call_paths *paths, int64_t time_ns)
{
    struct sw_report *report = &form->report;
    const char *step = form->style->step_name;
    size_t count;
    struct swi_styled_row *rows =
        form->by == SWI_BY_STACK
            ? swi_stacked_rows(report, &paths->table, (size_t)options->stack_depth, step, time_ns,
                               &count, &form->totals, &form->stacks)
            : swi_styled_rows(report, step, time_ns, &count, &form->totals);
    form->rows = rows;
    if (!rows)
        return false;
    report->row = &rows->row;
    report->row_size = sizeof *rows;
    report->count = count;
    report->column = form->style->column;
    report->column_count = form->style->columns;
    report->column_size = sizeof *form->style->column;
    return !form->style->columns_of || style_columns(form, report);
}

/* Returns whether a row has the calls of a path. */
static bool is_row_of(const struct swi_styled_row *row, const struct swi_call_path *path,
                      const struct swi_path_table *table, bool by_shape)
{
    return path->action_id == row->row.action_id &&
           (!by_shape ||
            path->shape == swi_map_find(&table->shapes, row->row.shape, strlen(row->row.shape)));
}

/* torch shows what its first call was. The regions of a stack begin with the innermost one. */
static bool is_top_level(const struct swi_styled_row *row, const struct swi_path_table *table,
                         enum swi_group by)
{
    const struct swi_call_path *first = NULL;
    if (by == SWI_BY_STACK)
        return !row->frames || strcmp(row->frame[0], "fit") == 0;
    for (size_t i = 1; i < table->count; i++) {
        const struct swi_call_path *path = &table->path[i];
        if (is_row_of(row, path, table, by == SWI_BY_SHAPE) &&
            (!first || path->first_ns < first->first_ns))
            first = path;
    }
    return !first || !first->parent || table->path[first->parent].action_id == SW_FIT;
}

/* The totals are still those of all rows. */
static void top_level_keep(struct swi_form_of_report *form, const struct swi_form_options *options,
                           const struct swi_call_paths *paths)
{
    struct swi_styled_row *rows = form->rows;
    size_t kept = 0;
    bool all = form->by == SWI_BY_STACK && !options->stack_depth;
    for (size_t i = 0; i < form->report.count; i++)
        if (is_top_level(&rows[i], &paths->table, all ? SWI_BY_ACTION : form->by))
            rows[kept++] = rows[i];
    form->report.count = kept;
}

static bool is_grouped(const struct swi_form_options *options, const char *by)
{
    return options->group_by && strcmp(options->group_by, by) == 0;
}

uint32_t swi_form_wants(const struct swi_form_options *options)
{
    const struct swi_style *style = swi_style_find(options->style);
    bool regions = is_grouped(options, "stack") || options->top_level;
    return regions && style && style->stacks ? SWI_CALL_PATHS_WANTS : 0;
}

static void shapes_apply(struct swi_form_of_report *form, const struct swi_form_options *options)
{
    struct sw_report *report = &form->report;
    if (!is_grouped(options, "shape") || (form->style && !form->style->shapes) ||
        !SW_HAS(report->size, report, shaped) || !report->shaped_count)
        return;
    form->by = SWI_BY_SHAPE;
    report->row = report->shaped;
    report->count = report->shaped_count;
}

bool swi_form_init(struct swi_form_of_report *form, const struct swi_form_options *options,
                   const struct sw_report *report, const struct swi_call_paths *paths,
                   int64_t time_ns)
{
    *form = (struct swi_form_of_report){.report = *report,
                                        .style = swi_style_find(options->style),
                                        .time_unit = options->time_unit};
    shapes_apply(form, options);
    bool known_paths = swi_form_wants(options) && paths && paths->table.count;
    if (known_paths && is_grouped(options, "stack"))
        form->by = SWI_BY_STACK;
    if (form->style && !style_apply(form, options, paths, time_ns))
        return false;
    if (known_paths && options->top_level)
        top_level_keep(form, options, paths);
    struct swi_columns_known known = {form->report.column, form->report.column_count,
                                      form->report.column_size};
    if (!columns_choose(form, options))
        return false;
    const struct sw_column *column = sort_column(form, options, &known);
    size_t limit = limit_of(form, options);
    form->sorted = column && !form->style;
    if (!column && limit >= form->report.count)
        return true;
    return rows_arrange(form, column, limit);
}

bool swi_form_init_own(struct swi_form_of_report *form, const struct swi_form_options *options,
                       const struct sw_report *report)
{
    struct swi_form_options own = *options;
    own.style = "stepwatch";
    return swi_form_init(form, &own, report, NULL, 0);
}

void swi_form_fini(struct swi_form_of_report *form)
{
    free(form->rows);
    free(form->chosen);
    free(form->styled);
    swi_stack_texts_fini(&form->stacks);
    *form = (struct swi_form_of_report){0};
}

bool swi_form_grid(struct swi_grid *grid, const struct swi_form_of_report *form, enum swi_form is,
                   swi_escape_fn *escape)
{
    struct swi_grid_look look = {.form = is,
                                 .columns = form->columns,
                                 .escape = escape,
                                 .sorted = form->sorted,
                                 .notation = form->style ? form->style->notation : NULL,
                                 .unit = form->time_unit};
    return swi_grid_init_as(grid, &form->report, &look);
}

void swi_form_draw(struct swi_text *text, const struct swi_form_of_report *form,
                   const struct swi_form_options *options)
{
    struct swi_grid grid;
    if (swi_form_grid(&grid, form, SWI_FORMATTED, swi_escape_terminal))
        form->style->draw(text, &grid, &form->report, &form->totals, options);
    else
        text->failed = true;
    swi_grid_fini(&grid);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Counters of the program's own, and events of the processor by name, are not known yet. */
static bool is_counter(const char *name)
{
    return swi_begins(name, "counter/") || swi_begins(name, "raw:") || swi_begins(name, "pfm:") ||
           strcmp(name, "memory") == 0;
}

/* A report has these only if it has the counters that they follow from. */
static bool is_derived(const char *name)
{
    static const char *const names[] = {"mfu",           "gflop_per_s",          "gb_per_s",
                                        "flop_per_byte", "cpu_percent",          "ipc",
                                        "ghz",           "cache_misses_per_1000"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return swi_ends(name, "_per_s") || swi_ends(name, "/s");
}

static void name_check(const struct swi_columns_known *known, const char *option, const char *name,
                       struct sw_sink_check *check)
{
    struct swi_text text = {0};
    if (swi_columns_find(known, name) || is_counter(name) || is_derived(name))
        return;
    swi_columns_list(&text, known, name);
    sw_sink_mistake(check, option, "\"%s\" is not a column; %s", name, text.data ? text.data : "");
    swi_text_free(&text);
}

static bool known_take(struct swi_columns_known *known, const struct swi_form_options *options,
                       const struct sw_sink_check *check)
{
    const struct swi_style *style = swi_style_find(options->style);
    if (style)
        *known = (struct swi_columns_known){style->column, style->columns, sizeof *style->column};
    else if (SW_HAS(check->size, check, column))
        *known = (struct swi_columns_known){check->column, check->column_count, check->column_size};
    return known->count > 0;
}

void swi_form_check(const struct swi_form_options *options, struct sw_sink_check *check)
{
    struct swi_columns_known known = {0};
    const struct swi_style *style = swi_style_find(options->style);
    if (is_grouped(options, "stack") && !(style && style->stacks))
        sw_sink_mistake(check, "group_by", "stack needs style: torch, not %s", options->style);
    if (!options->columns || !*options->columns)
        sw_sink_mistake(check, "columns",
                        "the list is empty: expected standard, all, or names of columns");
    if (!known_take(&known, options, check))
        return;
    if (*options->sort)
        name_check(&known, "sort", options->sort, check);
    for (const char *const *name = options->columns; name && *name; name++)
        if (!is_group(*name))
            name_check(&known, "columns", *name, check);
}
