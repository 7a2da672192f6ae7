/* SPDX-License-Identifier: MIT */
/* report.h - the final table, as numbers: one row for each phase and action.
 *
 * Read by whoever asks for it with sw_report_new() and by every sink that wants SW_RECORD_REPORT or
 * SW_RECORD_EPOCH. A report is immutable. Durations are nanoseconds, rates samples per second. */
#ifndef STEPWATCH_REPORT_H
#define STEPWATCH_REPORT_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is measured: draw and batch only, or every action of the loop. */
enum sw_mode {
    SW_MODE_THROUGHPUT, /**< step, draw, batch and the user's own actions */
    SW_MODE_SIMPLE,     /**< forward, loss, backward, opt_step, zero_grad and predict as well */
    SW_MODE_OFF         /**< nothing: sw_open() returns NULL without an error */
};

/** What an action is reported under. */
enum sw_phase {
    SW_PHASE_FIT, /**< fit, epoch, train, valid, and a user's actions outside of train and valid */
    SW_PHASE_TRAIN,   /**< steps of training */
    SW_PHASE_VALID,   /**< steps of validation */
    SW_PHASE_THREADS, /**< regions of other threads than the loop's */
    SW_PHASE_BEFORE,  /**< a user's actions on the loop's thread, before its fit was begun */
    SW_PHASE_AFTER    /**< the same after its fit, where no other fit followed */
};

/** Values kept one by one in a struct sw_distribution; more than that are known by their
 * statistics. */
#define SW_DISTRIBUTION_KEPT 32

/** One bin of a histogram: count values v with low <= v < high. Bins are joined where both are not
 * empty. */
struct sw_bin {
    double low;
    double high;
    uint64_t count;
};

/**
 * How a row's values are distributed. Unit: nanoseconds for durations, samples per second for
 * rates.
 *
 * Exact: count, mean, variance (of the population), min, max. From the histogram, whose bins are
 * narrow enough for a relative error of at most 1 %: quantiles (sw_quantile). With count 0 all are
 * 0.
 */
struct sw_distribution {
    int64_t count;
    double mean;
    double variance;
    double min;
    double max;
    size_t bin_count;         /**< bins that are not empty */
    const struct sw_bin *bin; /**< ascending */
    size_t kept; /**< min(count, SW_DISTRIBUTION_KEPT): the first values, in order of the calls */
    double value[SW_DISTRIBUTION_KEPT];
};

/** One row: a phase and action. */
struct sw_report_row {
    enum sw_phase phase_id;
    int action_id;      /**< enum sw_builtin_action, or a handle of sw_action() */
    const char *phase;  /**< "fit", "train", "valid", "threads", "before" or "after" */
    const char *action; /**< UTF-8 is not promised: a user's own name is kept as it was given */
    int64_t calls;      /**< after dropping the first batch of train and valid, where that is on */
    double mean_ns;     /**< 0 for fit/fit */
    double std_ns;      /**< of the population; 0 for fit/fit */
    double total_ns;    /**< of the outermost calls: a call inside of another of the row is in it */
    double self_ns; /**< total less the time of the regions inside; NAN where not measured (step) */
    double min_ns;
    double max_ns;
    double p50_ns; /**< from the histogram: relative error at most 1 % */
    double p95_ns;
    double p99_ns;
    double share;         /**< total / duration of fit: 1 is 100 %; NAN before and after it */
    double samples_per_s; /**< mean of the per-call rates; negative or 0 for draw; NAN where there
                             is none, as for a row without calls */
    struct sw_distribution durations; /**< nanoseconds */
    struct sw_distribution rates;     /**< samples per second; count 0 where there are none */
};

/** Where the time of fit went: accounted_ns + other_ns = fit_ns, on the loop's thread. */
struct sw_accounting {
    double accounted_ns; /**< inside draw, batch and the user's own regions */
    double other_ns;     /**< fit less that: between the regions of the loop */
    double own_ns;       /**< stepwatch's own cost within fit: calibrated cost of a call × calls */
    double own_ns_per_step;
    double
        residue_ns;  /**< difference between other_ns and its independent sum; 0 but for rounding */
    int64_t steps;   /**< training and validation steps counted */
    int64_t misuses; /**< calls that did not fit: end without begin, begin twice, … */
    int64_t discarded; /**< regions discarded: cancelled, or open when an outer one ended */
};

