/* SPDX-License-Identifier: MIT */
/* Makes a row of the report from what was gathered in ticks. */
#include "core/report/report_row.h"

#include "core/rows/action.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- makes a row of the report from what all threads have measured for it -------------------- */

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
                                  .variance = swi_row_sum_variance(c) * scale * scale,
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
