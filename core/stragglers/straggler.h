/* SPDX-License-Identifier: MIT */
/* straggler.h - a report of all ranks, whoever reads the ranks: an engine while they run, or the
 * command from their logs. It has the sums of their rows, and the rank or host that keeps the
 * others waiting. */
#ifndef CORE_STRAGGLERS_STRAGGLER_H
#define CORE_STRAGGLERS_STRAGGLER_H

#include "core/text/buffer.h"

#include <stepwatch/ranks.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- histograms of durations (duration_bins.c) ------------------------------------------------
 */

/* Their size is constant: 64 bins for each power of two. */
enum { SWI_DURATION_BINS = 64 * 59 };

struct swi_duration_bins {
    uint64_t *count; /* NULL until the first value, and if out of memory */
    uint64_t values;
};

/* Returns the number of the bin of a duration. */
unsigned swi_duration_bins_place(uint64_t ns);

void swi_duration_bins_add(struct swi_duration_bins *bins, int64_t ns, int64_t times);
/* Adds an entry of a log: the number of a bin, as in docs/run-log.md, and its count. */
void swi_duration_bins_put(struct swi_duration_bins *bins, int64_t logged, int64_t count);

/* Returns the value below which this share of the durations is, within 0.8 %; NAN if there are
 * none. */
double swi_duration_bins_quantile(const struct swi_duration_bins *bins, double share);
void swi_duration_bins_free(struct swi_duration_bins *bins);

/* ---- rows (rank_sums.c) ---------------------------------------------------------------------- */

__extension__ typedef __int128 swi_rank_ns; /* exact sums of nanoseconds */

/* One action of a rank, or of several. Initialise it as {0}. */
struct swi_rank_sum {
    swi_rank_ns total;   /* of all ranks */
    swi_rank_ns called;  /* durations of all calls, also of those that the totals lack because
                          * they ran inside a call of the same action */
    swi_rank_ns squares; /* of these durations */
    swi_rank_ns least;   /* of the totals of the ranks */
    swi_rank_ns most;
    int64_t min_rank, max_rank; /* which rank has that; the lowest of equal ones */
    int64_t calls, ranks;       /* ranks: how many have any call */
};

/* Adds the calls of one rank, as its report has them. */
void swi_rank_sum_report(struct swi_rank_sum *sum, int64_t calls, double total_ns, double mean_ns,
                         double std_ns);

/* Completes the sum of one rank, of which only total, called, squares and calls are known. */
void swi_rank_sum_own(struct swi_rank_sum *sum, int64_t rank);

/* Adds the completed sum of one rank or several. */
void swi_rank_sum_add(struct swi_rank_sum *sum, const struct swi_rank_sum *more);

/* Returns the row of all ranks, without names and percentiles. ranks: how many there are. */
struct sw_ranks_row swi_rank_sum_row(const struct swi_rank_sum *sum, int64_t ranks);

/* Sets the percentiles, from the durations of all calls. */
void swi_ranks_row_bins(struct sw_ranks_row *row, const struct swi_duration_bins *bins);

/* ---- the straggler --------------------------------------------------------------------------- */

/* One action: what each rank took for it in each step. */
struct swi_rank_action {
    const char *name;
    int number;   /* the caller's */
    bool waits;   /* its time is waiting for other ranks */
    float *value; /* value[rank * steps + step], in any unit: 24 bits are more than the noise of
                   * any step, and half the memory */
};

struct swi_rank_place {
    int64_t rank;
    const char *host;
};

/* Durations of each action in the training steps that all ranks have. */
struct swi_rank_durations {
    size_t ranks, steps, actions;
    const struct swi_rank_action *action;
    const struct swi_rank_place *place; /* of each rank */
};

/* How much slower than the median rank one or several ranks are. */
struct swi_slowness {
    const char *phase; /* the action with the largest loss; NULL: outside of the measured actions */
    double phase_part;
    double phase_loss; /* how much longer than the median rank they take in that action, per step */
    double late;       /* how much later than the median they arrive, per step */
    double gain;       /* if they were as fast as the next rank */
    const char *wait;  /* the action in which the others wait longest, or NULL */
    double last_part;  /* of the steps that count: those in which nobody arrives later */
    size_t last_ranks; /* how many other ranks are the last in some step */
    size_t high_steps, first_step, last_step; /* intermittent: indices of steps */
    size_t
        period; /* intermittent: distance of these steps, if it is nearly always the same, or 0 */
};

/* Ranks that are slow in most steps, and that the sentence names instead of the verdict's. */
struct swi_slow_group {
    size_t ranks;        /* 0: there are none */
    int64_t first, last; /* numbers of its first and its last rank */
    int64_t stride;      /* it is every so many-th rank between them; 0: no pattern */
    size_t hosts;        /* it is all ranks of so many hosts; 0: it is not */
    const char *first_host, *last_host; /* of these, or of the ranks */
    struct swi_slowness slow;
};

/* Steps in which some rank is late by far, besides those that are named. */
struct swi_rank_delays {
    size_t steps, of_steps; /* of how many steps */
    size_t ranks;           /* how many ranks are the last in them */
    size_t most;            /* in how many steps one of these ranks is the last */
    size_t period;          /* distance of these steps, if it is nearly always the same, or 0 */
    double lost;            /* share of the time that is lost to them, besides the named ranks */
};

struct swi_straggler {
    /* host, rank, intermittent, rotating, communication, spread, balanced, abstain */
    const char *verdict;
    const char *why; /* the reason to abstain: "no wait", "too little", "waits"; else NULL */
    bool has_shares; /* lost, communication and mirror are known */
    double lost, communication, mirror;
    bool named;       /* a rank or host is named: the rest is known */
    size_t rank;      /* index of the rank; for a host, of its first rank */
    const char *host; /* verdict host; else NULL */
    double confidence;
    struct swi_slowness slow;
    /* These are known if the shares are. */
    struct swi_slow_group group;
    struct swi_rank_delays delays;
};

/* Finds the straggler. Returns false if out of memory. */
bool swi_straggler_find(struct swi_straggler *found, const struct swi_rank_durations *data);

/* Adds a sentence without a full stop and a newline: "rank 317 (node n39): backward takes 41.00 ms
 * more a step than the median; everybody waits for it in allreduce; without it: +18.0 % samples/s".
 * Names given by the user are not escaped: escape the text for its destination.
 *
 * rank, node: of found->rank; node may be NULL. block: how many real steps each step of the data
 * stands for. */
void swi_straggler_sentence(struct swi_text *text, const struct swi_straggler *found, int64_t rank,
                            const char *node, size_t block);

/* Fills the verdict of a report, and what is known of who keeps the others waiting. place: of each
 * rank of the search. sentence: an empty text, which the report borrows. ranks->block must be
 * set. */
void swi_ranks_set_verdict(struct sw_ranks *ranks, struct swi_text *sentence,
                           const struct swi_straggler *found, const struct swi_rank_place *place);

#endif
