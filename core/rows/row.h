/* SPDX-License-Identifier: MIT */
/* row.h - what is known of one action in one phase on one thread: constant memory, whatever the
 * number of calls.
 *
 * One thread adds. Any other may read at the same time: all words are stored and loaded atomically
 * (relaxed: plain moves), and the thread's sequence counter (thread.h) tells a reader when it saw a
 * mixture. */
#ifndef CORE_ROWS_ROW_H
#define CORE_ROWS_ROW_H

#include "core/rows/histogram.h"

#include <stepwatch/report.h>

#include <stdatomic.h>
#include <stdbool.h>

/* For a word that other threads may read meanwhile. */
#define SWI_SET(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

/* Adds to such a word. One thread writes it, so a read, an addition and a store are enough: on x86
 * one instruction, where C makes three of it (1.19 instead of 1.27 of two counter reads a region;
 * docs/design.md). The sanitizer needs to see what is done, and knows no fence. */
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

/* Durations in ticks. Exact: integers, the squares in 128 bits. */
struct swi_durations {
    atomic_llong count;
    atomic_llong sum;
    atomic_ullong squares_low;
    atomic_ullong squares_high;
    atomic_llong self;
    /* Durations from usual_low to usual_low + usual_span are neither shortest nor longest, nor
     * among the first. */
    uint64_t usual_low;
    uint64_t usual_span;
};

/* Rates in samples per tick; sums of the differences to the first rate, so that little is
 * cancelled. Few actions have any: they take no memory before the first. */
struct swi_rates {
    atomic_llong count;
    _Atomic double origin;
    _Atomic double sum;
    _Atomic double squares;
    double usual_low; /* as of durations, up to usual_high */
    double usual_high;
    _Atomic double min;
    _Atomic double max;
    struct swi_histogram histogram;
    _Atomic double first[SW_DISTRIBUTION_KEPT];
};

/* What the end of a region touches comes first and shares a cache line; then what its fold does. */
struct swi_row {
    struct swi_durations durations;
    int action;
    enum sw_phase phase;
    struct swi_histogram histogram; /* of the durations */
    struct swi_reserve *reserve;    /* of its thread */
    struct swi_row *next;           /* in the thread's list; never changes once it is in it */
    struct swi_row *inner;          /* of calls inside of an open call of this row; NULL: none */
    bool is_inner;                  /* such a row: its calls are in no total */
    uint32_t step_calls;            /* in the step that ends, where step.c counts them */
    uint32_t number;                /* of the rows of its thread, in order; the first is 0 */
    uint32_t made;                  /* of all rows of the process, in order */
    atomic_ullong moment;           /* it changed last after that one (row_copies.h) */
    _Atomic(struct swi_rates *) rates;
    atomic_llong min;
    atomic_llong max;
    atomic_llong first[SW_DISTRIBUTION_KEPT];
};

/* Memory for a row, zeroed; NULL: there is none. */
struct swi_row *swi_row_alloc(void);
/* Makes it a row without calls, whose histograms take their memory from `reserve`. */
void swi_row_init(struct swi_row *row, enum sw_phase phase, int action,
                  struct swi_reserve *reserve);
/* Frees what belongs to it, but not the row. */
void swi_row_fini(struct swi_row *row);

__extension__ typedef unsigned __int128 swi_u128;

/* A duration that is not usual: among the first, a new shortest or longest, or negative (0 is
 * returned for it). */
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

/* Whether a duration is neither a new shortest or longest, nor among the first, nor negative. */
static inline bool swi_row_usual(const struct swi_row *row, int64_t ticks)
{
    return __builtin_expect((uint64_t)ticks - row->durations.usual_low <= row->durations.usual_span,
                            1);
}

/* Adds a call to the sums: to all of a row but its histogram. */
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
    swi_histogram_add(&row->histogram, (double)ticks, row->reserve);
}

/* The memory of a row's rates, made with the first. NULL without memory. */
struct swi_rates *swi_row_new_rates(struct swi_row *row);

/* A rate that is among the first, or a new smallest or largest. */
void swi_rates_unusual(struct swi_rates *rates, double rate);

/* Adds a call's rate, which may be negative or 0. */
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
    swi_histogram_add(&r->histogram, __builtin_fabs(rate), row->reserve);
}

/* Forgets all calls. */
void swi_row_reset(struct swi_row *row);

/* Whether it has neither calls nor rates. */
static inline bool swi_row_is_empty(const struct swi_row *row)
{
    const struct swi_rates *rates = atomic_load_explicit(&row->rates, memory_order_acquire);
    return !SWI_GET(row->durations.count) && !(rates && SWI_GET(rates->count));
}

/* The numbers as they are: for a reader between two looks at the sequence counter. */
struct swi_row_copy {
    int64_t count, sum, self, min, max;
    uint64_t squares_low, squares_high;
    int64_t first[SW_DISTRIBUTION_KEPT];
    int64_t rate_count;
    double rate_origin, rate_sum, rate_squares, rate_min, rate_max;
    double rate_first[SW_DISTRIBUTION_KEPT];
};
void swi_row_copy(const struct swi_row *row, struct swi_row_copy *copy);

/* Adds another copy: rows of several threads make one row of the report. */
void swi_row_copy_add(struct swi_row_copy *sum, const struct swi_row_copy *other);

/* A call that is not yet in the row. */
void swi_row_copy_call(struct swi_row_copy *copy, int64_t ticks, int64_t self);

/* Population variance of the durations in ticks^2, from exact sums. */
double swi_row_copy_variance(const struct swi_row_copy *copy);

#endif
