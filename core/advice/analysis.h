/* SPDX-License-Identifier: MIT */
/* analysis.h - the input of the rules: the steps after the slow ones at the start. */
#ifndef CORE_ADVICE_ANALYSIS_H
#define CORE_ADVICE_ANALYSIS_H

#include "core/advice/advice.h"
#include "core/text/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- places in the source that take long ----------------------------------------------------- */

struct swi_places {
    size_t count;
    size_t *at;   /* indices of steps, ascending */
    double *more; /* how much longer than usual each of them takes; 0 for all other steps */
    double cost;  /* the sum of that */
};

/* ---- the analysis ---------------------------------------------------------------------------- */

/* The least number of steps to judge. */
enum { SWI_STEPS_LEAST = 32 };

/* An action of the judged steps. */
struct swi_analysed_action {
    const char *name;
    const double *ns; /* in each of these steps */
    double sum;
    bool standard; /* forward, loss, backward, opt_step, zero_grad or predict */
    bool shared;   /* SWI_OTHER_ACTIONS */
};

/* How a batch is divided. */
struct swi_batch_parts {
    bool known;               /* forward is measured */
    bool own;                 /* the user's own actions are measured too */
    double total;             /* of all batches, ns */
    double rest;              /* median share of a batch that is in no standard action */
    double forward, backward; /* shares */
};

struct swi_analysis {
    const struct swi_advised *fit;
    struct swi_advice *advice;
    bool failed;   /* out of memory */
    bool of_steps; /* the rule that judges looks at single steps */

    /* All steps, without the first if it is dropped. */
    size_t dropped;
    bool enough; /* there are enough steps to judge single ones */
    bool calm;   /* they do not vary too much to judge their means */

    /* The slow steps at the start. */
    size_t warm;
    double warm_cost, warm_total; /* ns: how much longer they took; the total of all steps */

    /* The steps after these. Everything below is about them. */
    size_t from; /* the first of them */
    size_t n;
    const int64_t *number, *samples;
    const bool *first;
    const double *draw, *batch;
    double *s;       /* draw and batch */
    double *scratch; /* room for as many values, and for the longest series */
    double *whole;   /* the same, for values that a rule calculates for each step */
    int64_t *within; /* place in the epoch */
    double total, typical;
    double rate; /* samples/s, or steps/s */
    bool has_samples;
    size_t actions;
    struct swi_analysed_action *action;
    int64_t size;   /* the most frequent batch size */
    size_t mains;   /* batches of that size */
    size_t *main;   /* their indices */
    bool contended; /* the loop was sometimes preempted */
    double *local;  /* the median batch around each */
    bool divided;   /* `parts` is set; see swi_batch_parts_of() */
    struct swi_batch_parts parts;

    /* Results of rules for those that follow. */
    struct swi_places slow_draws, slow_batches;
    bool *explained; /* for each step: it is known why it is slow */
    bool irregular_bursts;
    bool asynchronous;
};

/* Prepares the judge. Returns false if out of memory. Call swi_analysis_fini() in any case. */
bool swi_analysis_init(struct swi_analysis *analysis, const struct swi_advised *fit,
                       struct swi_advice *advice);
void swi_analysis_fini(struct swi_analysis *analysis);

/* Returns whether all steps between two of the judged ones are judged too. */
bool swi_is_one_stretch(const struct swi_analysis *analysis, size_t i, size_t j);

/* Returns how many steps the fit had of which single ones are not known. */
int64_t swi_steps_unknown(const struct swi_advised *fit);

/* Notes that it is known why these steps are slow. */
void swi_analysis_explain(struct swi_analysis *analysis, const size_t *at, size_t count);

/* ---- slow parts ------------------------------------------------------------------------------ */

/* Finds which part of slow steps takes longer. */

/* The action with at least half of the excess of these steps: its name, borrowed; "*": all in the
 * same proportion as in other steps; "": none. unnamed: with "", it is known to be in none of the
 * actions. */
struct swi_slow_part {
    const char *action;
    bool unnamed;
};
struct swi_slow_part swi_slow_part_of(struct swi_analysis *analysis, const size_t *at,
                                      size_t count);

/* Adds ", in backward", ", in all actions alike" or ", in none of the measured actions"; nothing if
 * it is not known. */
void swi_slow_part_put(struct swi_text *text, const struct swi_analysis *analysis,
                       const struct swi_slow_part *part);

/* Returns whether the delay of each of these steps is in a single action, and which one is random,
 * in proportion to its length. That is the pattern of preemption. */
bool swi_one_at_a_time(struct swi_analysis *analysis, const size_t *at, size_t count);

/* ---- how a batch is divided among the actions in it ------------------------------------------ */

/* Calculates the parts of a batch at its first call. */
const struct swi_batch_parts *swi_batch_parts_of(struct swi_analysis *analysis);

#endif
