/* SPDX-License-Identifier: MIT */
#include "core/rows/row.h"
#include "core/counters/counted_memory.h"
#include "core/rows/counter_use.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static swi_u128 squares_of(uint64_t high, uint64_t low)
{
    return (swi_u128)high << 64 | low;
}

/* No duration is usual before SW_DISTRIBUTION_KEPT of them were added. */
static void usual_set(struct swi_row *row, int64_t count)
{
    bool known = count >= SW_DISTRIBUTION_KEPT;
    row->durations.usual_low = known ? (uint64_t)SWI_GET(row->min) : UINT64_MAX;
    row->durations.usual_span = known ? (uint64_t)(SWI_GET(row->max) - SWI_GET(row->min)) : 0;
}

/* No rate is usual before SW_DISTRIBUTION_KEPT of them were added, because no rate lies between NAN
 * and NAN. */
static void usual_rate_set(struct swi_rates *rates, int64_t count)
{
    bool known = count >= SW_DISTRIBUTION_KEPT;
    rates->usual_low = known ? SWI_GET(rates->min) : NAN;
    rates->usual_high = known ? SWI_GET(rates->max) : NAN;
}

/* Returns zeroed memory at the begin of a cache line, or NULL if out of memory. */
static void *lines_new(size_t size)
{
    size_t lines = (size + 63) / 64 * 64;
    void *memory = aligned_alloc(64, lines);
    return memory ? memset(memory, 0, lines) : NULL;
}

struct swi_row *swi_row_alloc(void)
{
    return lines_new(sizeof(struct swi_row));
}

void swi_row_init(struct swi_row *row, enum sw_phase phase, int action, struct swi_reserve *reserve)
{
    row->phase = phase;
    row->action = action;
    row->reserve = reserve;
    swi_histogram_init(&row->histogram);
    swi_recent_init(&row->recent);
    swi_recent_init(&row->recent_of_rates);
    usual_set(row, 0);
}

struct swi_rates *swi_row_new_rates(struct swi_row *row)
{
    SWI_OWN_MEMORY;
    struct swi_rates *rates = lines_new(sizeof *rates);
    if (!rates) {
        atomic_fetch_add_explicit(&row->reserve->lost, 1, memory_order_relaxed);
        return NULL;
    }
    swi_histogram_init(&rates->histogram);
    usual_rate_set(rates, 0);
    atomic_store_explicit(&row->rates, rates, memory_order_release);
    return rates;
}

void swi_row_fini(struct swi_row *row)
{
    free(SWI_GET(row->rates));
    swi_row_counter_use_free(row);
}

void swi_row_bin_other(struct swi_row *row, uint64_t bin)
{
    swi_recent_add_other(&row->histogram, &row->recent, bin, row->reserve);
}

void swi_row_bin_rate_other(struct swi_row *row, uint64_t bin)
{
    swi_recent_add_other(&SWI_GET(row->rates)->histogram, &row->recent_of_rates, bin, row->reserve);
}

static void extremes(struct swi_row *row, int64_t ticks, int64_t count)
{
    if (count == 0 || ticks < SWI_GET(row->min))
        SWI_SET(row->min, ticks);
    if (count == 0 || ticks > SWI_GET(row->max))
        SWI_SET(row->max, ticks);
}

int64_t swi_row_unusual(struct swi_row *row, int64_t ticks)
{
    int64_t count = SWI_GET(row->durations.count);
    ticks = ticks > 0 ? ticks : 0;
    extremes(row, ticks, count);
    if (count < SW_DISTRIBUTION_KEPT)
        SWI_SET(row->first[count], ticks);
    usual_set(row, count + 1);
    return ticks;
}

void swi_rates_unusual(struct swi_rates *rates, double rate)
{
    int64_t count = SWI_GET(rates->count);
    if (count == 0)
        SWI_SET(rates->origin, rate);
    if (count == 0 || rate < SWI_GET(rates->min))
        SWI_SET(rates->min, rate);
    if (count == 0 || rate > SWI_GET(rates->max))
        SWI_SET(rates->max, rate);
    if (count < SW_DISTRIBUTION_KEPT)
        SWI_SET(rates->first[count], rate);
    usual_rate_set(rates, count + 1);
}