/** What really went through a phase: its samples by the time that it took on the clock. */
struct sw_overall {
    int64_t samples;      /**< of all its batches, also those that drop_first_batch leaves out */
    double elapsed_ns;    /**< the regions train or valid, from begin to end; of steps outside of
                             these, from the first one's begin to the last one's end */
    double samples_per_s; /**< samples / elapsed_ns in seconds; NAN without samples */
};

/** A kind of calls that did not fit, and how often. */
struct sw_misuse {
    const char
        *text; /**< "forward was ended without a begin"; a user's own name is as it was given */
    int64_t times;
};

/** The report of one fit. */
struct sw_report {
    enum sw_mode mode;
    int fit;          /**< 1 for the program's first fit */
    bool complete;    /**< false: made while the fit was running */
    bool interrupted; /**< made because the program is ending without sw_close() */
    bool drop_first_batch;
    bool show_accounting; /**< the profiler's option `accounting` */
    int64_t epoch;        /**< epochs finished in this fit */
    int64_t step;         /**< number of the training step that comes next */
    double fit_ns;        /**< duration of the fit so far */
    double started_s;     /**< wall clock at the begin of the fit, seconds since 1970 */
    struct sw_accounting accounting;
    size_t count;
    const struct sw_report_row *row; /**< fit, train, valid, threads, before, after; within:
                                       standard actions, then own ones */
    double tick_ns; /**< nanoseconds per tick of the clock, as known when the report was made. A bin
                       is the same one in two reports of a run where the edges divided by this (of
                       rates: multiplied) are the same, but for rounding */
    struct sw_overall overall_train;
    struct sw_overall overall_valid;
    size_t misuse_count;
    const struct sw_misuse *misuse; /**< each kind for each action, in the order of the first */
    bool amended; /**< the report of a fit that had one before, with the rows of `after`; made when
                     the program ends, or for who asks between two fits */
};

/**
 * The value below which a share p of the distribution lies, linearly interpolated between order
 * statistics at position p * (count - 1).
 *
 * p: 0..1. Exact where all values are kept; else the two values come from the histogram (relative
 * error at most 1 %), and only min and max, which are p = 0 and p = 1, are exact.
 * Returns NAN where count is 0. Needs no symbol of the library.
 */
SW_NOT_INSTRUMENTED_ static inline double sw_quantile(const struct sw_distribution *d, double p);

/* The i-th smallest value, 0-based, by the histogram: the middle of its bin. Both ends are known.
 */
SW_NOT_INSTRUMENTED_ static inline double sw_quantile_binned_(const struct sw_distribution *d,
                                                              int64_t rank)
{
    uint64_t before = 0;
    if (rank == 0)
        return d->min;
    for (size_t i = 0; i < d->bin_count && rank < d->count - 1; i++) {
        before += d->bin[i].count;
        if ((uint64_t)rank < before) {
            double middle = d->bin[i].low + (d->bin[i].high - d->bin[i].low) / 2;
            return middle < d->min ? d->min : middle > d->max ? d->max : middle;
        }
    }
    return d->max;
}

/* The i-th smallest kept value: the lists are short, so a selection by counting is enough. */
SW_NOT_INSTRUMENTED_ static inline double sw_quantile_kept_(const struct sw_distribution *d,
                                                            size_t rank)
{
    for (size_t i = 0; i < d->kept; i++) {
        size_t below = 0, equal = 0;
        for (size_t k = 0; k < d->kept; k++) {
            below += d->value[k] < d->value[i];
            equal += d->value[k] <= d->value[i];
        }
        if (below <= rank && rank < equal)
            return d->value[i];
    }
    return d->max;
}

SW_NOT_INSTRUMENTED_ static inline double sw_quantile_rank_(const struct sw_distribution *d,
                                                            int64_t rank)
{
    return (size_t)d->count == d->kept ? sw_quantile_kept_(d, (size_t)rank)
                                       : sw_quantile_binned_(d, rank);
}

SW_NOT_INSTRUMENTED_ static inline double sw_quantile(const struct sw_distribution *d, double p)
{
    if (d->count <= 0)
        return __builtin_nan("");
    double position = p * (double)(d->count - 1);
    int64_t low = (int64_t)position;
    double below = sw_quantile_rank_(d, low);
    double above = low + 1 < d->count ? sw_quantile_rank_(d, low + 1) : below;
    return below + (position - (double)low) * (above - below);
}

#ifdef __cplusplus
}
#endif
#endif
