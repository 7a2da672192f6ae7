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
    /* Durations: 1 tick to 2^48 (a day of a 3 GHz counter); longer ones fall into the last bin. */
    SWI_DURATION_BITS = 48,
    SWI_DURATION_BINS = (SWI_DURATION_BITS - SWI_BIN_BITS + 1) * SWI_BINS_OCTAVE,
    /* Rates in samples per tick, from 2^-52 to 2^12; beyond, the first or last bin. */
    SWI_RATE_LOW = -52,
    SWI_RATE_HIGH = 12,
    SWI_RATE_BINS = (SWI_RATE_HIGH - SWI_RATE_LOW) * SWI_BINS_OCTAVE
};

/* Below 64 every value has its own bin; above, the 6 bits after the leading one tell the bin. ticks
 * >= 0. */
static inline size_t swi_duration_bin(int64_t ticks)
{
    uint64_t v = (uint64_t)ticks;
    if (v >> SWI_DURATION_BITS)
        return SWI_DURATION_BINS - 1;
    int shift = 63 - __builtin_clzll(v | SWI_BINS_OCTAVE) - SWI_BIN_BITS;
    return ((size_t)shift << SWI_BIN_BITS) + (size_t)(v >> shift);
}

/* The first value of a bin; that of bin + 1 is where it ends. */
static inline double swi_duration_edge(size_t bin)
{
    if (bin < 2 * SWI_BINS_OCTAVE)
        return (double)bin;
    size_t shift = (bin >> SWI_BIN_BITS) - 1;
    return (double)(((bin & (SWI_BINS_OCTAVE - 1)) | SWI_BINS_OCTAVE)) *
           (double)(UINT64_C(1) << shift);
}

/* Exponent and leading bits of a positive double, as IEEE 754 stores them, are such a bin already.
 */
static inline size_t swi_rate_bin(double rate)
{
    uint64_t bits;
    memcpy(&bits, &rate, sizeof bits);
    int64_t bin =
        (int64_t)(bits >> (52 - SWI_BIN_BITS)) - (int64_t)(1023 + SWI_RATE_LOW) * SWI_BINS_OCTAVE;
    return bin < 0 ? 0 : bin >= SWI_RATE_BINS ? SWI_RATE_BINS - 1 : (size_t)bin;
}

static inline double swi_rate_edge(size_t bin)
{
    uint64_t bits = ((uint64_t)(1023 + SWI_RATE_LOW) * SWI_BINS_OCTAVE + bin)
                    << (52 - SWI_BIN_BITS);
    double edge;
    memcpy(&edge, &bits, sizeof edge);
    return edge;
}

#endif
