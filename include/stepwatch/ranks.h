/* SPDX-License-Identifier: MIT */
/* ranks.h - one report of all ranks of a distributed run.
 *
 * An engine is a library that joins the ranks while they run, such as stepwatch/mpi.h. It takes the
 * report and the durations of the steps of each rank, makes one report of all ranks, and gives it
 * to the sinks of one rank, usually rank 0. Programs that only measure do not need this header. */
#ifndef STEPWATCH_RANKS_H
#define STEPWATCH_RANKS_H

#include <stepwatch/report.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

struct sw_profiler;
struct sw_run; /* stepwatch/sink.h */

/* ---- the report of all ranks ----------------------------------------------------------------- */

/** One row of a report of all ranks: a phase and an action. Durations are in nanoseconds. The total
 * of a rank is the time of all its calls. */
struct sw_ranks_row {
    enum sw_phase phase_id;
    int action_id;       /**< as in struct sw_report_row, in this process */
    const char *phase;   /**< "fit", "train", "valid", "threads", "before" or "after" */
    const char *action;  /**< as the user gave it, maybe not UTF-8 */
    int64_t ranks;       /**< number of ranks that called the action */
    int64_t calls;       /**< of all ranks */
    double min_ns;       /**< the smallest total of a rank; 0 if a rank lacks the action */
    int64_t min_rank;    /**< that rank; the lowest if there are several */
    double mean_ns;      /**< mean of the totals of all ranks */
    double max_ns;       /**< the largest total of a rank */
    int64_t max_rank;    /**< that rank; the lowest if there are several */
    double imbalance;    /**< max_ns / mean_ns - 1: 1 means that the slowest takes twice the mean */
    double call_mean_ns; /**< of a call; NAN without calls */
    double call_std_ns;  /**< of all calls of all ranks, of the population; NAN without calls */
    double p50_ns;       /**< of all calls of all ranks, within 1 %; NAN if it is not known */
    double p95_ns;
    double p99_ns;
};

/** A report of all ranks. */
struct sw_ranks {
    size_t size;        /**< of this struct in the library that made it */
    int64_t world_size; /**< number of ranks of the run */
    int64_t ranks;      /**< number of ranks in this report */
    int fit;            /**< 1 for the program's first fit */
    bool complete;      /**< false: made while the fit was running */
    int64_t epoch;      /**< number of epochs finished in this fit */
    int64_t step;       /**< number of the next training step, on the rank that has the report */
    int64_t steps;      /**< training steps of this fit that all ranks have */
    int64_t block;      /**< verdict and shares are computed from means of this many steps */
    int64_t took_ns;    /**< time that joining the ranks took on this rank */
    /** Share of the time that perfect balance would save: in each step, the work of the slowest
     * rank minus the mean work of all ranks. Work is time outside of the actions in which ranks
     * wait. NAN if it is not known. */
    double lost;
    /** Share of the time in which even the last rank waits, because of communication. NAN if it is
     * not known. */
    double communication;
    /** Who keeps the others waiting. If it is one rank or host: "rank", "host" or "intermittent"
     * (one rank, but only in some steps). If it is not: "rotating", "communication", "spread" or
     * "balanced". If that cannot be decided: "abstain". */
    const char *verdict;
    const char *why;         /**< why "abstain": "no wait", "too little" or "waits"; else NULL */
    const char *sentence;    /**< the verdict as a sentence, without a full stop; names in it are as
                                the user gave them */
    int64_t slow_rank;       /**< the rank that keeps the others waiting; -1: none or a host */
    const char *slow_host;   /**< the host of that rank, or the host whose ranks are all slow */
    const char *slow_action; /**< in which action the slow rank or host loses most; NULL: outside of
                                the measured actions, or none is named */
    double late_ns; /**< how much later than the median rank the slow rank or host is in a step; NAN
                       if none is named */
    double gain; /**< share of the time that would be saved if the slow rank or host were as fast as
                    the next rank; NAN if none is named */
    double confidence;                /**< 0..1; NAN if none is named */
    size_t count;                     /**< of rows */
    size_t row_size;                  /**< bytes from one row to the next; see sw_ranks_row_at() */
    const struct sw_ranks_row *row;   /**< in the order of struct sw_report */
    size_t finding_count;             /**< 1 if a slow rank or host is named. The library sets this
                                         field and the next two */
    size_t finding_size;              /**< bytes from one to the next; see sw_ranks_finding() */
    const struct sw_finding *finding; /**< the slow rank or host as a finding: its effect, and what
                                         to try */
};

