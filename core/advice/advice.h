/* SPDX-License-Identifier: MIT */
/* advice.h - where a run loses time: findings, from the durations of its training steps. The same
 * rules judge a run when it is over and a run log (tools/explain/). */
#ifndef CORE_ADVICE_ADVICE_H
#define CORE_ADVICE_ADVICE_H

#include <stepwatch/finding.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An action besides draw and batch, in each step. */
struct swi_advised_action {
    const char *name;
    double *ns;  /* the sum of its calls in each step, 0 where there were none */
    size_t last; /* index of the last step that it ran in */
};

/* Values of memory in use, in bytes. */
struct swi_advised_series {
    const char *name; /* of the metric: process/rss_bytes, gpu/0/memory_used_bytes */
    size_t count;
    double *t_ns;
    double *value;
};

/* Who keeps the other ranks waiting, by the report of all ranks. */
struct swi_advised_ranks {
    const char *verdict;  /* as in struct sw_ranks */
    const char *sentence; /* not NULL */
    int64_t rank;         /* -1: no single rank */
    const char *host;     /* NULL: no whole node */
    const char *action;   /* in which it loses most; NULL: none of those that are measured */
    double late_ns;       /* a step */
    double saved;         /* share of the time that would be saved; NAN: nobody is named */
    double confidence;
};

/* What is known of a fit. Steps are those of training that were not cancelled. */
struct swi_advised {
    size_t steps;
    int64_t *number;  /* of each step */
    int64_t *samples; /* 0: not known */
    bool *first;      /* of its epoch */
    double *draw_ns;
    double *batch_ns;
    size_t actions;
    struct swi_advised_action *action; /* in the order in which they came first */

    int64_t older; /* steps before these, which are not known one by one */
    bool drop_first;
    int64_t all_samples; /* of all steps of training, with the older ones */
    int64_t all_steps;   /* of training and validation */
    double fit_ns;       /* 0: not known */
    double valid_ns;
    double other_ns;   /* in no region */
    double between_ns; /* of it, between steps */

    bool counted; /* the run's own report is there: */
    double own_ns;
    int64_t misuses, discarded;

    const char *gpu;   /* name of a GPU runtime that is loaded; NULL: none */
    int64_t preempted; /* how often the processor was taken from the loop; -1: not known */

    size_t series_count; /* by name */
    struct swi_advised_series *series;

    const struct swi_advised_ranks *ranks; /* NULL: not known */
};

enum swi_verdict_on_rule { SWI_RULE_NONE, SWI_RULE_NEAR, SWI_RULE_FOUND, SWI_RULE_ABSTAINED };

/* What a rule came to. */
struct swi_checked {
    const char *id;
    enum swi_verdict_on_rule verdict;
    char *why; /* NULL for what was found */
};

struct swi_advice {
    size_t count;
    struct sw_finding *finding; /* the worst first */
    size_t checked_count;
    struct swi_checked *checked; /* by id */
};

/* "none", "near", "found" or "abstained"; "high", "medium" or "note". */
const char *swi_verdict_name(enum swi_verdict_on_rule verdict);
const char *swi_level_name(enum sw_finding_level level);

/* Judges a fit. False without memory; advice is to be given to swi_advice_free() in any case. */
bool swi_advise(struct swi_advice *advice, const struct swi_advised *fit);
void swi_advice_free(struct swi_advice *advice);

#endif
