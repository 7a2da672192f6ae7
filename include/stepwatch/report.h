/* SPDX-License-Identifier: MIT */
/* report.h - the final table as numbers, with one row for each phase and action.
 *
 * Programs get a report with sw_report_new(), sinks with SW_RECORD_REPORT or SW_RECORD_EPOCH. A
 * report is immutable. Durations are in nanoseconds, rates in samples per second. */
#ifndef STEPWATCH_REPORT_H
#define STEPWATCH_REPORT_H

#include <stepwatch/error.h>
#include <stepwatch/finding.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/* Returns the address of element i of an array whose elements are `stride` bytes apart: a newer
 * core may have larger elements than the header that a sink was built with. */
SW_NOT_INSTRUMENTED_ static inline const void *sw_element_(const void *array, size_t stride,
                                                           size_t i)
{
    return (const char *)array + i * stride;
}

/** What is measured: draw and batch only, or every action of the loop. */
enum sw_mode {
    SW_MODE_THROUGHPUT, /**< step, draw, batch and the user's own actions */
    SW_MODE_SIMPLE,     /**< also forward, loss, backward, opt_step, zero_grad and predict */
    SW_MODE_OFF         /**< nothing: sw_open() returns NULL without an error */
};

/** The phase under which an action is reported. */
enum sw_phase {
    SW_PHASE_FIT, /**< fit, epoch, train, valid, and a user's actions outside of train and valid */
    SW_PHASE_TRAIN,   /**< steps of training */
    SW_PHASE_VALID,   /**< steps of validation */
    SW_PHASE_THREADS, /**< regions on threads other than the loop's */
    SW_PHASE_BEFORE,  /**< a user's actions on the loop's thread before its fit began */
    SW_PHASE_AFTER,   /**< a user's actions on the loop's thread after its last fit */
    SW_PHASE_SPANS    /**< spans: they may overlap; no other row includes them */
};

/** The most values that a struct sw_distribution keeps one by one. */
#define SW_DISTRIBUTION_KEPT 32

/** One bin of a histogram: `count` values v with low <= v < high. If there is no empty bin between
 * two bins, the high of one is the low of the next. */
struct sw_bin {
    double low;
    double high;
    uint64_t count;
};

/**
 * The distribution of a row's values, in nanoseconds for durations and samples per second for
 * rates.
 *
 * count, mean, variance (of the population), min and max are exact. sw_quantile() computes
 * quantiles from the histogram, whose bins are narrow enough for a relative error of at most 1 %.
 * If count is 0, all fields are 0.
 */
struct sw_distribution {
    int64_t count;
    double mean;
    double variance;
    double min;
    double max;
    size_t bin_count;         /**< bins that are not empty */
    size_t bin_stride;        /**< bytes from one bin to the next; see sw_distribution_bin() */
    const struct sw_bin *bin; /**< ascending */
    size_t kept; /**< min(count, SW_DISTRIBUTION_KEPT): the first values, in order of the calls */
    const double *value; /**< `kept` of them */
    uint64_t room_[4];   /**< 0; reserved for fields that are added later */
};

/** How the uses of a counter by several calls are combined. */
enum sw_counter_kind {
    SW_COUNTER_SUM, /**< a number that never decreases: the uses of all calls are added up */
    SW_COUNTER_PEAK /**< a high-water mark: the largest of all calls */
};

/** The value of a counter that a row does not have. */
#define SW_COUNTER_NONE INT64_MIN

/** What the calls of a row used of a counter. */
struct sw_counter_total {
    const char *name; /**< in the configuration, or as given to sw_counter() */
    enum sw_counter_kind kind;
    int64_t total;     /**< with the regions inside; SW_COUNTER_NONE if the row does not have it */
    int64_t self;      /**< without them; SW_COUNTER_NONE for step and for SW_COUNTER_PEAK */
    int64_t calls;     /**< calls whose use is known */
    int64_t missed;    /**< calls whose use is not known: no other field counts them */
    const char *unit;  /**< "B", "ns", or "" for a count */
    double reading_ns; /**< about how long reading it took, for all calls of the row; 0 if that is
                            not known or next to nothing */
    int64_t standard;  /**< as in struct sw_counter_info */
    int64_t inner;     /**< of a SW_COUNTER_SUM: of calls inside a call of the same row, which are
                            not in total; 0 in a report from a log, where it is not known */
};

