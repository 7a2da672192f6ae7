/* SPDX-License-Identifier: MIT */
#include "core/rows/row.h"
#include "core/counters/counted_memory.h"
#include "core/rows/counter_use.h"
#include "core/rows/fold_memory.h"

#include <math.h>
#include <stdlib.h>

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