static void rates_reset(struct swi_rates *rates)
{
    SWI_SET(rates->count, 0);
    SWI_SET(rates->sum, 0);
    SWI_SET(rates->squares, 0);
    usual_rate_set(rates, 0);
    swi_histogram_reset(&rates->histogram);
}

void swi_row_reset(struct swi_row *row)
{
    struct swi_durations *d = &row->durations;
    struct swi_rates *rates = SWI_GET(row->rates);
    SWI_SET(d->count, 0);
    SWI_SET(d->sum, 0);
    SWI_SET(d->squares_low, 0);
    SWI_SET(d->squares_high, 0);
    SWI_SET(d->self, 0);
    usual_set(row, 0);
    swi_histogram_reset(&row->histogram);
    swi_row_counter_use_reset(row);
    if (rates)
        rates_reset(rates);
}

static void rates_copy(const struct swi_rates *r, struct swi_row_copy *copy)
{
    copy->rate_count = SWI_GET(r->count);
    copy->rate_origin = SWI_GET(r->origin);
    copy->rate_sum = SWI_GET(r->sum);
    copy->rate_squares = SWI_GET(r->squares);
    copy->rate_min = SWI_GET(r->min);
    copy->rate_max = SWI_GET(r->max);
    for (int i = 0; i < SW_DISTRIBUTION_KEPT; i++)
        copy->rate_first[i] = SWI_GET(r->first[i]);
}

void swi_row_copy(const struct swi_row *row, struct swi_row_copy *copy)
{
    const struct swi_durations *d = &row->durations;
    const struct swi_rates *rates = atomic_load_explicit(&row->rates, memory_order_acquire);
    *copy = (struct swi_row_copy){
        .count = SWI_GET(d->count),
        .sum = SWI_GET(d->sum),
        .self = SWI_GET(d->self),
        .min = SWI_GET(row->min),
        .max = SWI_GET(row->max),
        .squares_low = SWI_GET(d->squares_low),
        .squares_high = SWI_GET(d->squares_high),
    };
    for (int i = 0; i < SW_DISTRIBUTION_KEPT; i++)
        copy->first[i] = SWI_GET(row->first[i]);
    if (rates)
        rates_copy(rates, copy);
}

void swi_row_copy_call(struct swi_row_copy *copy, int64_t ticks, int64_t self)
{
    swi_u128 squares = squares_of(copy->squares_high, copy->squares_low);
    squares += (swi_u128)(uint64_t)ticks * (uint64_t)ticks;
    copy->squares_low = (uint64_t)squares;
    copy->squares_high = (uint64_t)(squares >> 64);
    copy->min = copy->count == 0 || ticks < copy->min ? ticks : copy->min;
    copy->max = copy->count == 0 || ticks > copy->max ? ticks : copy->max;
    if (copy->count < SW_DISTRIBUTION_KEPT)
        copy->first[copy->count] = ticks;
    copy->sum += ticks;
    copy->self += self;
    copy->count++;
}

void swi_row_copy_rate(struct swi_row_copy *copy, double rate)
{
    bool first = copy->rate_count == 0;
    copy->rate_origin = first ? rate : copy->rate_origin;
    copy->rate_sum = first ? 0 : copy->rate_sum;
    copy->rate_squares = first ? 0 : copy->rate_squares;
    copy->rate_min = first || rate < copy->rate_min ? rate : copy->rate_min;
    copy->rate_max = first || rate > copy->rate_max ? rate : copy->rate_max;
    if (copy->rate_count < SW_DISTRIBUTION_KEPT)
        copy->rate_first[copy->rate_count] = rate;
    copy->rate_sum += rate - copy->rate_origin;
    copy->rate_squares += (rate - copy->rate_origin) * (rate - copy->rate_origin);
    copy->rate_count++;
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
    sum->sum += other->sum;
    sum->self += other->self;
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
