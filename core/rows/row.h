/* SPDX-License-Identifier: MIT */
/* row.h - the statistics of one action in one phase on one thread, in constant memory whatever the
 * number of calls. Under the fold lock (measured.h). */
#ifndef CORE_ROWS_ROW_H
#define CORE_ROWS_ROW_H

#include "core/rows/histogram.h"

#include <stepwatch/report.h>

#include <stdbool.h>

__extension__ typedef unsigned __int128 swi_u128;

/* Durations in ticks. They are exact: integers, with the squares in 128 bits. */
struct swi_durations {
    int64_t count;
    int64_t sum;
    swi_u128 squares;
    int64_t self;
    /* Durations from usual_low to usual_low + usual_span are neither a new minimum or maximum, nor
     * among the first. */
    uint64_t usual_low;
    uint64_t usual_span;
};

/* Rates in samples per tick, as sums of the differences from the first rate, to avoid cancellation.
 * Few actions have rates, so the memory is allocated with the first one. */
struct swi_rates {
    int64_t count;
    double origin;
    double sum;
    double squares;
    double usual_low; /* as for durations, but up to usual_high */
    double usual_high;
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
    struct swi_row_counter_use *counts; /* of counters; NULL: none yet (counter_use.h) */
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

/* Returns zeroed memory for a row, or NULL if out of memory. */
struct swi_row *swi_row_alloc(void);
/* Initialises a row without calls, whose histograms take their memory from `reserve`. */
void swi_row_init(struct swi_row *row, enum sw_phase phase, int action,
                  struct swi_reserve *reserve);
/* Frees what the row owns, but not the row. */
void swi_row_fini(struct swi_row *row);

/* Handles a duration that is among the first, a new minimum or maximum, or negative. Returns the
 * duration, or 0 if it is negative. */
int64_t swi_row_unusual(struct swi_row *row, int64_t ticks);

/* Returns whether a duration is neither a new minimum or maximum, nor among the first, nor
 * negative. */
static inline bool swi_row_usual(const struct swi_row *row, int64_t ticks)
{
    return __builtin_expect((uint64_t)ticks - row->durations.usual_low <= row->durations.usual_span,
                            1);
}

/* Adds a call to everything in the row but its histogram. */
static inline void swi_row_sum(struct swi_row *row, int64_t ticks, int64_t self)
{
    struct swi_durations *d = &row->durations;
    ticks = swi_row_usual(row, ticks) ? ticks : swi_row_unusual(row, ticks);
    d->squares += (swi_u128)(uint64_t)ticks * (uint64_t)ticks;
    d->sum = swi_ticks_sum(d->sum, ticks);
    d->self = swi_ticks_sum(d->self, self);
    d->count++;
}

/* Adds a call to the histogram. */
static inline void swi_row_bin(struct swi_row *row, int64_t ticks)
{
    swi_histogram_add(&row->histogram, swi_bin((double)ticks), row->reserve);
}

/* Adds the rate of a call. It may be negative or 0. */
void swi_row_add_rate(struct swi_row *row, double rate);

/* Forgets all calls. */
void swi_row_reset(struct swi_row *row);

/* Returns whether the row has neither calls nor rates. */
static inline bool swi_row_is_empty(const struct swi_row *row)
{
    const struct swi_rates *rates = row->rates;
    return !row->durations.count && !(rates && rates->count);
}

/* The numbers of a row, or the sum of several. */
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

/* Returns the population variance of the durations in ticks^2, from exact sums. */
double swi_row_copy_variance(const struct swi_row_copy *copy);

#endif
