/* SPDX-License-Identifier: MIT */
/* The columns of a report, and how a row of it is made: what all threads have measured is gathered
 * in ticks, and the values of the columns follow from that. */
#include "core/report/columns.h"
#include "core/report/row_sources.h"

#include "core/rows/action.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the columns ----------------------------------------------------------------------------- */

/* A line here adds a column to every output: table, markdown, CSV, run log, JSON, HTML, wandb and
 * TensorBoard. */

#define ROW(field) offsetof(struct sw_report_row, field)
#define STANDARD SW_COLUMN_STANDARD
#define ROUNDED (SW_COLUMN_STANDARD | SW_COLUMN_ROUNDED) /* like the source profilers */
#define REPEATED SW_COLUMN_REPEATED

/* clang-format off */
static const struct sw_column columns[] = {
    {"phase",         "Phase",            "Phase",     "",          SW_COLUMN_TEXT,     STANDARD, ROW(phase)},
    {"action",        "Action",           "Action",    "",          SW_COLUMN_TEXT,     STANDARD, ROW(action)},
    {"mean_ns",       "Mean Duration",    "Mean",      "ns",        SW_COLUMN_DURATION, STANDARD, ROW(mean_ns)},
    {"std_ns",        "Duration Std Dev", "Std Dev",   "ns",        SW_COLUMN_DURATION, STANDARD, ROW(std_ns)},
    {"calls",         "Number of Calls",  "Calls",     "calls",     SW_COLUMN_COUNT,    STANDARD, ROW(calls)},
    {"samples_per_s", "Samples/Second",   "Samples/s", "samples/s", SW_COLUMN_RATE,     ROUNDED,  ROW(samples_per_s)},
    {"total_ns",      "Total Time",       "Total",     "ns",        SW_COLUMN_DURATION, STANDARD, ROW(total_ns)},
    {"share",         "Percent of Total", "Share",     "",          SW_COLUMN_RATIO,    ROUNDED,  ROW(share)},
    {"samples_per_s", "Samples/Second Unrounded", "Unrounded", "samples/s", SW_COLUMN_RATE, REPEATED, ROW(samples_per_s)},
    {"self_ns",       "Self Time",        "Self",      "ns",        SW_COLUMN_DURATION, 0,        ROW(self_ns)},
    {"min_ns",        "Min",              "Min",       "ns",        SW_COLUMN_DURATION, 0,        ROW(durations.min)},
    {"max_ns",        "Max",              "Max",       "ns",        SW_COLUMN_DURATION, 0,        ROW(durations.max)},
    {"p50_ns",        "P50",              "P50",       "ns",        SW_COLUMN_DURATION, 0,        ROW(p50_ns)},
    {"p95_ns",        "P95",              "P95",       "ns",        SW_COLUMN_DURATION, 0,        ROW(p95_ns)},
    {"p99_ns",        "P99",              "P99",       "ns",        SW_COLUMN_DURATION, 0,        ROW(p99_ns)},
    {"overall_samples_per_s", "Overall Samples/Second", "Overall", "samples/s", SW_COLUMN_RATE, 0, ROW(overall_samples_per_s)},
#ifdef ONE_MORE_COLUMN /* tests/scripts/columns.sh */
    ONE_MORE_COLUMN
#endif
};
/* clang-format on */

void swi_columns_set(struct sw_report *report)
{
    report->column = columns;
    report->column_count = sizeof columns / sizeof *columns;
    report->column_size = sizeof *columns;
}

/* ---- the sum of several rows ----------------------------------------------------------------- */

static void sum_add_calls(struct swi_row_sum *sum, const struct swi_row *row)
{
    const struct swi_durations *d = &row->durations;
    bool first = sum->count == 0;
    if (!d->count)
        return;
    for (int64_t i = 0; i < d->count && sum->count + i < SW_DISTRIBUTION_KEPT; i++)
        sum->first[sum->count + i] = row->first[i];
    sum->min = first || row->min < sum->min ? row->min : sum->min;
    sum->max = first || row->max > sum->max ? row->max : sum->max;
    sum->squares += d->squares;
    sum->sum = swi_ticks_sum(sum->sum, d->sum);
    sum->self = swi_ticks_sum(sum->self, d->self);
    sum->count += d->count;
}

