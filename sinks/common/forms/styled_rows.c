/* SPDX-License-Identifier: MIT */
#include "sinks/common/forms/style.h"

#include "core/text/escape.h"
#include "sinks/common/forms/call_paths.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_left_out(const struct sw_report_row *row)
{
    return !row->calls || (row->phase_id == SW_PHASE_FIT && row->action_id == SW_FIT);
}

/* Returns room for the place + 1 of the first row of each action, by their handles; 0: none. */
static size_t *places_new(const struct sw_report *report)
{
    int last = 0;
    for (size_t i = 0; i < report->count; i++)
        if (sw_report_row(report, i)->action_id > last)
            last = sw_report_row(report, i)->action_id;
    return calloc((size_t)last + 1, sizeof(size_t));
}

/* A step consists of a draw and a batch, which have all of its time. */
static double self_of(const struct sw_report_row *row)
{
    return isnan(row->self_ns) ? 0 : row->self_ns;
}

void swi_styled_row_begin(struct swi_styled_row *to, const struct sw_report_row *from,
                          const char *step_name)
{
    bool step = from->action_id == SW_STEP;
    *to = (struct swi_styled_row){.row = {.phase_id = from->phase_id,
                                          .action_id = from->action_id,
                                          .phase = from->phase,
                                          .action = step ? step_name : from->action,
                                          .first_use = from->first_use,
                                          .shape = swi_shape_text(from->shape)},
                                  .stack = ""};
}

static const struct sw_counter_total *counter_of(const struct sw_report *report,
                                                 const struct sw_report_row *row, const char *name)
{
    for (size_t i = 0; row->counter && i < report->counter_count; i++)
        if (strcmp(sw_row_counter(report, row, i)->name, name) == 0)
            return sw_row_counter(report, row, i);
    return NULL;
}

static int64_t known(int64_t use)
{
    return use == SW_COUNTER_NONE ? 0 : use;
}

/* Other profilers add up all calls, with those inside others of the same action. */
static int64_t all_calls(const struct sw_report *report, const struct sw_counter_total *use)
{
    int64_t inner = use && SW_HAS(report->counter_size, use, inner) ? use->inner : 0, sum;
    return __builtin_add_overflow(use ? known(use->total) : 0, inner, &sum) ? INT64_MAX : sum;
}

/* Of the bytes of tensors, if the program counts them, as torch's own profiler does; else of all
 * that was allocated. */
static bool net_of(int64_t *net, int64_t *self, const struct sw_report *report,
                   const struct sw_report_row *row)
{
    const struct sw_counter_total *all = counter_of(report, row, "tensor_allocated");
    const struct sw_counter_total *freed = counter_of(report, row, "tensor_freed");
    if (!all && !freed)
        all = counter_of(report, row, "net");
    *net = all_calls(report, all) - all_calls(report, freed);
    *self = (all ? known(all->self) : 0) - (freed ? known(freed->self) : 0);
    return all || freed;
}

/* The part of its own is what other profilers know of an operation's FLOPs. */
static void counters_add(struct swi_styled_row *to, const struct sw_report *report,
                         const struct sw_report_row *from)
{
    const struct sw_counter_total *flops = counter_of(report, from, "flops");
    int64_t net, self;
    net_of(&net, &self, report, from);
    to->net += net;
    to->self_net += self;
    to->flops += flops ? (double)known(flops->self) : 0;
}

/* The total of a row leaves out calls inside others of the same action; other profilers add up all
 * calls. If there are none, the total is exact, and the product is not. */
static double total_of(const struct sw_report_row *row)
{
    double calls_ns = row->mean_ns * (double)row->calls;
    return calls_ns > row->total_ns * (1 + 2e-14) ? calls_ns : row->total_ns;
}

void swi_styled_row_add(struct swi_styled_row *to, const struct sw_report *report,
                        const struct sw_report_row *from)
{
    to->row.calls += from->calls;
    to->row.total_ns += total_of(from);
    to->row.self_ns += self_of(from);
    to->spans_ns += from->phase_id == SW_PHASE_SPANS ? from->total_ns : 0;
    if (from->first_use < to->row.first_use)
        to->row.first_use = from->first_use;
    counters_add(to, report, from);
}

static bool has_shape(const struct swi_styled_row *row, const char *shape)
{
    return row->row.shape && strcmp(row->row.shape, shape) == 0;
}

