/* SPDX-License-Identifier: MIT */
#include "core/row.h"

#include <math.h>
#include <stdlib.h>

static swi_u128 squares_of(uint64_t high, uint64_t low)
{
    return (swi_u128)high << 64 | low;
}

/* No duration is usual before SW_DISTRIBUTION_KEPT of them were seen. */
static void usual_set(struct swi_row *row, int64_t count)
{
    const struct swi_durations *d = &row->durations;
    bool known = count >= SW_DISTRIBUTION_KEPT;
    row->usual_low = known ? (uint64_t)SWI_GET(d->min) : UINT64_MAX;
    row->usual_span = known ? (uint64_t)(SWI_GET(d->max) - SWI_GET(d->min)) : 0;
}

/* No rate is usual before SW_DISTRIBUTION_KEPT of them were seen: not even NAN is. */
static void usual_rate_set(struct swi_row *row, int64_t count)
{
    bool known = count >= SW_DISTRIBUTION_KEPT;
    row->usual_rate_low = known ? SWI_GET(row->rates.min) : NAN;
    row->usual_rate_high = known ? SWI_GET(row->rates.max) : NAN;
}

struct swi_row *swi_row_new(enum sw_phase phase, int action)
{
    struct swi_row *row = malloc(sizeof *row);
    if (!row)
        return NULL;
    memset(row, 0, sizeof *row);
    row->phase = phase;
    row->action = action;
    usual_set(row, 0);
    usual_rate_set(row, 0);
    return row;
}

static void extremes(struct swi_durations *d, int64_t ticks, int64_t count)
{
    if (count == 0 || ticks < SWI_GET(d->min))
        SWI_SET(d->min, ticks);
    if (count == 0 || ticks > SWI_GET(d->max))
        SWI_SET(d->max, ticks);
}

int64_t swi_row_unusual(struct swi_row *row, int64_t ticks)
{
    struct swi_durations *d = &row->durations;
    int64_t count = SWI_GET(d->count);
    ticks = ticks > 0 ? ticks : 0;
    extremes(d, ticks, count);
    if (count < SW_DISTRIBUTION_KEPT)
        SWI_SET(d->first[count], ticks);
    usual_set(row, count + 1);
    return ticks;
}

void swi_row_unusual_rate(struct swi_row *row, double rate)
{
    struct swi_rates *r = &row->rates;
    int64_t count = SWI_GET(r->count);
    if (count == 0)
        SWI_SET(r->origin, rate);
    if (count == 0 || rate < SWI_GET(r->min))
        SWI_SET(r->min, rate);
    if (count == 0 || rate > SWI_GET(r->max))
        SWI_SET(r->max, rate);
    if (count < SW_DISTRIBUTION_KEPT)
        SWI_SET(r->first[count], rate);
    usual_rate_set(row, count + 1);
}

static void bins_reset(atomic_uint *bin, size_t count)
{
    for (size_t i = 0; i < count; i++)
        SWI_SET(bin[i], 0);
}

void swi_row_reset(struct swi_row *row)
{
    struct swi_durations *d = &row->durations;
    SWI_SET(d->count, 0);
    SWI_SET(d->sum, 0);
    SWI_SET(d->squares_low, 0);
    SWI_SET(d->squares_high, 0);
    SWI_SET(d->self, 0);
    SWI_SET(row->rates.count, 0);
    SWI_SET(row->rates.sum, 0);
    SWI_SET(row->rates.squares, 0);
    usual_set(row, 0);
    usual_rate_set(row, 0);
    bins_reset(row->duration_bin, SWI_DURATION_BINS);
    bins_reset(row->rate_bin, SWI_RATE_BINS);
}

void swi_row_copy(const struct swi_row *row, struct swi_row_copy *copy)
{
    const struct swi_durations *d = &row->durations;
    const struct swi_rates *r = &row->rates;
    *copy = (struct swi_row_copy){
        .count = SWI_GET(d->count),
        .sum = SWI_GET(d->sum),
        .self = SWI_GET(d->self),
        .min = SWI_GET(d->min),
        .max = SWI_GET(d->max),
        .squares_low = SWI_GET(d->squares_low),
        .squares_high = SWI_GET(d->squares_high),
        .rate_count = SWI_GET(r->count),
        .rate_origin = SWI_GET(r->origin),
        .rate_sum = SWI_GET(r->sum),
        .rate_squares = SWI_GET(r->squares),
        .rate_min = SWI_GET(r->min),
        .rate_max = SWI_GET(r->max),
    };
    for (int i = 0; i < SW_DISTRIBUTION_KEPT; i++) {
        copy->first[i] = SWI_GET(d->first[i]);
        copy->rate_first[i] = SWI_GET(r->first[i]);
    }
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

/* Only rows of the loop thread have rates, and those are never added up: they stay as they are. */
void swi_row_copy_add(struct swi_row_copy *sum, const struct swi_row_copy *other)
{
    if (other->count == 0)
        return;
    if (sum->count == 0) {
        *sum = *other;
        return;
    }
    swi_u128 squares = squares_of(sum->squares_high, sum->squares_low) +
                       squares_of(other->squares_high, other->squares_low);
    sum->squares_low = (uint64_t)squares;
    sum->squares_high = (uint64_t)(squares >> 64);
    for (int64_t i = 0; i < other->count && sum->count + i < SW_DISTRIBUTION_KEPT; i++)
        sum->first[sum->count + i] = other->first[i];
    sum->min = other->min < sum->min ? other->min : sum->min;
    sum->max = other->max > sum->max ? other->max : sum->max;
    sum->sum += other->sum;
    sum->self += other->self;
    sum->count += other->count;
}

/* With m = floor(sum / n) and r = sum - n m: sum of (x - m)^2 = squares - 2 m sum + n m^2, exact in
 * 128 bits whatever overflows on the way, and var = that / n - (r / n)^2, where nothing is
 * cancelled. */
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