/* The sums are of differences from the origin, so those of the row are moved to this one's. */
static void rates_add(struct swi_row_sum *sum, const struct swi_rates *r)
{
    bool first = sum->rate_count == 0;
    double origin = first ? r->origin : sum->rate_origin;
    double shift = r->origin - origin, n = (double)r->count;
    double squares = r->squares + shift * (2 * r->sum + n * shift);
    for (int64_t i = 0; i < r->count && sum->rate_count + i < SW_DISTRIBUTION_KEPT; i++)
        sum->rate_first[sum->rate_count + i] = r->first[i];
    sum->rate_min = first || r->min < sum->rate_min ? r->min : sum->rate_min;
    sum->rate_max = first || r->max > sum->rate_max ? r->max : sum->rate_max;
    sum->rate_origin = origin;
    sum->rate_sum += r->sum + n * shift;
    sum->rate_squares += squares;
    sum->rate_count += r->count;
}

static void sum_add(struct swi_row_sum *sum, const struct swi_row *row)
{
    sum_add_calls(sum, row);
    if (row->rates && row->rates->count)
        rates_add(sum, row->rates);
}

/* With m = floor(sum / n) and r = sum - n m: the sum of (x - m)^2 = squares - 2 m sum + n m^2 is
 * exact in 128 bits, even if intermediate values overflow. The variance is that sum / n - (r /
 * n)^2, without cancellation. */
static double sum_variance(const struct swi_row_sum *of)
{
    if (of->count < 2)
        return 0;
    swi_u128 n = (swi_u128)(uint64_t)of->count, sum = (swi_u128)(uint64_t)of->sum;
    swi_u128 m = (swi_u128)(uint64_t)(of->sum / of->count);
    swi_u128 squares = of->squares - 2 * m * sum + n * m * m;
    double rest = (double)(of->sum % of->count) / (double)of->count;
    double variance = (double)squares / (double)of->count - rest * rest;
    return variance > 0 ? variance : 0;
}

/* ---- gathering ------------------------------------------------------------------------------- */

/* Returns the view of a source. number: set to its row there. */
static struct swi_row_reader *view_of(const struct swi_report_input *making,
                                      const struct swi_source *source, size_t *number)
{
    struct swi_row_reader *view = making->view;
    for (*number = source->index; *number >= view->rows; view++)
        *number -= view->rows;
    return view;
}

/* Rows with few values have no bins of them yet. */
static bool durations_gather(struct swi_bins *bins, const struct swi_row *row)
{
    if (row->durations.count >= SW_DISTRIBUTION_KEPT)
        return swi_bins_add(bins, &row->histogram, SWI_BIN_OF_ONE);
    bool all = true;
    for (int64_t i = 0; i < row->durations.count; i++)
        all = swi_bins_add_value(bins, swi_bin((double)row->first[i]), SWI_BIN_OF_ONE) && all;
    return all;
}

static bool rates_gather(struct swi_bins *bins, const struct swi_rates *rates)
{
    if (!rates || rates->count >= SW_DISTRIBUTION_KEPT)
        return !rates || swi_bins_add(bins, &rates->histogram, SWI_BIN_FIRST);
    bool all = true;
    for (int64_t i = 0; i < rates->count; i++)
        all = swi_bins_add_value(bins, swi_bin_of_size(rates->first[i]), SWI_BIN_FIRST) && all;
    return all;
}

/* Calls inside a call of the same row count as calls, but their time is already in the outer call,
 * so it is not added to the total, and the outer call has the samples. cProfile counts in the same
 * way. */
static bool calls_gather(struct swi_gathered *g, const struct swi_row *row)
{
    if (row->is_inner) {
        g->inner = swi_ticks_sum(g->inner, row->durations.sum);
        sum_add_calls(&g->sum, row);
    } else {
        sum_add(&g->sum, row);
    }
    return durations_gather(&g->durations, row) &&
           (row->is_inner || rates_gather(&g->rates, row->rates));
}

/* Counts calls by what they cost. Leaves out what the loop's thread did before or after its fit,
 * and rows that no call begins. */
