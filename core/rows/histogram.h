/* SPDX-License-Identifier: MIT */
/* histogram.h - log-linear histograms: 64 bins to each power of two, so that the middle of a bin is
 * within 1/128 (0.8 %) of every value in it. The idea is that of HdrHistogram,
 * http://hdrhistogram.org.
 *
 * Only the octaves (powers of two) that hold a value take memory: most actions use two or three of
 * the 63 that a duration in ticks may have. One thread adds and takes new octaves from its reserve.
 * Other threads may read meanwhile: an octave that is in a histogram stays in it. */
#ifndef CORE_ROWS_HISTOGRAM_H
#define CORE_ROWS_HISTOGRAM_H

#include <stdatomic.h>
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

/* ---- which bin ---------------------------------------------------------------------------------
 */

/* Exponent and leading bits of a double, as IEEE 754 stores them, are a bin already. (Faster than
 * counting leading zeros, which older x86 does in microcode.) A negative value, which only counters
 * of two CPUs that differ by some ticks make, has a bin beyond all others; readers take it for 0.
 */
static inline uint64_t swi_bin(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> (52 - SWI_BIN_BITS);
}

/* The first bins: of any value, and of durations, where 0 ticks have the bin of 1 tick. */
#define SWI_BIN_FIRST UINT64_C(0)
#define SWI_BIN_OF_ONE ((uint64_t)1023 * SWI_BINS_OCTAVE)

/* The first value of a bin; that of bin + 1 is where it ends. */
double swi_bin_edge(uint64_t bin);

/* The same of durations in ticks: the bin of 1 begins at 0. */
double swi_duration_edge(uint64_t bin);

/* ---- memory ------------------------------------------------------------------------------------
 */

/* The bins of one power of two. */
struct swi_octave {
    _Atomic(struct swi_octave *) next; /* in its slot */
    uint64_t number;
    atomic_uint bin[SWI_BINS_OCTAVE];
};

/* Octaves that a thread has ready, so that a new one is no allocation once the loop is warm. Memory
 * that is not used yet is not touched. */
struct swi_reserve {
    struct swi_slab *slab; /* the newest; all others are used up */
    size_t left;           /* octaves in it */
    atomic_llong lost;     /* values in no histogram, for lack of memory */
};

/* Makes room so that at least `count` octaves are ready. Without memory there are fewer. */
void swi_reserve_fill(struct swi_reserve *reserve, size_t count);
/* Has the system give the memory of the next `count` octaves now. */
void swi_reserve_touch(struct swi_reserve *reserve, size_t count);
/* Frees all octaves that ever came from it. */
void swi_reserve_fini(struct swi_reserve *reserve);

/* ---- histograms --------------------------------------------------------------------------------
 */

/* In each slot a list, in the order of their first values: the usual octave is mostly the first. It
 * ends with an octave of no number, so that nobody asks for NULL. */
struct swi_histogram {
    _Atomic(struct swi_octave *) slot[SWI_OCTAVE_SLOTS];
};

void swi_histogram_init(struct swi_histogram *histogram);

/* Counts a value whose octave is new, or not the first of its slot. */
void swi_histogram_add_new(struct swi_histogram *histogram, uint64_t bin,
                           struct swi_reserve *reserve);

/* A full bin stays full. */
static inline void swi_octave_add(struct swi_octave *octave, uint64_t bin)
{
    atomic_uint *word = &octave->bin[bin % SWI_BINS_OCTAVE];
    unsigned count = atomic_load_explicit(word, memory_order_relaxed) + 1;
    if (__builtin_expect(count != 0, 1))
        atomic_store_explicit(word, count, memory_order_relaxed);
}

/* Counts a value. */
static inline void swi_histogram_add(struct swi_histogram *histogram, double value,
                                     struct swi_reserve *reserve)
{
    uint64_t bin = swi_bin(value), number = bin / SWI_BINS_OCTAVE;
    struct swi_octave *octave =
        atomic_load_explicit(&histogram->slot[number % SWI_OCTAVE_SLOTS], memory_order_relaxed);
    if (__builtin_expect(octave->number == number, 1))
        swi_octave_add(octave, bin);
    else
        swi_histogram_add_new(histogram, bin, reserve);
}

/* Empties it; its octaves stay. */
void swi_histogram_reset(struct swi_histogram *histogram);

/* ---- for readers -------------------------------------------------------------------------------
 */

/* The used bins of one or more histograms. */
struct swi_bins {
    size_t count;
    size_t capacity;
    struct swi_bin_count {
        uint64_t bin;
        uint64_t count;
    } * item;
};

/* An octave as it was at one moment. */
struct swi_octave_copy {
    uint64_t number;
    unsigned bin[SWI_BINS_OCTAVE];
};

/* Copies as many octaves as there is room for, and returns how many there are. */
size_t swi_histogram_copy(const struct swi_histogram *histogram, struct swi_octave_copy *to,
                          size_t room);

/* Appends the used bins of some octaves, in no order; what is below the first bin or negative is
 * taken for one of that. False without memory. */
bool swi_bins_add(struct swi_bins *bins, const struct swi_octave_copy *octave, size_t count,
                  uint64_t first);
/* Appends one value. False without memory. */
bool swi_bins_add_one(struct swi_bins *bins, double value, uint64_t first);
/* Ascending, and each bin once. */
void swi_bins_sort(struct swi_bins *bins);
void swi_bins_fini(struct swi_bins *bins);

#endif
