/* SPDX-License-Identifier: MIT */
#include "core/rows/row.h"
#include "core/counters/counted_memory.h"
#include "core/rows/counter_use.h"

#include <math.h>
#include <stdlib.h>

static swi_u128 squares_of(uint64_t high, uint64_t low)
{
    return (swi_u128)high << 64 | low;
}

/* No duration is usual before SW_DISTRIBUTION_KEPT of them were added. */
static void usual_set(struct swi_row *row, int64_t count)
{
    bool known = count >= SW_DISTRIBUTION_KEPT;
    row->durations.usual_low = known ? (uint64_t)row->min : UINT64_MAX;
    row->durations.usual_span = known ? (uint64_t)(row->max - row->min) : 0;
}

/* No rate is usual before SW_DISTRIBUTION_KEPT of them were added, because no rate lies between NAN
 * and NAN. */
static void usual_rate_set(struct swi_rates *rates, int64_t count)
{
    bool known = count >= SW_DISTRIBUTION_KEPT;
    rates->usual_low = known ? rates->min : NAN;
    rates->usual_high = known ? rates->max : NAN;
}

struct swi_row *swi_row_alloc(void)
{
    return calloc(1, sizeof(struct swi_row));
}

void swi_row_init(struct swi_row *row, enum sw_phase phase, int action, struct swi_reserve *reserve)
{
    row->phase = phase;
    row->action = action;
    row->reserve = reserve;
    swi_histogram_init(&row->histogram);
    usual_set(row, 0);
}

/* Allocates the row's rates. Returns NULL if out of memory. */
static struct swi_rates *rates_new(struct swi_row *row)
{
    SWI_OWN_MEMORY;
    struct swi_rates *rates = calloc(1, sizeof *rates);
    if (!rates) {
        row->reserve->lost++;
        return NULL;
    }
    swi_histogram_init(&rates->histogram);
    usual_rate_set(rates, 0);
    row->rates = rates;
    return rates;
}

void swi_row_fini(struct swi_row *row)
{
    free(row->rates);
    free(row->uses);
}

static void extremes(struct swi_row *row, int64_t ticks, int64_t count)
{
    if (count == 0 || ticks < row->min)
        row->min = ticks;
    if (count == 0 || ticks > row->max)
        row->max = ticks;
}

static void duration_bin(struct swi_row *row, int64_t ticks)
{
    swi_histogram_add(&row->histogram, swi_bin((double)ticks), row->reserve);
}

int64_t swi_row_unusual(struct swi_row *row, int64_t ticks)
{
    int64_t count = row->durations.count;
    if (count >= SW_DISTRIBUTION_KEPT)
        duration_bin(row, ticks);
    ticks = ticks > 0 ? ticks : 0;
    extremes(row, ticks, count);
    if (count < SW_DISTRIBUTION_KEPT)
        row->first[count] = ticks;
    for (int i = 0; i < SW_DISTRIBUTION_KEPT && count + 1 == SW_DISTRIBUTION_KEPT; i++)
        duration_bin(row, row->first[i]);
    usual_set(row, count + 1);
    return ticks;
}

