/* SPDX-License-Identifier: MIT */
/* row.h - the statistics of one action in one phase on one thread, in constant memory whatever the
 * number of calls.
 *
 * Only one thread adds. Any other thread may read at the same time: all words are stored and loaded
 * atomically (relaxed, so plain moves), and the thread's sequence counter (thread.h) shows the
 * reader whether it read a mixture. */
#ifndef CORE_ROWS_ROW_H
#define CORE_ROWS_ROW_H

#include "core/rows/histogram.h"

#include <stepwatch/report.h>

#include <stdatomic.h>
#include <stdbool.h>

/* Sets a word that other threads may read at the same time. */
#define SWI_SET(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

/* Adds to such a word. Only one thread writes it, so a read, an addition and a store are enough. On
 * x86 these are one instruction, but the C code compiles to three (1.19 instead of 1.27 of two
 * counter reads for a region; docs/design.md). The thread sanitizer must see each access and does
 * not support fences. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define SWI_ONE_ADD 1
#define SWI_ADD(word, n) __asm__("addq %1, %0" : "+m"(word) : "er"((int64_t)(n)) : "cc")
#else
#define SWI_ONE_ADD 0
#define SWI_ADD(word, n) SWI_SET(word, SWI_GET(word) + (n))
#endif

#if defined(__SANITIZE_THREAD__)
#define SWI_FENCE(order) ((void)0)
#else
#define SWI_FENCE(order) atomic_thread_fence(order)
#endif

#define SWI_GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

/* Durations in ticks. They are exact: integers, with the squares in 128 bits. */
struct swi_durations {
    atomic_llong count;
    atomic_llong sum;
    atomic_ullong squares_low;
    atomic_ullong squares_high;
    atomic_llong self;
    /* Durations from usual_low to usual_low + usual_span are neither a new minimum or maximum, nor
     * among the first. */
    uint64_t usual_low;
    uint64_t usual_span;
};

/* Rates in samples per tick, as sums of the differences from the first rate, to avoid cancellation.
 * Few actions have rates, so the memory is allocated with the first one. */
struct swi_rates {
    atomic_llong count;
    _Atomic double origin;
    _Atomic double sum;
    _Atomic double squares;
    double usual_low; /* as for durations, but up to usual_high */
    double usual_high;
    _Atomic double min;
    _Atomic double max;
    _Atomic double first[SW_DISTRIBUTION_KEPT];
    struct swi_histogram histogram;
};

struct swi_row_counter_use;

/* The first cache line is what the end of a region uses, the second what its fold uses besides. */
struct swi_row {
    struct swi_durations durations;
    int action;
    enum sw_phase phase;
    struct swi_recent_octaves recent; /* of the histogram */
    struct swi_recent_octaves recent_of_rates;
    _Atomic(struct swi_rates *) rates;
    atomic_ullong moment;           /* the row changed last after this moment (row_copies.h) */
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
    atomic_llong min;
    atomic_llong max;
    atomic_llong first[SW_DISTRIBUTION_KEPT];
    _Atomic(struct swi_row_counter_use *) counts; /* of counters; NULL: none yet (counter_use.h) */
};
_Static_assert(offsetof(struct swi_row, histogram) == 128, "two cache lines");
_Static_assert(offsetof(struct swi_rates, min) < 64, "a cache line");

/* Returns zeroed memory for a row, or NULL if out of memory. */
struct swi_row *swi_row_alloc(void);
/* Initialises a row without calls, whose histograms take their memory from `reserve`. */
void swi_row_init(struct swi_row *row, enum sw_phase phase, int action,
                  struct swi_reserve *reserve);
/* Frees what the row owns, but not the row. */
void swi_row_fini(struct swi_row *row);

__extension__ typedef unsigned __int128 swi_u128;

/* Handles a duration that is among the first, a new minimum or maximum, or negative. Returns the
 * duration, or 0 if it is negative. */
int64_t swi_row_unusual(struct swi_row *row, int64_t ticks);

static inline void swi_squares_add(struct swi_durations *d, swi_u128 square)
{
#if SWI_ONE_ADD
    __asm__("addq %2, %0\n\tadcq %3, %1"
            : "+m"(d->squares_low), "+m"(d->squares_high)
            : "r"((uint64_t)square), "r"((uint64_t)(square >> 64))
            : "cc");
#else
    square += (swi_u128)SWI_GET(d->squares_high) << 64 | SWI_GET(d->squares_low);
    SWI_SET(d->squares_low, (uint64_t)square);
    SWI_SET(d->squares_high, (uint64_t)(square >> 64));
#endif
}

