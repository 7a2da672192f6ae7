/* SPDX-License-Identifier: MIT */
/* advice.h - finds where a run loses time, from the durations of its training steps. The same
 * rules judge a finished run and a run log (tools/log/explained.c). */
#ifndef CORE_ADVICE_ADVICE_H
#define CORE_ADVICE_ADVICE_H

#include "core/text/curve.h"

#include <stepwatch/finding.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands for all actions that have no array of their own. They may run inside each other, so what
 * they take together may be more than a batch takes. */
#define SWI_OTHER_ACTIONS "other actions"

/* An action besides draw and batch, in each step. */
struct swi_advised_action {
    const char *name;
    double *ns;  /* the sum of its calls in each step, or 0 */
    size_t last; /* index of the last step in which it ran */
};

/* Values of memory in use, in bytes. */
struct swi_advised_series {
    const char *name;       /* name of the metric: process/rss_bytes, gpu/0/memory_used_bytes */
    struct swi_curve bytes; /* by time in ns */
};

/* The straggler according to the report of all ranks. */
struct swi_advised_ranks {
    const char *verdict;  /* as in struct sw_ranks */
    const char *sentence; /* not NULL */
    int64_t rank;         /* -1 if it is not a single rank */
    const char *host;     /* NULL if it is not a whole node */
    const char *action;   /* the action in which it loses most; NULL: none of the measured ones */
    double late_ns;       /* per step */
    double saved;         /* share of the time that would be saved; NAN if nobody is named */
    double confidence;
};

/* The data of a fit. Steps are training steps that were not cancelled. */
struct swi_advised {
    size_t steps;
    int64_t *number;  /* of each step */
    int64_t *samples; /* 0 if not known */
    bool *first;      /* the step is the first of its epoch */
    double *draw_ns;
    double *batch_ns;
    size_t actions;
    struct swi_advised_action *action; /* in the order of their first calls */

    int64_t older; /* steps before these, which are not known individually */
    /* Of a long fit, blocks of consecutive steps that are spread evenly over it; the first block
     * and every step of a block are known. */
    size_t block;               /* steps of a block, the last may be shorter; 0: all are known */
    const int64_t *block_place; /* where in its epoch each block begins, from 0 */
    int64_t between_blocks;     /* steps that are in no block */
    bool drop_first;
    int64_t all_samples; /* of all training steps, including older ones */
    int64_t all_steps;   /* of training and validation */
    double fit_ns;       /* 0 if not known */
    double valid_ns;
    double other_ns;   /* in no region */
    double between_ns; /* the part of it between steps */

    bool counted;  /* the run's own report exists */
    double own_ns; /* NAN: unknown */
    int64_t misuses, discarded;

    const char *gpu;   /* name of a loaded GPU runtime, or NULL */
    int64_t preempted; /* how often the loop was preempted; -1 if not known */
    double waited_ns;  /* how long it waited for a processor; 0 if not known */
    bool throughput;   /* the mode measures nothing besides draw, batch and own actions */

    size_t series_count; /* sorted by name */
    struct swi_advised_series *series;

    const struct swi_advised_ranks *ranks; /* NULL if not known */
};

enum swi_verdict_on_rule { SWI_RULE_NONE, SWI_RULE_NEAR, SWI_RULE_FOUND, SWI_RULE_ABSTAINED };

/* The result of a rule. */
struct swi_checked {
    const char *id;
    enum swi_verdict_on_rule verdict;
    char *why; /* NULL if it was found */
};

struct swi_advice {
    size_t count;
    struct sw_finding *finding; /* the worst first */
    size_t checked_count;
    struct swi_checked *checked; /* sorted by id */
};

/* Return "none", "near", "found" or "abstained"; "high", "medium" or "note". */
const char *swi_verdict_name(enum swi_verdict_on_rule verdict);
const char *swi_level_name(enum sw_finding_level level);

/* Judges a fit. Returns false if out of memory. Call swi_advice_free() in any case. */
bool swi_advise(struct swi_advice *advice, const struct swi_advised *fit);
void swi_advice_free(struct swi_advice *advice);

/* ---- copies findings that the library has not made ------------------------------------------- */

/* Copies a finding, its evidence with all texts and steps as one block. If it returns false,
 * because memory ran out, what there is of the copy is freed like a whole one. */
bool swi_finding_copy(struct sw_finding *to, const struct sw_finding *from);

/* Fills it with copies of findings that are `stride` bytes apart. What else was checked is not
 * known. Returns false if out of memory. Call swi_advice_free() in any case. */
bool swi_advice_copy(struct swi_advice *advice, const struct sw_finding *finding, size_t count,
                     size_t stride);

#endif