/* Returns the row of an action and a shape, or where to note the place of a new one. */
static size_t *place_find(struct swi_styled_row *rows, size_t *place,
                          const struct sw_report_row *from)
{
    const char *shape = swi_shape_text(from->shape);
    while (*place && !has_shape(&rows[*place - 1], shape))
        place = &rows[*place - 1].next;
    return place;
}

static size_t rows_gather(struct swi_styled_row *rows, size_t *places,
                          const struct sw_report *report, const char *step_name)
{
    size_t count = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *from = sw_report_row(report, i);
        if (is_left_out(from) || from->action_id < 0)
            continue;
        size_t *place = place_find(rows, &places[from->action_id], from);
        if (!*place) {
            swi_styled_row_begin(&rows[count], from, step_name);
            *place = ++count;
        }
        swi_styled_row_add(&rows[*place - 1], report, from);
    }
    return count;
}

/* ---- time that no row has -------------------------------------------------------------------- */

/* Dropped and discarded batches are in the totals of the regions around them, and in no row of
 * their own. For other profilers, what was not recorded is a region's own time. */
struct unrecorded {
    struct swi_styled_row *rows;
    size_t *places;
    const struct sw_report *report;
    double self_ns; /* of all rows on the loop's thread */
    double left_ns; /* of the fit, in no self time */
};

static bool is_on_loop(const struct sw_report_row *row)
{
    return !is_left_out(row) && row->phase_id != SW_PHASE_THREADS &&
           row->phase_id != SW_PHASE_SPANS && row->action_id >= 0;
}

static struct unrecorded unrecorded_of(struct swi_styled_row *rows, size_t *places,
                                       const struct sw_report *report)
{
    struct unrecorded time = {rows, places, report, 0, 0};
    bool whole = report->count && report->row->phase_id == SW_PHASE_FIT;
    double in_fit = 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct sw_report_row *row = sw_report_row(report, i);
        in_fit += row->phase_id < SW_PHASE_THREADS ? self_of(row) : 0;
        time.self_ns += is_on_loop(row) ? self_of(row) : 0;
    }
    time.left_ns = whole ? fmax(0, report->fit_ns - in_fit) : 0;
    return time;
}

static void own_time_add(struct unrecorded *time, const struct sw_report_row *to, double ns)
{
    size_t place = *place_find(time->rows, &time->places[to->action_id], to);
    time->rows[place - 1].row.self_ns += ns;
    time->self_ns += ns;
    time->left_ns -= ns;
}

/* What happens in train or valid has its phase. */
static void phase_complete(struct unrecorded *time, enum sw_phase phase, int action)
{
    const struct sw_report_row *around = NULL;
    double ns = 0;
    for (size_t i = 0; i < time->report->count; i++) {
        const struct sw_report_row *row = sw_report_row(time->report, i);
        if (row->phase_id == SW_PHASE_FIT && row->action_id == action && row->calls)
            around = row;
        ns -= row->phase_id == phase ? self_of(row) : 0;
    }
    ns = around ? fmin(time->left_ns, ns + around->total_ns - around->self_ns) : 0;
    if (around && ns > 0)
        own_time_add(time, around, ns);
}

/* Returns whether the row is of all shapes of an action. Its total may have calls twice: those
 * inside of a call with another shape. */
static bool is_of_shapes(const struct sw_report *report, const struct sw_report_row *row)
{
    if (!SW_HAS(report->size, report, shaped) || *row->shape)
        return false;
    for (size_t i = 0; i < report->shaped_count; i++) {
        const struct sw_report_row *shaped = sw_report_shaped(report, i);
        if (shaped->action_id == row->action_id && *shaped->shape)
            return true;
    }
    return false;
}

/* A region that took longer than all rows is around the rest. */
static void rest_complete(struct unrecorded *time)
{
    const struct sw_report_row *longest = NULL;
    for (size_t i = 0; i < time->report->count; i++) {
        const struct sw_report_row *row = sw_report_row(time->report, i);
        if (is_on_loop(row) && (!longest || row->total_ns > longest->total_ns) &&
            !is_of_shapes(time->report, row))
            longest = row;
    }
    double lacks = longest ? longest->total_ns - time->self_ns : 0;
    if (longest && lacks > 1e-9 * time->self_ns)
        own_time_add(time, longest,
                     fmax(lacks, fmin(time->left_ns, longest->total_ns - self_of(longest))));
}