/** One row of the report: a phase and an action. */
struct sw_report_row {
    enum sw_phase phase_id;
    int action_id;      /**< enum sw_builtin_action, or a handle of sw_action() */
    const char *phase;  /**< "fit", "train", "valid", "threads", "before", "after" or "spans" */
    const char *action; /**< as the user gave it, maybe not UTF-8 */
    int64_t calls;      /**< without the first batch of train and valid if drop_first_batch is on */
    double mean_ns;     /**< 0 for fit/fit */
    double std_ns;      /**< of the population; 0 for fit/fit */
    double total_ns;    /**< of the outermost calls, which include calls of the same row inside */
    double self_ns;     /**< total minus the time of the regions inside; NAN for step and spans */
    double p50_ns;      /**< from the histogram: relative error at most 1 % */
    double p95_ns;
    double p99_ns;
    double share; /**< total / duration of fit: 1 is 100 %; NAN for spans, and before and after fit
                   */
    double samples_per_s; /**< mean of the per-call rates; negative or 0 for a draw before its
                             batch; NAN if there is none, as in a row without calls */
    struct sw_distribution durations; /**< nanoseconds; for fit/fit, min and max are fit_ns */
    struct sw_distribution rates;     /**< samples per second; count 0 if there are none */
    double overall_samples_per_s; /**< as in struct sw_overall, in the rows train, valid and step;
                                     NAN in the others and without calls */
    int64_t first_use; /**< order of the first calls in this phase: smaller means earlier; INT64_MAX
                          without calls */
    const struct sw_counter_total *counter; /**< report->counter_count of them; see
                                               sw_row_counter() */
    const char *shape; /**< of the input, in the rows of sw_report_shaped(); else "" */
};

/** What the values of a column are. It determines the type of the field in the row. */
enum sw_column_kind {
    SW_COLUMN_TEXT,     /**< const char * */
    SW_COLUMN_COUNT,    /**< int64_t */
    SW_COLUMN_DURATION, /**< double, nanoseconds */
    SW_COLUMN_RATIO,    /**< double: 1 is 100 % */
    SW_COLUMN_RATE,     /**< double, samples per second */
    SW_COLUMN_COUNTER   /**< int64_t, SW_COUNTER_NONE if the row has none; unit "B", "ns" or "" */
};

/** The column is also shown with `columns: standard`, not only with `columns: all`. */
#define SW_COLUMN_STANDARD UINT32_C(1)
/** Tables show the value rounded, even tables for programs, such as CSV. */
#define SW_COLUMN_ROUNDED UINT32_C(2)
/** The column repeats the value of an earlier one with the same key, so that tables can show all
 * its digits. An output with exact values, such as JSON, leaves the column out. */
#define SW_COLUMN_REPEATED UINT32_C(4)
/** The column shows a counter. Tables show it with `columns: all` or by its name; files for
 * programs always have it. */
#define SW_COLUMN_OF_COUNTER UINT32_C(8)

/**
 * One column of a report. Every output shows the columns of the report's table, in this order, so a
 * column that is added to the table is in all outputs.
 */
struct sw_column {
    const char *key;    /**< in JSON and in the run log: "mean_ns" */
    const char *header; /**< in tables: "Mean Duration" */
    const char *brief;  /**< where space is short: "Mean" */
    const char *unit;   /**< of the values in the row: "ns", "samples/s"; "" if they have none */
    int kind;           /**< enum sw_column_kind: see sw_column_is_known() */
    uint32_t flags;     /**< SW_COLUMN_STANDARD | … */
    size_t offset;      /**< of the value in the row; use the functions below */
};

/** Where the time of fit went on the loop's thread: accounted_ns + other_ns = fit_ns. */
struct sw_accounting {
    double accounted_ns; /**< time inside draw, batch and the user's own regions */
    double other_ns;     /**< the rest of fit: time between the regions of the loop */
    double own_ns; /**< time that the calls of stepwatch took within fit, on all threads: rare ones
                      are timed, the others sampled. NAN in a replay whose log does not have
                      it, and in its reports before the end of a fit */
    double own_ns_per_step; /**< 0 if there were no steps; otherwise NAN if own_ns is NAN */
    double residue_ns;      /**< other_ns minus the same time, summed separately; 0 except for
                               rounding */
    int64_t steps;          /**< training and validation steps counted */
    int64_t misuses;        /**< wrong calls: end without begin, begin twice, … */
    int64_t discarded;      /**< regions discarded: cancelled, or open when an outer one ended */
    double joules; /**< energy that the machine, or its GPUs, used during the fit; 0 if no monitor
                      measures it */
    int64_t rss_bytes; /**< resident memory of the process when the report was made; 0 if it is not
                          known, or if no counter of memory is measured */
    int64_t peak_rss_bytes; /**< the largest resident memory since the process started */
    double own_threads_ns;  /**< CPU time of stepwatch's own threads during the fit, which add up
                               what the loop's calls note, and run the sinks and monitors: of all
                               profilers of the process. 0 if unknown */
    uint64_t room_[4];      /**< 0; reserved for fields that are added later */
};