static void own_count(struct swi_row_reader *view, const struct swi_row *row)
{
    bool outside = view->shown == SW_PHASE_BEFORE || view->shown == SW_PHASE_AFTER;
    bool container = row->phase == SW_PHASE_FIT && row->action <= SW_VALID;
    bool out = container || row->action == SW_STEP || view->shown == SW_PHASE_SPANS ||
               (outside && row->phase == SW_PHASE_THREADS);
    view->regions[swi_stratum_of(row->phase)] += out ? 0 : row->durations.count;
}

static void first_use_gather(struct swi_gathered *g, const struct swi_row *row)
{
    g->first_use = row->made < g->first_use ? row->made : g->first_use;
}

/* Sums from 2^63 on are shown as INT64_MAX. */
static struct swi_use use_shown(const struct swi_counters *counters, const struct swi_use *use,
                                int slot)
{
    struct swi_use shown = *use;
    if (swi_counters_may_fall(counters, slot))
        return shown;
    shown.total = use->total < 0 ? INT64_MAX : use->total;
    shown.self = use->self < 0 ? INT64_MAX : use->self;
    return shown;
}

/* Like durations: of calls inside a call of the same row, the total lies in that of the outer call.
 */
static void uses_gather(const struct swi_counters *counters, struct swi_gathered *g,
                        const struct swi_row *row)
{
    size_t uses = row->uses_room < SWI_SLOTS ? row->uses_room : SWI_SLOTS;
    for (size_t i = 0; i < uses; i++) {
        struct swi_use use = swi_row_counter_use_get(row, i);
        struct swi_use more = use_shown(counters, &use, (int)i);
        more.inner = row->is_inner ? more.total : 0;
        more.total -= more.inner;
        swi_use_add(&g->use[i], &more, swi_counters_kind(counters, (int)i));
    }
    g->uses = uses > g->uses ? uses : g->uses;
}

void swi_row_gather(struct swi_report_input *making, const struct swi_source *source)
{
    size_t number;
    struct swi_row_reader *view = view_of(making, source, &number);
    const struct swi_row *row = view->row[number];
    if (!making->by_shape)
        own_count(view, row);
    first_use_gather(&making->row, row);
    uses_gather(&making->reports->measured->counters, &making->row, row);
    making->failed = !calls_gather(&making->row, row) || making->failed;
}

/* ---- the row --------------------------------------------------------------------------------- */

/* Allocates the bins of a distribution, followed by its first values. Returns false if out of
 * memory. */
static bool distribution_alloc(struct sw_distribution *d, size_t bins, size_t values)
{
    char *memory = malloc(bins * sizeof *d->bin + values * sizeof *d->value);
    if (!memory)
        return false;
    d->bin = (const struct sw_bin *)memory;
    d->bin_count = bins;
    d->bin_stride = sizeof *d->bin;
    d->value = (const void *)(memory + bins * sizeof *d->bin);
    d->kept = values;
    return true;
}

/* Fills in the bins that are not empty, in ascending order. For negative values, reverses both sign
 * and order. */
static void bins_fill(const struct sw_distribution *d, const struct swi_bins *bins,
                      double (*edge)(uint64_t), double scale)
{
    struct sw_bin *list = (struct sw_bin *)d->bin;
    for (size_t i = 0; i < bins->count; i++) {
        const struct swi_bin_count *at = &bins->item[scale < 0 ? bins->count - 1 - i : i];
        double a = edge(at->bin) * scale, b = edge(at->bin + 1) * scale;
        list[i] = (struct sw_bin){.low = a < b ? a : b, .high = a < b ? b : a, at->count};
    }
}

static size_t value_count(int64_t count)
{
    return count < SW_DISTRIBUTION_KEPT ? (size_t)count : SW_DISTRIBUTION_KEPT;
}

/* Return false if out of memory. */
static bool durations_make(struct sw_distribution *d, const struct swi_gathered *g, double scale)
{
    const struct swi_row_sum *c = &g->sum;
    if (!c->count)
        return true;
    *d = (struct sw_distribution){.count = c->count,
                                  .mean = (double)c->sum * scale / (double)c->count,
                                  .variance = sum_variance(c) * scale * scale,
                                  .min = (double)c->min * scale,
                                  .max = (double)c->max * scale};
    if (!distribution_alloc(d, g->durations.count, value_count(c->count)))
        return false;
    for (size_t i = 0; i < d->kept; i++)
        ((double *)d->value)[i] = (double)c->first[i] * scale;
    bins_fill(d, &g->durations, swi_duration_edge, scale);
    return true;
}