/** Returns row i of a report of all ranks, from 0; i is less than ranks->count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_ranks_row *
sw_ranks_row_at(const struct sw_ranks *ranks, size_t i)
{
    return (const struct sw_ranks_row *)sw_element_(ranks->row, ranks->row_size, i);
}

/** Returns finding i of a report of all ranks, from 0; i is less than ranks->finding_count. */
SW_NOT_INSTRUMENTED_ static inline const struct sw_finding *
sw_ranks_finding(const struct sw_ranks *ranks, size_t i)
{
    return (const struct sw_finding *)sw_element_(ranks->finding, ranks->finding_size, i);
}

/**
 * Returns a copy of a report of all ranks, with its rows and texts, which the caller must free with
 * sw_ranks_free(). Returns NULL if out of memory. NULL texts stay NULL.
 */
SW_API struct sw_ranks *sw_ranks_copy(const struct sw_ranks *ranks);

/** Frees a copy. Accepts NULL. */
SW_API void sw_ranks_free(struct sw_ranks *ranks);

/**
 * Sends a report of all ranks to the sinks of sw that want SW_RECORD_RANKS. The report is copied.
 *
 * Returns 0, SW_ENOMEM, or SW_EINVAL if sw is NULL or belongs to a parent process. Any thread may
 * call it.
 */
SW_API int sw_log_ranks(struct sw_profiler *sw, const struct sw_ranks *ranks, struct sw_error *err);

/**
 * Sends the difference between the wall clock of this rank and that of rank 0 to the sinks of sw
 * that want SW_RECORD_CLOCK, for merged timelines.
 *
 * offset_ns: the time of this rank minus that of rank 0 at the same moment.
 *
 * error_ns: the largest possible error of offset_ns.
 */
SW_API void sw_log_clock(struct sw_profiler *sw, int64_t offset_ns, int64_t error_ns);

/* ---- what an engine needs of a rank ---------------------------------------------------------- */

/** Returns the description of the run that the sinks get, valid until sw_close(). NULL if sw is
 * NULL. */
SW_API const struct sw_run *sw_get_run(const struct sw_profiler *sw);

/** Returns the nanoseconds since the run's start, by the clock of the profiler. 0 if sw is NULL. */
SW_API int64_t sw_now(struct sw_profiler *sw);

/**
 * Keeps the durations of training steps from now on, for sw_steps_new(). Steps of an earlier fit
 * are forgotten when the next fit begins.
 *
 * Costs about 0.2 us a step. Memory is limited to 8 KiB for each action and 1 MiB in all: after
 * 1,024 steps the means of 2 steps are kept, after 2,048 those of 4, and so on.
 *
 * Returns 0, SW_ENOMEM, or SW_EINVAL if sw is NULL or belongs to a parent process.
 */
SW_API int sw_keep_steps(struct sw_profiler *sw, struct sw_error *err);

/** The durations of the training steps of a fit, in nanoseconds. */
struct sw_steps {
    size_t size;    /**< of this struct in the library */
    int64_t steps;  /**< training steps; cancelled ones do not count */
    int64_t block;  /**< a column is the mean of this many steps: a power of two */
    size_t columns; /**< the last one may have fewer steps */
    size_t actions;
    const char *const *action;  /**< names; the time of "batch" excludes that of the others */
    const double *const *value; /**< value[action][column] */
};

/**
 * Makes a copy of what was kept since sw_keep_steps().
 *
 * steps: set to the copy, which the caller must free with sw_steps_free(); unchanged on failure.
 *
 * Returns 0, SW_ENOMEM, or SW_EINVAL if nothing is kept. Any thread may call it.
 */
SW_API int sw_steps_new(struct sw_profiler *sw, struct sw_steps **steps, struct sw_error *err);

/** Frees the copy. Accepts NULL. */
SW_API void sw_steps_free(struct sw_steps *steps);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(struct sw_ranks *, sw_ranks_copy, (const struct sw_ranks *ranks), NULL)
SW_OFF_(void, sw_ranks_free, (struct sw_ranks *ranks), )
SW_OFF_(int, sw_log_ranks,
        (struct sw_profiler *sw, const struct sw_ranks *ranks, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(void, sw_log_clock, (struct sw_profiler *sw, int64_t offset_ns, int64_t error_ns), )
SW_OFF_(const struct sw_run *, sw_get_run, (const struct sw_profiler *sw), NULL)
SW_OFF_(int64_t, sw_now, (struct sw_profiler *sw), 0)
SW_OFF_(int, sw_keep_steps,
        (struct sw_profiler *sw, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(int, sw_steps_new,
        (struct sw_profiler *sw, struct sw_steps **steps, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(void, sw_steps_free, (struct sw_steps *steps), )
/* clang-format on */
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