/** The overall throughput of a phase: all samples divided by the elapsed time. */
struct sw_overall {
    int64_t samples;      /**< of all its batches, including those that drop_first_batch drops */
    double elapsed_ns;    /**< time within the regions train or valid; for steps outside of these,
                             from the start of the first step to the end of the last */
    double samples_per_s; /**< samples / elapsed_ns in seconds; NAN without samples */
    uint64_t room_[4];    /**< 0; reserved for fields that are added later */
};

/** One kind of wrong call, and how often it happened. */
struct sw_misuse {
    const char *text; /**< "forward was ended without a begin"; names are as the user gave them */
    int64_t times;
};

/** The report of one fit. */
struct sw_report {
    size_t size; /**< of this struct in the library */
    enum sw_mode mode;
    int fit;          /**< 1 for the program's first fit */
    bool complete;    /**< false: made while the fit was running */
    bool interrupted; /**< made because the program is ending without sw_close() */
    bool drop_first_batch;
    bool show_accounting; /**< the profiler's option `accounting` */
    int64_t epoch;        /**< number of epochs finished in this fit */
    int64_t step;         /**< number of the next training step */
    double fit_ns;        /**< duration of the fit so far */
    double started_s;     /**< wall clock time when the fit began, seconds since 1970 */
    struct sw_accounting accounting;
    size_t count;                    /**< of rows */
    size_t row_size;                 /**< bytes from one row to the next; see sw_report_row() */
    const struct sw_report_row *row; /**< in the order fit, train, valid, threads, before, after; in
                                       each, standard actions first, then the user's own */
    double tick_ns; /**< nanoseconds per tick of the clock, as known when the report was made. To
                       find the same bin in two reports of a run, divide the edges of bins by this
                       (for rates, multiply): edges of the same bin are then equal except for
                       rounding */
    struct sw_overall overall_train;
    struct sw_overall overall_valid;
    size_t misuse_count;
    size_t misuse_size;             /**< bytes from one to the next; see sw_report_misuse() */
    const struct sw_misuse *misuse; /**< one for each kind and action, in order of first occurrence
                                     */
    bool amended; /**< true if the fit already had a report and this one adds the rows of `after`;
                     made when the program ends, or by sw_report_new() between two fits */
    size_t column_count;
    size_t column_size;             /**< bytes from one to the next; see sw_report_column() */
    const struct sw_column *column; /**< phase and action first */
    bool inserted; /**< the program began no fit: this one lasts from its first region to sw_close()
                    */
    size_t counter_count; /**< counters of each row */
    size_t counter_size;  /**< bytes from one to the next; see sw_row_counter() */
    size_t finding_count; /**< 0 while the fit runs, and if no sink wants SW_RECORD_FINDINGS */
    size_t finding_size;  /**< bytes from one to the next; see sw_report_finding() */
    const struct sw_finding *finding; /**< where the fit lost time, the worst first */
    int64_t preempted;   /**< how often the kernel took the processor from the loop's thread during
                            the fit; -1 if unknown */
    const char *gpu;     /**< name of a GPU runtime that the program has loaded, such as
                            "libcuda.so.1"; "" if there is none or it is not known */
    size_t shaped_count; /**< of `shaped`; 0 if no action was called with a shape */
    const struct sw_report_row *shaped; /**< the same calls, with a row for each shape of an action;
                                           see sw_report_shaped() */
    double waited_ns; /**< how long the loop's thread was ready to run and waited for a processor
                           during the fit; 0 if unknown */
};

/** Returns finding i of a report, from 0; i is less than report->finding_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_finding *
sw_report_finding(const struct sw_report *report, size_t i)
{
    return (const struct sw_finding *)sw_element_(report->finding, report->finding_size, i);
}

/** Returns column i of a report, from 0; i is less than report->column_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_column *
sw_report_column(const struct sw_report *report, size_t i)
{
    return (const struct sw_column *)sw_element_(report->column, report->column_size, i);
}

/** Returns whether this header knows the kind of a column. A newer library may have other kinds,
 * which the functions below cannot read: leave such a column out. */
SW_NOT_INSTRUMENTED_ static inline bool sw_column_is_known(const struct sw_column *column)
{
    return column->kind >= SW_COLUMN_TEXT && column->kind <= SW_COLUMN_COUNTER;
}

/** Returns the text of a column of kind SW_COLUMN_TEXT in a row, as the user gave it; NULL for
 * other kinds. The row must be the report's own, not a copy: a newer library may have columns after
 * the fields that this header knows. The same holds for the two functions below. */
