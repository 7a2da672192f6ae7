/* SPDX-License-Identifier: MIT */
/* histogram.h - log-linear histograms: 64 bins to each power of two, so that the middle of a bin is
 * within 1/128 (0.8 %) of every value in it. The idea is that of HdrHistogram,
 * http://hdrhistogram.org. */
#ifndef CORE_HISTOGRAM_H
#define CORE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SWI_BIN_BITS = 6,
    SWI_BINS_OCTAVE = 1 << SWI_BIN_BITS,
    /* Durations: 1 tick (with 0) to 2^48, a day of a 3 GHz counter; longer ones fall into the last
       bin. */
    SWI_DURATION_BITS = 48,
    SWI_DURATION_BINS = SWI_DURATION_BITS * SWI_BINS_OCTAVE,
    /* Rates in samples per tick, from 2^-52 to 2^12; beyond, the first or last bin. */
    SWI_RATE_LOW = -52,
    SWI_RATE_HIGH = 12,
    SWI_RATE_BINS = (SWI_RATE_HIGH - SWI_RATE_LOW) * SWI_BINS_OCTAVE
};

/* Exponent and leading bits of a positive double, as IEEE 754 stores them, are such a bin already:
 * bins from 2^low on. (Faster than counting leading zeros, which older x86 does in microcode.) */
static inline int64_t swi_bin(double value, int low)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int64_t)(bits >> (52 - SWI_BIN_BITS)) - (int64_t)(1023 + low) * SWI_BINS_OCTAVE;
}

/* The first value of a bin; that of bin + 1 is where it ends. */
static inline double swi_bin_edge(size_t bin, int low)
{
    uint64_t bits = ((uint64_t)(1023 + low) * SWI_BINS_OCTAVE + bin) << (52 - SWI_BIN_BITS);
    double edge;
    memcpy(&edge, &bits, sizeof edge);
    return edge;
}

/* ticks >= 0. Below 64 every value has a bin of its own. */
static inline size_t swi_duration_bin(int64_t ticks)
{
    if (__builtin_expect(ticks >> SWI_DURATION_BITS, 0))
        return SWI_DURATION_BINS - 1;
    return (size_t)swi_bin((double)(ticks + !ticks), 0);
}

static inline double swi_duration_edge(size_t bin)
{
    return bin ? swi_bin_edge(bin, 0) : 0;
}

static inline size_t swi_rate_bin(double rate)
{
    int64_t bin = swi_bin(rate, SWI_RATE_LOW);
    return bin < 0 ? 0 : bin >= SWI_RATE_BINS ? SWI_RATE_BINS - 1 : (size_t)bin;
}

static inline double swi_rate_edge(size_t bin)
{
    return swi_bin_edge(bin, SWI_RATE_LOW);
}

#endif
