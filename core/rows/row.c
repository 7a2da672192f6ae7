/* SPDX-License-Identifier: MIT */
#include "core/rows/row.h"
#include "core/counters/counted_memory.h"
#include "core/rows/counter_use.h"
#include "core/rows/fold_memory.h"

#include <math.h>
#include <stdlib.h>

struct swi_row *swi_row_alloc(void)
{
    return swi_fold_alloc(sizeof(struct swi_row));
}

void swi_row_init(struct swi_row *row, enum sw_phase phase, int action, struct swi_reserve *reserve)
{
    row->phase = phase;
    row->action = action;
    row->reserve = reserve;
    swi_histogram_init(&row->histogram);
}

/* Allocates the row's rates. Returns NULL if out of memory. */
static struct swi_rates *rates_new(struct swi_row *row)
{
    SWI_OWN_MEMORY;
    struct swi_rates *rates = swi_fold_alloc(sizeof *rates);
    if (!rates) {
        row->reserve->lost++;
        return NULL;
    }
    swi_histogram_init(&rates->histogram);
    row->rates = rates;
    return rates;
}

void swi_row_fini(struct swi_row *row)
{
    swi_fold_free(row->rates);
    free(row->uses);
}

static void extremes(struct swi_row *row, int64_t ticks)
{
    bool first = row->durations.count == 0;
    row->min = first || ticks < row->min ? ticks : row->min;
    row->max = first || ticks > row->max ? ticks : row->max;
}

static void duration_bin(struct swi_row *row, int64_t ticks)
{
    swi_histogram_add(&row->histogram, swi_bin((double)ticks), row->reserve);
}

/* One of the first, which all get their bins with the last of them. */
static void first_keep(struct swi_row *row, int64_t ticks)
{
    int64_t count = row->durations.count;
    row->first[count] = ticks;
    for (int i = 0; i < SW_DISTRIBUTION_KEPT && count + 1 == SW_DISTRIBUTION_KEPT; i++)
        duration_bin(row, row->first[i]);
}

void swi_row_add(struct swi_row *row, int64_t ticks, int64_t self)
{
    struct swi_durations *d = &row->durations;
    ticks = ticks > 0 ? ticks : 0;
    extremes(row, ticks);
    if (__builtin_expect(d->count >= SW_DISTRIBUTION_KEPT, 1))
        duration_bin(row, ticks);
    else
        first_keep(row, ticks);
    d->squares += (swi_u128)(uint64_t)ticks * (uint64_t)ticks;
    d->sum = swi_ticks_sum(d->sum, ticks);
    d->self = swi_ticks_sum(d->self, self);
    d->count++;
}

/* The first ones are kept. */
static void equal_add(struct swi_row *row, int64_t ticks, int64_t calls)
{
    struct swi_durations *d = &row->durations;
    for (; calls && d->count < SW_DISTRIBUTION_KEPT; calls--)
        swi_row_add(row, ticks, 0);
    if (!calls)
        return;
    extremes(row, ticks);
    d->squares += (swi_u128)(uint64_t)ticks * (uint64_t)ticks * (uint64_t)calls;
    d->sum = swi_ticks_sum(d->sum, (int64_t)((uint64_t)ticks * (uint64_t)calls));
    d->count += calls;
    swi_histogram_add_times(&row->histogram, swi_bin((double)ticks), calls, row->reserve);
}

void swi_row_add_calls(struct swi_row *row, int64_t ticks, int64_t self, int64_t calls)
{
    int64_t all = ticks > 0 ? ticks : 0, longer = all % calls;
    equal_add(row, all / calls, calls - longer);
    equal_add(row, all / calls + 1, longer);
    row->durations.self = swi_ticks_sum(row->durations.self, self);
}

static void rate_bin(struct swi_rates *rates, double rate, struct swi_reserve *reserve)
{
    swi_histogram_add(&rates->histogram, swi_bin_of_size(rate), reserve);
}

/* Adds up several that are equal. */
static void rate_sum(struct swi_rates *rates, double rate, int64_t calls)
{
    double difference = rate - rates->origin;
    rates->sum += difference * (double)calls;
    rates->squares += difference * difference * (double)calls;
    rates->count += calls;
}

static void first_rate_keep(struct swi_rates *r, double rate, struct swi_reserve *reserve)
{
    int64_t count = r->count;
    if (count == 0)
        r->origin = r->min = r->max = rate;
    r->first[count] = rate;
    for (int i = 0; i < SW_DISTRIBUTION_KEPT && count + 1 == SW_DISTRIBUTION_KEPT; i++)
        rate_bin(r, r->first[i], reserve);
}

void swi_row_add_rate(struct swi_row *row, double rate)
{
    struct swi_rates *r = row->rates ? row->rates : rates_new(row);
    if (!r)
        return;
    if (__builtin_expect(r->count >= SW_DISTRIBUTION_KEPT, 1))
        rate_bin(r, rate, row->reserve);
    else
        first_rate_keep(r, rate, row->reserve);
    r->min = rate < r->min ? rate : r->min;
    r->max = rate > r->max ? rate : r->max;
    rate_sum(r, rate, 1);
}

/* The first ones are kept, and a new minimum or maximum is one only once. */
void swi_row_add_rates(struct swi_row *row, double rate, int64_t calls)
{
    struct swi_rates *r = row->rates ? row->rates : rates_new(row);
    for (; r && calls && (r->count < SW_DISTRIBUTION_KEPT || rate < r->min || rate > r->max);
         calls--)
        swi_row_add_rate(row, rate);
    if (!r || !calls)
        return;
    rate_sum(r, rate, calls);
    swi_histogram_add_times(&r->histogram, swi_bin_of_size(rate), calls, row->reserve);
}

static void rates_reset(struct swi_rates *rates)
{
    rates->count = 0;
    rates->sum = 0;
    rates->squares = 0;
    swi_histogram_reset(&rates->histogram);
}

void swi_row_reset(struct swi_row *row)
{
    struct swi_durations *d = &row->durations;
    struct swi_rates *rates = row->rates;
    d->count = 0;
    d->sum = 0;
    d->squares = 0;
    d->self = 0;
    swi_histogram_reset(&row->histogram);
    swi_row_counter_use_reset(row);
    if (rates)
        rates_reset(rates);
}

/* ---- the sum of several ---------------------------------------------------------------------- */

void swi_row_sum_add_calls(struct swi_row_sum *sum, const struct swi_row *row)
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

void swi_row_sum_add(struct swi_row_sum *sum, const struct swi_row *row)
{
    swi_row_sum_add_calls(sum, row);
    if (row->rates && row->rates->count)
        rates_add(sum, row->rates);
}

/* With m = floor(sum / n) and r = sum - n m: the sum of (x - m)^2 = squares - 2 m sum + n m^2 is
 * exact in 128 bits, even if intermediate values overflow. The variance is that sum / n - (r /
 * n)^2, without cancellation. */
double swi_row_sum_variance(const struct swi_row_sum *of)
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