SW_NOT_INSTRUMENTED_ static inline const char *sw_column_text(const struct sw_column *column,
                                                              const struct sw_report_row *row)
{
    const void *value = (const char *)row + column->offset;
    return column->kind == SW_COLUMN_TEXT ? *(const char *const *)value : NULL;
}

/** Returns the value of a column of kind SW_COLUMN_COUNT or SW_COLUMN_COUNTER in a row; 0 for other
 * kinds. */
SW_NOT_INSTRUMENTED_ static inline int64_t sw_column_count(const struct sw_column *column,
                                                           const struct sw_report_row *row)
{
    const void *value = (const char *)row + column->offset;
    bool whole = column->kind == SW_COLUMN_COUNT || column->kind == SW_COLUMN_COUNTER;
    return whole ? *(const int64_t *)value : 0;
}

/** Returns the value of a column of any kind but SW_COLUMN_TEXT in a row; NAN if the row has none,
 * and for kinds that this header does not know. */
SW_NOT_INSTRUMENTED_ static inline double sw_column_number(const struct sw_column *column,
                                                           const struct sw_report_row *row)
{
    const void *value = (const char *)row + column->offset;
    if (column->kind == SW_COLUMN_COUNT)
        return (double)*(const int64_t *)value;
    if (column->kind == SW_COLUMN_COUNTER && *(const int64_t *)value != SW_COUNTER_NONE)
        return (double)*(const int64_t *)value;
    if (column->kind == SW_COLUMN_TEXT || column->kind == SW_COLUMN_COUNTER ||
        !sw_column_is_known(column))
        return __builtin_nan("");
    return *(const double *)value;
}

/** Returns row i of a report, from 0; i is less than report->count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_report_row *
sw_report_row(const struct sw_report *report, size_t i)
{
    return (const struct sw_report_row *)sw_element_(report->row, report->row_size, i);
}

/** Returns counter i of a row of the report, from 0; i is less than report->counter_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_counter_total *
sw_row_counter(const struct sw_report *report, const struct sw_report_row *row, size_t i)
{
    return (const struct sw_counter_total *)sw_element_(row->counter, report->counter_size, i);
}

/** Returns row i of a report with a row for each shape, from 0; i is less than
 * report->shaped_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_report_row *
sw_report_shaped(const struct sw_report *report, size_t i)
{
    return (const struct sw_report_row *)sw_element_(report->shaped, report->row_size, i);
}

/** Returns misuse i of a report, from 0; i is less than report->misuse_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_misuse *
sw_report_misuse(const struct sw_report *report, size_t i)
{
    return (const struct sw_misuse *)sw_element_(report->misuse, report->misuse_size, i);
}

/** Returns bin i of a distribution, from 0; i is less than d->bin_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_bin *
sw_distribution_bin(const struct sw_distribution *d, size_t i)
{
    return (const struct sw_bin *)sw_element_(d->bin, d->bin_stride, i);
}

/**
 * Returns the quantile p of a distribution: the value below which a share p of the values lies. It
 * is interpolated linearly between the two sorted values around position p * (count - 1).
 *
 * p: 0..1.
 *
 * Exact if all values are kept. Otherwise the two values come from the histogram (relative error at
 * most 1 %), and only p = 0 and p = 1, which are min and max, are exact. Returns NAN if count is 0,
 * or if the distribution has neither values nor bins, as in a report that was read from a run log.
 * Needs no symbol of the library.
 */
SW_NOT_INSTRUMENTED_ static inline double sw_quantile(const struct sw_distribution *d, double p);

/* Returns the value at a rank, from 0, from the histogram: the middle of its bin, or min or max. */
SW_NOT_INSTRUMENTED_ static inline double sw_quantile_binned_(const struct sw_distribution *d,
                                                              int64_t rank)
{
    uint64_t before = 0;
    if (rank == 0)
        return d->min;
    for (size_t i = 0; i < d->bin_count && rank < d->count - 1; i++) {
        const struct sw_bin *bin = sw_distribution_bin(d, i);
        before += bin->count;
        if ((uint64_t)rank < before) {
            double middle = bin->low + (bin->high - bin->low) / 2;
            return middle < d->min ? d->min : middle > d->max ? d->max : middle;
        }
    }
    return d->max;
}

/* Returns the kept value at a rank, from 0. The list is short, so selection by counting is fine. */
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
    if (d->count <= 0 || ((size_t)d->count != d->kept && !d->bin_count))
        return __builtin_nan("");
    double position = p * (double)(d->count - 1);
    int64_t low = (int64_t)position;
    double below = sw_quantile_rank_(d, low);
    double above = low + 1 < d->count ? sw_quantile_rank_(d, low + 1) : below;
    return below + (position - (double)low) * (above - below);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