/* The first ones are kept, and a new minimum or maximum is one only once. */
static void equal_add(struct swi_row *row, int64_t ticks, int64_t calls)
{
    struct swi_durations *d = &row->durations;
    for (; calls && !swi_row_usual(row, ticks); calls--)
        swi_row_add(row, ticks, 0);
    if (!calls)
        return;
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

static bool rate_is_usual(const struct swi_rates *rates, double rate)
{
    return rates && rate >= rates->usual_low && rate <= rates->usual_high;
}

static void rate_bin(struct swi_rates *rates, double rate, struct swi_reserve *reserve)
{
    swi_histogram_add(&rates->histogram, swi_bin_of_size(rate), reserve);
}

/* Handles a rate that is among the first, or a new minimum or maximum, as swi_row_unusual() does
 * with a duration. */
static void rates_unusual(struct swi_rates *rates, double rate, struct swi_reserve *reserve)
{
    int64_t count = rates->count;
    if (count >= SW_DISTRIBUTION_KEPT)
        rate_bin(rates, rate, reserve);
    if (count == 0)
        rates->origin = rate;
    if (count == 0 || rate < rates->min)
        rates->min = rate;
    if (count == 0 || rate > rates->max)
        rates->max = rate;
    if (count < SW_DISTRIBUTION_KEPT)
        rates->first[count] = rate;
    for (int i = 0; i < SW_DISTRIBUTION_KEPT && count + 1 == SW_DISTRIBUTION_KEPT; i++)
        rate_bin(rates, rates->first[i], reserve);
    usual_rate_set(rates, count + 1);
}

void swi_row_add_rate(struct swi_row *row, double rate)
{
    struct swi_rates *r = row->rates;
    if (!r && !(r = rates_new(row)))
        return;
    if (rate_is_usual(r, rate))
        rate_bin(r, rate, row->reserve);
    else
        rates_unusual(r, rate, row->reserve);
    double difference = rate - r->origin;
    r->sum += difference;
    r->squares += difference * difference;
    r->count++;
}

void swi_row_add_rates(struct swi_row *row, double rate, int64_t calls)
{
    for (; calls && !rate_is_usual(row->rates, rate); calls--) {
        swi_row_add_rate(row, rate);
        if (!row->rates)
            return;
    }
    struct swi_rates *r = row->rates;
    if (!calls || !r)
        return;
    double difference = rate - r->origin;
    r->sum += difference * (double)calls;
    r->squares += difference * difference * (double)calls;
    r->count += calls;
    swi_histogram_add_times(&r->histogram, swi_bin_of_size(rate), calls, row->reserve);
}

static void rates_reset(struct swi_rates *rates)
{
    rates->count = 0;
    rates->sum = 0;
    rates->squares = 0;
    usual_rate_set(rates, 0);
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
    usual_set(row, 0);
    swi_histogram_reset(&row->histogram);
    swi_row_counter_use_reset(row);
    if (rates)
        rates_reset(rates);
}

static void rates_copy(const struct swi_rates *r, struct swi_row_copy *copy)
{
    copy->rate_count = r->count;
    copy->rate_origin = r->origin;
    copy->rate_sum = r->sum;
    copy->rate_squares = r->squares;
    copy->rate_min = r->min;
    copy->rate_max = r->max;
    for (int i = 0; i < SW_DISTRIBUTION_KEPT; i++)
        copy->rate_first[i] = r->first[i];
}

void swi_row_copy(const struct swi_row *row, struct swi_row_copy *copy)
{
    const struct swi_durations *d = &row->durations;
    const struct swi_rates *rates = row->rates;
    *copy = (struct swi_row_copy){
        .count = d->count,
        .sum = d->sum,
        .self = d->self,
        .min = row->min,
        .max = row->max,
        .squares_low = (uint64_t)d->squares,
        .squares_high = (uint64_t)(d->squares >> 64),
    };
    for (int i = 0; i < SW_DISTRIBUTION_KEPT; i++)
        copy->first[i] = row->first[i];
    if (rates)
        rates_copy(rates, copy);
}

static void calls_add(struct swi_row_copy *sum, const struct swi_row_copy *other)
{
    bool first = sum->count == 0;
    swi_u128 squares = squares_of(sum->squares_high, sum->squares_low) +
                       squares_of(other->squares_high, other->squares_low);
    sum->squares_low = (uint64_t)squares;
    sum->squares_high = (uint64_t)(squares >> 64);
    for (int64_t i = 0; i < other->count && sum->count + i < SW_DISTRIBUTION_KEPT; i++)
        sum->first[sum->count + i] = other->first[i];
    sum->min = first || other->min < sum->min ? other->min : sum->min;
    sum->max = first || other->max > sum->max ? other->max : sum->max;
    sum->sum = swi_ticks_sum(sum->sum, other->sum);
    sum->self = swi_ticks_sum(sum->self, other->self);
    sum->count += other->count;
}

/* The sums are of differences from the origin, so those of the other row are moved to this one's.
 */
static void rates_add(struct swi_row_copy *sum, const struct swi_row_copy *other)
{
    bool first = sum->rate_count == 0;
    double origin = first ? other->rate_origin : sum->rate_origin;
    double shift = other->rate_origin - origin, n = (double)other->rate_count;
    double squares = other->rate_squares + shift * (2 * other->rate_sum + n * shift);
    for (int64_t i = 0; i < other->rate_count && sum->rate_count + i < SW_DISTRIBUTION_KEPT; i++)
        sum->rate_first[sum->rate_count + i] = other->rate_first[i];
    sum->rate_min = first || other->rate_min < sum->rate_min ? other->rate_min : sum->rate_min;
    sum->rate_max = first || other->rate_max > sum->rate_max ? other->rate_max : sum->rate_max;
    sum->rate_origin = origin;
    sum->rate_sum = (first ? 0 : sum->rate_sum) + other->rate_sum + n * shift;
    sum->rate_squares = (first ? 0 : sum->rate_squares) + squares;
    sum->rate_count += other->rate_count;
}

void swi_row_copy_add(struct swi_row_copy *sum, const struct swi_row_copy *other)
{
    if (other->count)
        calls_add(sum, other);
    if (other->rate_count)
        rates_add(sum, other);
}

/* With m = floor(sum / n) and r = sum - n m: the sum of (x - m)^2 = squares - 2 m sum + n m^2 is
 * exact in 128 bits, even if intermediate values overflow. The variance is that sum / n - (r /
 * n)^2, without cancellation. */
double swi_row_copy_variance(const struct swi_row_copy *copy)
{
    if (copy->count < 2)
        return 0;
    swi_u128 n = (swi_u128)(uint64_t)copy->count, sum = (swi_u128)(uint64_t)copy->sum;
    swi_u128 m = (swi_u128)(uint64_t)(copy->sum / copy->count);
    swi_u128 squares = squares_of(copy->squares_high, copy->squares_low) - 2 * m * sum + n * m * m;
    double rest = (double)(copy->sum % copy->count) / (double)copy->count;
    double variance = (double)squares / (double)copy->count - rest * rest;
    return variance > 0 ? variance : 0;
}
