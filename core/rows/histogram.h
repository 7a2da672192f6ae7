/* SPDX-License-Identifier: MIT */
/* histogram.h - log-linear histograms: 64 bins for each power of two, so that the middle of a bin
 * is within 1/128 (0.8 %) of every value in it. The idea is that of HdrHistogram,
 * http://hdrhistogram.org.
 *
 * Only octaves (powers of two) that hold a value take memory. Most actions use two or three of the
 * 63 that a duration in ticks may have. */
#ifndef CORE_ROWS_HISTOGRAM_H
#define CORE_ROWS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    SWI_BIN_BITS = 6,
    SWI_BINS_OCTAVE = 1 << SWI_BIN_BITS,
    /* Neighbouring octaves have different slots, so few actions ever search a slot's list. */
    SWI_OCTAVE_SLOTS = 16
};

/* ---- which bin ------------------------------------------------------------------------------- */

/* Returns the bin of a value: the exponent and the leading bits of a double, as IEEE 754 stores
 * them. (That is faster than counting leading zeros, for which older x86 processors use microcode.)
 * A negative value has a bin beyond all others, and readers take it for 0. Negative values occur
 * only if the counters of two CPUs differ by some ticks. */
static inline uint64_t swi_bin(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> (52 - SWI_BIN_BITS);
}

/* Returns the bin of the absolute value. (fabs() would read a constant, which is one more cache
 * line and page.) */
static inline uint64_t swi_bin_of_size(double value)
{
    return swi_bin(value) & (((uint64_t)1 << (11 + SWI_BIN_BITS)) - 1);
}

/* The first bin of any value, and of durations, where 0 ticks share the bin of 1 tick. */
#define SWI_BIN_FIRST UINT64_C(0)
#define SWI_BIN_OF_ONE ((uint64_t)1023 * SWI_BINS_OCTAVE)

/* Returns the lower edge of a bin. Its upper edge is the lower edge of bin + 1. */
double swi_bin_edge(uint64_t bin);

/* Returns the lower edge of a bin of durations in ticks. The bin of 1 begins at 0. */
double swi_duration_edge(uint64_t bin);

/* ---- memory ---------------------------------------------------------------------------------- */

/* The bins of one power of two. */
struct swi_octave {
    struct swi_octave *next; /* the next octave in the same slot */
    uint64_t number;
    unsigned bin[SWI_BINS_OCTAVE];
};

/* Octaves that a thread has in reserve, so that a new one needs no allocation in a warm loop.
 * Unused memory is not touched. */
struct swi_reserve {
    struct swi_slab *slab; /* the newest; all others are used up */
    size_t left;           /* octaves left in it */
    int64_t lost;          /* values that were dropped because memory ran out */
};

/* Allocates memory so that at least `count` octaves are ready; fewer if memory runs out. */
void swi_reserve_fill(struct swi_reserve *reserve, size_t count);
/* Frees all octaves that were taken from the reserve. */
void swi_reserve_fini(struct swi_reserve *reserve);

/* ---- histograms ------------------------------------------------------------------------------ */

/* Each slot is a list sorted by the octaves' first use, so the usual octave is mostly the first. It
 * ends with an octave that no value has, so that no code needs to check for NULL. */
struct swi_histogram {
    struct swi_octave *slot[SWI_OCTAVE_SLOTS];
};

void swi_histogram_init(struct swi_histogram *histogram);

/* Counts a value whose octave is new or is not the first of its slot. */
void swi_histogram_add_new(struct swi_histogram *histogram, uint64_t bin,
                           struct swi_reserve *reserve);

/* Counts a value in an octave. A bin that is full stays full. */
static inline void swi_octave_add(struct swi_octave *octave, uint64_t bin)
{
    unsigned *word = &octave->bin[bin % SWI_BINS_OCTAVE];
    unsigned count = (*word) + 1;
    if (__builtin_expect(count != 0, 1))
        *word = count;
}

/* Counts a value. */
static inline void swi_histogram_add(struct swi_histogram *histogram, uint64_t bin,
                                     struct swi_reserve *reserve)
{
    uint64_t number = bin / SWI_BINS_OCTAVE;
    struct swi_octave *octave = histogram->slot[number % SWI_OCTAVE_SLOTS];
    if (__builtin_expect(octave->number == number, 1))
        swi_octave_add(octave, bin);
    else
        swi_histogram_add_new(histogram, bin, reserve);
}

/* Clears all counts. The octaves stay. */
void swi_histogram_reset(struct swi_histogram *histogram);

/* ---- for readers ----------------------------------------------------------------------------- */

/* The used bins of one or more histograms. */
struct swi_bins {
    size_t count;
    size_t capacity;
    struct swi_bin_count {
        uint64_t bin;
        uint64_t count;
    } * item;
};

/* A copy of an octave. */
struct swi_octave_copy {
    uint64_t number;
    unsigned bin[SWI_BINS_OCTAVE];
};

/* Copies as many octaves as there is room for. Returns how many the histogram has. */
size_t swi_histogram_copy(const struct swi_histogram *histogram, struct swi_octave_copy *to,
                          size_t room);

/* Appends the used bins of some octaves, in no particular order. A value that is negative or below
 * the first bin counts in the first bin. Returns false if out of memory. */
bool swi_bins_add(struct swi_bins *bins, const struct swi_octave_copy *octave, size_t count,
                  uint64_t first);
/* Sorts the bins in ascending order and merges equal ones. */
void swi_bins_sort(struct swi_bins *bins);
void swi_bins_fini(struct swi_bins *bins);

#endif