/* Returns whether a duration is neither a new minimum or maximum, nor among the first, nor
 * negative. */
static inline bool swi_row_usual(const struct swi_row *row, int64_t ticks)
{
    return __builtin_expect((uint64_t)ticks - row->durations.usual_low <= row->durations.usual_span,
                            1);
}

/* Adds a call to everything in the row but its histogram. */
static inline void swi_row_sum_usual(struct swi_row *row, int64_t ticks, int64_t self)
{
    struct swi_durations *d = &row->durations;
    swi_squares_add(d, (swi_u128)(uint64_t)ticks * (uint64_t)ticks);
    SWI_ADD(d->sum, ticks);
    SWI_ADD(d->self, self);
    SWI_ADD(d->count, 1);
}

static inline void swi_row_sum(struct swi_row *row, int64_t ticks, int64_t self)
{
    swi_row_sum_usual(row, swi_row_usual(row, ticks) ? ticks : swi_row_unusual(row, ticks), self);
}

/* Adds a call to the histogram. */
static inline void swi_row_bin(struct swi_row *row, int64_t ticks)
{
    swi_histogram_add(&row->histogram, swi_bin((double)ticks), row->reserve);
}

/* Add to a histogram a value whose octave is not among the recent ones. */
void swi_row_bin_other(struct swi_row *row, uint64_t bin);
void swi_row_bin_rate_other(struct swi_row *row, uint64_t bin);

/* Adds a call to the histogram, for a caller that finds cold caches. */
static inline void swi_row_bin_recent(struct swi_row *row, int64_t ticks)
{
    uint64_t bin = swi_bin((double)ticks);
    if (!swi_recent_add(&row->recent, bin))
        swi_row_bin_other(row, bin);
}

/* Allocates the row's rates. Returns NULL if out of memory. */
struct swi_rates *swi_row_new_rates(struct swi_row *row);

/* Handles a rate that is among the first, or a new minimum or maximum. */
void swi_rates_unusual(struct swi_rates *rates, double rate);

/* Adds the rate of a call. It may be negative or 0. */
static inline __attribute__((always_inline)) void swi_row_add_rate(struct swi_row *row, double rate)
{
    struct swi_rates *r = SWI_GET(row->rates);
    if (__builtin_expect(!r && !(r = swi_row_new_rates(row)), 0))
        return;
    if (__builtin_expect(!(rate >= r->usual_low && rate <= r->usual_high), 0))
        swi_rates_unusual(r, rate);
    double difference = rate - SWI_GET(r->origin);
    SWI_SET(r->sum, SWI_GET(r->sum) + difference);
    SWI_SET(r->squares, SWI_GET(r->squares) + difference * difference);
    SWI_ADD(r->count, 1);
    uint64_t bin = swi_bin_of_size(rate);
    if (!swi_recent_add(&row->recent_of_rates, bin))
        swi_row_bin_rate_other(row, bin);
}

/* Forgets all calls. */
void swi_row_reset(struct swi_row *row);

/* Returns whether the row has neither calls nor rates. */
static inline bool swi_row_is_empty(const struct swi_row *row)
{
    const struct swi_rates *rates = atomic_load_explicit(&row->rates, memory_order_acquire);
    return !SWI_GET(row->durations.count) && !(rates && SWI_GET(rates->count));
}

/* A reader's copy of the numbers of a row, taken between two looks at the sequence counter. */
struct swi_row_copy {
    int64_t count, sum, self, min, max;
    uint64_t squares_low, squares_high;
    int64_t first[SW_DISTRIBUTION_KEPT];
    int64_t rate_count;
    double rate_origin, rate_sum, rate_squares, rate_min, rate_max;
    double rate_first[SW_DISTRIBUTION_KEPT];
};
void swi_row_copy(const struct swi_row *row, struct swi_row_copy *copy);

/* Adds another copy. Rows of several threads, or of several shapes of an action, make one row of
 * the report. */
void swi_row_copy_add(struct swi_row_copy *sum, const struct swi_row_copy *other);

/* Adds a call that is not in the row yet. */
void swi_row_copy_call(struct swi_row_copy *copy, int64_t ticks, int64_t self);

/* The same for the rate of a call. */
void swi_row_copy_rate(struct swi_row_copy *copy, double rate);

/* Returns the population variance of the durations in ticks^2, from exact sums. */
double swi_row_copy_variance(const struct swi_row_copy *copy);

#endif
