/* SPDX-License-Identifier: MIT */
#include "core/rows/row.h"
#include "core/counters/counted_memory.h"
#include "core/rows/counter_use.h"
#include "core/rows/fold_memory.h"
#include "core/text/vec.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- histograms ------------------------------------------------------------------------------ */

double swi_bin_edge(uint64_t bin)
{
    uint64_t bits = bin << (52 - SWI_BIN_BITS);
    double edge;
    memcpy(&edge, &bits, sizeof edge);
    return edge;
}

double swi_duration_edge(uint64_t bin)
{
    return bin > SWI_BIN_OF_ONE ? swi_bin_edge(bin) : 0;
}

/* ---- the reserve ----------------------------------------------------------------------------- */

enum { SLAB_LEAST = 32 };

struct swi_slab {
    struct swi_slab *next;
    struct swi_octave octave[];
};

void swi_reserve_fill(struct swi_reserve *reserve, size_t count)
{
    if (reserve->left >= count)
        return;
    size_t room = count > SLAB_LEAST ? count : SLAB_LEAST;
    struct swi_slab *slab = swi_fold_alloc(sizeof *slab + room * sizeof *slab->octave);
    if (!slab)
        return;
    slab->next = reserve->slab;
    reserve->slab = slab;
    reserve->left = room;
}

void swi_reserve_fini(struct swi_reserve *reserve)
{
    for (struct swi_slab *slab = reserve->slab, *next; slab; slab = next) {
        next = slab->next;
        swi_fold_free(slab);
    }
    *reserve = (struct swi_reserve){0};
}

static struct swi_octave *reserve_take(struct swi_reserve *reserve)
{
    swi_reserve_fill(reserve, 1);
    return reserve->left ? &reserve->slab->octave[--reserve->left] : NULL;
}

/* ---- histograms ------------------------------------------------------------------------------ */

static void octave_reset(struct swi_octave *octave)
{
    for (size_t i = 0; i < SWI_BINS_OCTAVE; i++)
        octave->bin[i] = 0;
}

/* The end of every slot's list. */
static struct swi_octave none = {.number = UINT64_MAX};

void swi_histogram_init(struct swi_histogram *histogram)
{
    for (size_t i = 0; i < SWI_OCTAVE_SLOTS; i++)
        histogram->slot[i] = &none;
}

static struct swi_octave *octave_new(uint64_t number, struct swi_reserve *reserve)
{
    struct swi_octave *octave = reserve_take(reserve);
    if (!octave)
        return NULL;
    octave_reset(octave);
    octave->number = number;
    octave->next = &none;
    return octave;
}

/* Returns the link to the octave in the slot's list, or where to append it. */
static struct swi_octave **octave_link(struct swi_octave **link, uint64_t number)
{
    while (*link != &none && (*link)->number != number)
        link = &(*link)->next;
    return link;
}

/* Returns NULL if out of memory. */
static struct swi_octave *octave_get(struct swi_histogram *histogram, uint64_t number,
                                     struct swi_reserve *reserve)
{
    struct swi_octave **link = octave_link(&histogram->slot[number % SWI_OCTAVE_SLOTS], number);
    struct swi_octave *octave = *link;
    if (octave != &none)
        return octave;
    octave = octave_new(number, reserve);
    if (octave)
        *link = octave;
    else
        reserve->lost++;
    return octave;
}

/* Counts a value so many times. */
static void histogram_add_times(struct swi_histogram *histogram, uint64_t bin, int64_t times,
                                struct swi_reserve *reserve)
{
    struct swi_octave *octave = octave_get(histogram, bin / SWI_BINS_OCTAVE, reserve);
    if (!octave)
        return;
    unsigned *word = &octave->bin[bin % SWI_BINS_OCTAVE];
    bool fits = (uint64_t)times <= UINT_MAX - *word;
    *word = fits ? *word + (unsigned)times : UINT_MAX;
}

void swi_histogram_add_new(struct swi_histogram *histogram, uint64_t bin,
                           struct swi_reserve *reserve)
{
    struct swi_octave *octave = octave_get(histogram, bin / SWI_BINS_OCTAVE, reserve);
    if (octave)
        swi_octave_add(octave, bin);
}

static struct swi_octave *octave_next(struct swi_octave *const *link)
{
    struct swi_octave *octave = *link;
    return octave == &none ? NULL : octave;
}

void swi_histogram_reset(struct swi_histogram *histogram)
{
    for (size_t i = 0; i < SWI_OCTAVE_SLOTS; i++)
        for (struct swi_octave *octave = octave_next(&histogram->slot[i]); octave;
             octave = octave_next(&octave->next))
            octave_reset(octave);
}

/* ---- for readers ----------------------------------------------------------------------------- */

static uint64_t bin_at_least(uint64_t bin, uint64_t first)
{
    bool negative = bin >= (uint64_t)2048 * SWI_BINS_OCTAVE;
    return negative || bin < first ? first : bin;
}

static bool bins_append(struct swi_bins *bins, uint64_t bin, uint64_t count)
{
    if (!swi_vec_grow(&bins->item, bins->count, &bins->capacity, sizeof *bins->item))
        return false;
    bins->item[bins->count++] = (struct swi_bin_count){bin, count};
    return true;
}

bool swi_bins_add_value(struct swi_bins *bins, uint64_t bin, uint64_t first)
{
    return bins_append(bins, bin_at_least(bin, first), 1);
}

static bool octave_add(struct swi_bins *bins, const struct swi_octave *octave, uint64_t first)
{
    bool all = true;
    for (size_t i = 0; i < SWI_BINS_OCTAVE; i++) {
        uint64_t bin = bin_at_least(octave->number * SWI_BINS_OCTAVE + i, first);
        if (octave->bin[i])
            all = bins_append(bins, bin, octave->bin[i]) && all;
    }
    return all;
}

bool swi_bins_add(struct swi_bins *bins, const struct swi_histogram *histogram, uint64_t first)
{
    bool all = true;
    for (size_t i = 0; i < SWI_OCTAVE_SLOTS; i++)
        for (const struct swi_octave *octave = octave_next(&histogram->slot[i]); octave;
             octave = octave_next(&octave->next))
            all = octave_add(bins, octave, first) && all;
    return all;
}

static int by_bin(const void *a, const void *b)
{
    const struct swi_bin_count *x = a, *y = b;
    return (x->bin > y->bin) - (x->bin < y->bin);
}

void swi_bins_sort(struct swi_bins *bins)
{
    size_t kept = 0;
    if (bins->count)
        qsort(bins->item, bins->count, sizeof *bins->item, by_bin);
    for (size_t i = 0; i < bins->count; i++) {
        if (kept && bins->item[kept - 1].bin == bins->item[i].bin)
            bins->item[kept - 1].count += bins->item[i].count;
        else
            bins->item[kept++] = bins->item[i];
    }
    bins->count = kept;
}

void swi_bins_fini(struct swi_bins *bins)
{
    free(bins->item);
    *bins = (struct swi_bins){0};
}

/* ---- rows ------------------------------------------------------------------------------------ */

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
    histogram_add_times(&row->histogram, swi_bin((double)ticks), calls, row->reserve);
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
    histogram_add_times(&r->histogram, swi_bin_of_size(rate), calls, row->reserve);
}