static void own_times_complete(struct swi_styled_row *rows, size_t *places,
                               const struct sw_report *report)
{
    struct unrecorded time = unrecorded_of(rows, places, report);
    phase_complete(&time, SW_PHASE_VALID, SW_VALID);
    phase_complete(&time, SW_PHASE_TRAIN, SW_TRAIN);
    rest_complete(&time);
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* The scale of the smallest, as torch has it. */
static int scale_of(const struct swi_styled_row *rows, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (rows[i].flops > 0 && rows[i].flops < least)
            least = rows[i].flops;
    if (!isfinite(least))
        return -1;
    int scale = (int)floor(log10(least) / 3);
    return scale < 0 ? 0 : scale > 5 ? 5 : scale;
}

static size_t longer(size_t than, const char *name)
{
    struct swi_text text = {0};
    swi_escape_terminal(&text, name);
    size_t width = text.data ? swi_text_width(text.data) : 0;
    swi_text_free(&text);
    return width > than ? width : than;
}

static void totals_make(struct swi_style_totals *totals, const struct swi_styled_row *rows,
                        size_t count, const struct sw_report *report, int64_t time_ns)
{
    int64_t net, self;
    *totals = (struct swi_style_totals){
        .whole_ns = (double)time_ns,
        .stage = swi_lightning_stage(report),
        .has_net = report->count && net_of(&net, &self, report, sw_report_row(report, 0)),
        .flops_scale = scale_of(rows, count)};
    for (size_t i = 0; i < count; i++) {
        totals->longest = longer(totals->longest, rows[i].row.action);
        totals->longest_shape = longer(totals->longest_shape, rows[i].row.shape);
        for (size_t k = 0; k < rows[i].frames; k++)
            totals->longest_frame = longer(totals->longest_frame, rows[i].frame[k]);
        totals->calls += rows[i].row.calls;
        totals->self_ns += rows[i].row.self_ns;
    }
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

/* torch computes with microseconds, in this order. Any other order rounds a share like 12.345 % to
 * another hundredth. */
static double percent_of_us(double part_ns, double whole_ns)
{
    return whole_ns > 0 ? part_ns / 1e3 * 100 / (whole_ns / 1e3) : NAN;
}

static double mean_of_us(double total_ns, int64_t calls)
{
    return total_ns / 1e3 / (double)calls * 1e3;
}

static void shares_make(struct swi_styled_row *rows, size_t count,
                        const struct swi_style_totals *totals)
{
    for (size_t i = 0; i < count; i++) {
        struct swi_styled_row *row = &rows[i];
        row->row.mean_ns = mean_of_us(row->row.total_ns, row->row.calls);
        row->self_percent = percent_of_us(row->row.self_ns, totals->self_ns);
        row->self_total_percent = percent_of_us(row->row.total_ns - row->spans_ns, totals->self_ns);
        row->whole_percent = percent(row->row.total_ns, totals->whole_ns);
        row->flops = row->flops > 0 ? row->flops / pow(1000, totals->flops_scale) : NAN;
    }
}

static int by_first_use(const void *a, const void *b)
{
    int64_t x = ((const struct swi_styled_row *)a)->row.first_use;
    int64_t y = ((const struct swi_styled_row *)b)->row.first_use;
    return (x > y) - (x < y);
}

void swi_styled_rows_finish(struct swi_styled_row *rows, size_t count,
                            const struct sw_report *report, int64_t time_ns,
                            struct swi_style_totals *totals)
{
    totals_make(totals, rows, count, report, time_ns);
    shares_make(rows, count, totals);
    qsort(rows, count, sizeof *rows, by_first_use);
}

struct swi_styled_row *swi_styled_rows(const struct sw_report *report, const char *step_name,
                                       int64_t time_ns, size_t *count,
                                       struct swi_style_totals *totals)
{
    size_t *places = places_new(report);
    struct swi_styled_row *rows = calloc(report->count + 1, sizeof *rows);
    *count = 0;
    if (rows && places) {
        *count = rows_gather(rows, places, report, step_name);
        own_times_complete(rows, places, report);
        swi_styled_rows_finish(rows, *count, report, time_ns, totals);
    } else {
        free(rows);
        rows = NULL;
    }
    free(places);
    return rows;
}