static bool rates_make(struct sw_distribution *d, const struct swi_gathered *g, double scale)
{
    const struct swi_row_sum *c = &g->sum;
    if (!c->rate_count)
        return true;
    double n = (double)c->rate_count, shift = c->rate_sum / n;
    double variance = c->rate_squares / n - shift * shift;
    *d = (struct sw_distribution){.count = c->rate_count,
                                  .mean = (c->rate_origin + shift) * scale,
                                  .variance = variance > 0 ? variance * scale * scale : 0,
                                  .min = c->rate_min * scale,
                                  .max = c->rate_max * scale};
    if (!distribution_alloc(d, g->rates.count, value_count(c->rate_count)))
        return false;
    for (size_t i = 0; i < d->kept; i++)
        ((double *)d->value)[i] = c->rate_first[i] * scale;
    bins_fill(d, &g->rates, swi_bin_edge, c->rate_min < 0 ? -scale : scale);
    return true;
}

static const char *const phase_name[] = {"fit",    "train", "valid", "threads",
                                         "before", "after", "spans"};

const char *swi_phase_name(enum sw_phase phase)
{
    return phase_name[phase];
}

static void row_quantiles(struct sw_report_row *row)
{
    bool any = row->durations.count > 0;
    row->p50_ns = any ? sw_quantile(&row->durations, 0.50) : 0;
    row->p95_ns = any ? sw_quantile(&row->durations, 0.95) : 0;
    row->p99_ns = any ? sw_quantile(&row->durations, 0.99) : 0;
}

bool swi_report_row(struct sw_report_row *row, const struct swi_gathered *g, double ns_per_tick,
                    double fit_ns)
{
    *row = (struct sw_report_row){.phase_id = g->phase,
                                  .action_id = g->action,
                                  .phase = phase_name[g->phase],
                                  .action = sw_action_name(g->action),
                                  .calls = g->sum.count,
                                  .first_use = g->first_use,
                                  .shape = sw_action_shape(g->shaped)};
    bool fine = durations_make(&row->durations, g, ns_per_tick);
    fine = rates_make(&row->rates, g, 1e9 / ns_per_tick) && fine;
    row->total_ns = (double)swi_ticks_between(g->inner, g->sum.sum) * ns_per_tick;
    bool self = g->action != SW_STEP && g->phase != SW_PHASE_SPANS;
    row->self_ns = self ? (double)g->sum.self * ns_per_tick : NAN;
    row->mean_ns = row->durations.mean;
    row->std_ns = sqrt(row->durations.variance);
    row->share = fit_ns > 0 ? row->total_ns / fit_ns : 0;
    if (g->phase > SW_PHASE_THREADS)
        row->share = NAN;
    row->samples_per_s = row->calls && row->rates.count ? row->rates.mean : NAN;
    row->overall_samples_per_s = NAN;
    row_quantiles(row);
    return fine;
}

bool swi_report_row_of_fit(struct sw_report_row *row, double fit_ns)
{
    struct sw_distribution *d = &row->durations;
    row->calls = 1;
    row->total_ns = fit_ns;
    row->share = fit_ns > 0 ? 1 : 0;
    row->mean_ns = row->std_ns = 0;
    row->p50_ns = row->p95_ns = row->p99_ns = fit_ns;
    if (d->count == 0) {
        *d = (struct sw_distribution){.count = 1, .mean = fit_ns};
        if (!distribution_alloc(d, 0, 1))
            return false;
        *(double *)d->value = fit_ns;
    }
    d->min = d->max = fit_ns;
    return true;
}

bool swi_made_distribution_copy(struct sw_distribution *d)
{
    const struct sw_distribution from = *d;
    d->bin = NULL;
    d->value = NULL;
    if (!from.bin)
        return true;
    if (!distribution_alloc(d, from.bin_count, from.kept))
        return false;
    if (from.bin_count)
        memcpy((void *)d->bin, from.bin, from.bin_count * sizeof *from.bin);
    if (from.kept)
        memcpy((void *)d->value, from.value, from.kept * sizeof *from.value);
    return true;
}
