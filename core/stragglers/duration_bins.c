/* SPDX-License-Identifier: MIT */
#include "core/stragglers/straggler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bins 0 to 63 are one nanosecond wide. Each further power of two has 64 bins. */
unsigned swi_duration_bins_place(uint64_t ns)
{
    if (ns < 64)
        return (unsigned)ns;
    unsigned power = 63 - (unsigned)__builtin_clzll(ns);
    return (power - 5) * 64 + (unsigned)(ns >> (power - 6)) - 64;
}

static double middle_of(unsigned bin)
{
    if (bin < 64)
        return bin;
    unsigned power = bin / 64 + 5;
    double width = ldexp(1, (int)power - 6);
    return ldexp(1, (int)power) + (bin % 64 + 0.5) * width;
}

static void add(struct swi_duration_bins *bins, unsigned bin, uint64_t count)
{
    if (!bins->count)
        bins->count = calloc(SWI_DURATION_BINS, sizeof *bins->count);
    if (!bins->count)
        return;
    bins->count[bin < SWI_DURATION_BINS ? bin : SWI_DURATION_BINS - 1] += count;
    bins->values += count;
}

void swi_duration_bins_add(struct swi_duration_bins *bins, int64_t ns, int64_t times)
{
    add(bins, swi_duration_bins_place(ns < 0 ? 0 : (uint64_t)ns), (uint64_t)times);
}

/* In a log, the bin is the exponent and the leading bits of a double. From 64 ns on, the bins are
 * the same here. */
void swi_duration_bins_put(struct swi_duration_bins *bins, int64_t logged, int64_t count)
{
    uint64_t bits = ((uint64_t)logged << 46) + (UINT64_C(1) << 45);
    double middle;
    memcpy(&middle, &bits, sizeof middle);
    if (count > 0 && logged >= 0 && middle >= 0 && middle < 0x1p63)
        add(bins, swi_duration_bins_place((uint64_t)middle), (uint64_t)count);
}

double swi_duration_bins_quantile(const struct swi_duration_bins *bins, double share)
{
    double before = 0, wanted = share * (double)bins->values;
    if (!bins->values)
        return NAN;
    for (unsigned bin = 0; bin < SWI_DURATION_BINS; bin++) {
        before += (double)bins->count[bin];
        if (bins->count[bin] && before >= wanted)
            return middle_of(bin);
    }
    return NAN;
}

void swi_duration_bins_free(struct swi_duration_bins *bins)
{
    free(bins->count);
    *bins = (struct swi_duration_bins){0};
}
