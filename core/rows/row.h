/* SPDX-License-Identifier: MIT */
/* row.h - the statistics of one action in one phase on one thread, in constant memory whatever the
 * number of calls. Under the fold lock (measured.h). */
#ifndef CORE_ROWS_ROW_H
#define CORE_ROWS_ROW_H

#include <stepwatch/report.h>
#include <stepwatch/stepwatch.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- histograms ------------------------------------------------------------------------------ */

/* Log-linear histograms: 64 bins for each power of two, so that the middle of a bin is within
 * 1/128 (0.8 %) of every value in it. The idea is that of HdrHistogram, http://hdrhistogram.org.
 *
 * Only octaves (powers of two) that hold a value take memory. Most actions use two or three of the
 * 63 that a duration in ticks may have. */

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

/* Appends the bin of a value. Returns false if out of memory. */
bool swi_bins_add_value(struct swi_bins *bins, uint64_t bin, uint64_t first);
/* Appends the used bins of a histogram, in no particular order. A value that is negative or below
 * the first bin counts in the first bin. Returns false if out of memory. */
bool swi_bins_add(struct swi_bins *bins, const struct swi_histogram *histogram, uint64_t first);
/* Sorts the bins in ascending order and merges equal ones. */
void swi_bins_sort(struct swi_bins *bins);
void swi_bins_fini(struct swi_bins *bins);

__extension__ typedef unsigned __int128 swi_u128;

/* Durations in ticks. They are exact: integers, with the squares in 128 bits. */
struct swi_durations {
    int64_t count;
    int64_t sum;
    swi_u128 squares;
    int64_t self;
};

/* Rates in samples per tick, as sums of the differences from the first rate, to avoid cancellation.
 * Few actions have rates, so the memory is allocated with the first one. */
struct swi_rates {
    int64_t count;
    double origin;
    double sum;
    double squares;
    double min;
    double max;
    double first[SW_DISTRIBUTION_KEPT];
    struct swi_histogram histogram;
};

struct swi_row_counter_use;

struct swi_row {
    struct swi_durations durations;
    int action;
    enum sw_phase phase;
    struct swi_rates *rates;
    uint64_t fit;                   /* how many fits had ended when its values began */
    struct swi_histogram histogram; /* of the durations */
    struct swi_reserve *reserve;    /* the one of its thread */
    struct swi_row *next;           /* in the thread's list; it never changes */
    struct swi_row *lead;           /* counts the calls of a step for all shapes of an action: the
                                       first of these rows, or this row */
    struct swi_row *inner;          /* the row of calls inside an open call of this row, or NULL */
    bool is_inner;                  /* this is an inner row: its calls are in no total */
    uint32_t step_calls;            /* calls in the step that ends, if step.c counts them */
    uint32_t number;                /* position among the rows of its thread; the first is 0 */
    uint32_t made;                  /* position among all rows of the process */
    int64_t min;
    int64_t max;
    int64_t first[SW_DISTRIBUTION_KEPT];
    struct swi_row_counter_use *uses; /* of counters, by slot (counter_use.h) */
    size_t uses_room;
};

/* Sums and differences of ticks. They wrap around where a crash wrote anything among the events. */
static inline int64_t swi_ticks_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t swi_ticks_between(int64_t from, int64_t to)
{
    return (int64_t)((uint64_t)to - (uint64_t)from);
}

/* Adds a call. A negative duration counts as 0. The first SW_DISTRIBUTION_KEPT durations are kept
 * as they are, and the last of them adds them all to the histogram. So actions that are called less
 * often need no bins. */
void swi_row_add(struct swi_row *row, int64_t ticks, int64_t self);

/* Adds several calls that took so many ticks together: each the same, except for rounding. */
void swi_row_add_calls(struct swi_row *row, int64_t ticks, int64_t self, int64_t calls);

/* Adds the rate of a call. It may be negative or 0. */
void swi_row_add_rate(struct swi_row *row, double rate);
/* Adds it as that of several calls. */
void swi_row_add_rates(struct swi_row *row, double rate, int64_t calls);

/* Returns whether the row has neither calls nor rates. */
static inline bool swi_row_is_empty(const struct swi_row *row)
{
    const struct swi_rates *rates = row->rates;
    return !row->durations.count && !(rates && rates->count);
}

/* Returns nanoseconds. A region that moved to another CPU may seem to end some ticks before it
 * began. */
static inline int64_t swi_ticks_ns(int64_t ticks, double ns_per_tick)
{
    return ticks > 0 ? (int64_t)((double)ticks * ns_per_tick + 0.5) : 0;
}

/* ---- the regions of a step ------------------------------------------------------------------- */

/* A region that has ended and waits for the end of its step. */
struct swi_ended {
    struct swi_row *row;
    int64_t ticks;
    int64_t self;
};

/* Returns samples per tick; 0 if the rate is unknown. */
static inline double swi_rate(int64_t samples, int64_t ticks)
{
    return samples > 0 && ticks > 0 ? (double)samples / (double)ticks : 0;
}

/* Returns the cost of drawing: the rate of the step less that of the batch. */
static inline double swi_draw_rate(int64_t samples, int64_t draw, int64_t batch)
{
    return swi_rate(samples, draw + batch) - swi_rate(samples, batch);
}

/* A step that ends. Its regions are ended[from .. count): before `first`, its draws and what ended
 * in them; from `first`, what ended in the batch; last, the batch itself. */
struct swi_step {
    const struct swi_ended *ended;
    uint32_t from, first, count;
    enum sw_phase phase;
    int64_t samples;     /* negative: it was cancelled */
    int64_t draw, batch; /* ticks */
    int64_t number;      /* of the training step */
    int64_t times;       /* how many steps it stands for; its times and samples are their sums */
    int64_t end;         /* tick */
    uint32_t last_draw;  /* UINT32_MAX: none */
    bool leave_out;      /* drop_first_batch, and it is the phase's first */
};

static inline int swi_step_action(const struct swi_step *step, uint32_t i)
{
    return step->ended[i].row->action;
}

/* Returns whether a region ended in a draw of the step. */
static inline bool swi_step_is_drawn(const struct swi_step *step, uint32_t i)
{
    return i < step->first && swi_step_action(step, i) != SW_DRAW;
}

static inline int64_t swi_step_ticks(const struct swi_step *step, uint32_t i)
{
    return step->ended[i].ticks > 0 ? step->ended[i].ticks : 0;
}

#endif
