/* SPDX-License-Identifier: MIT */
/* comparison.h - compares the durations of two runs, action by action: which became longer, by how
 * much, and whether that is more than noise. */
#ifndef TOOLS_COMPARE_COMPARISON_H
#define TOOLS_COMPARE_COMPARISON_H

#include "tools/compare/interval.h"
#include "tools/log/log_fits.h"
#include "tools/log/run_replay.h"

#include <stepwatch/error.h>
#include <stepwatch/report.h>
#include <stepwatch/sink.h>

#include <stdbool.h>

enum finding_changed {
    FINDING_APPEARED, /* only in B */
    FINDING_GREW,     /* its effect is larger in B */
    FINDING_SHRANK,
    FINDING_WENT, /* only in A */
    FINDING_STAYED
};

/* A finding of one of the runs, or the verdict that there is none. All of it is borrowed. */
struct finding_side {
    const struct sw_finding *finding;  /* NULL: there is none */
    const struct swi_checked *checked; /* NULL: nothing is said about it */
};

struct finding_change {
    const char *id;
    enum finding_changed changed;
    struct finding_side a, b;
};

struct finding_changes {
    const struct swi_advice *a, *b;
    size_t count;
    struct finding_change *change; /* what appeared or grew first, then by effect */
};

/* Joins what was found in a fit with what was found before: of each finding, the one with the
 * largest effect, and of what was looked at, the first verdict. The rest stays in `other`. Returns
 * false if out of memory. */
bool findings_join(struct swi_advice *advice, struct swi_advice *other);

/* Compares the findings of two logs, which it borrows. Returns 0 or SW_ENOMEM. Call
 * finding_changes_free() in any case. */
int finding_changes_make(struct finding_changes *changes, const struct swi_advice *a,
                         const struct swi_advice *b, struct sw_error *err);
void finding_changes_free(struct finding_changes *changes);

/* Returns "appeared", "grew", "shrank", "went" or "stayed". */
const char *finding_changed_name(enum finding_changed changed);

/* ---- how long each action of a recorded run took in each step ---------------------------------
 */

/* What an action took in each step of a phase, which is 0 in steps without it: its time, or what it
 * used of a counter. A step of which a use is not known is left out. SW_STEP is draw and batch. */
struct per_step {
    enum sw_phase phase; /* SW_PHASE_TRAIN or SW_PHASE_VALID */
    int action_id;
    const char *action;
    char *counter, *unit; /* NULL: its time, in nanoseconds */
    bool peak;
    struct means value;
    int64_t unknown; /* steps */
    /* Of the current step. */
    bool any, missed;
    int64_t sum;
};

/* What all actions took. Initialise it as {0}. */
struct per_steps {
    size_t count;
    struct per_step *item; /* train before valid; step first, then in the order of the actions */
    size_t next;           /* the item after the one that was found last: steps are alike */
    int64_t fit;
    bool any[SW_PHASE_VALID + 1]; /* steps of the fit were seen */
    int64_t steps[SW_PHASE_VALID + 1];
    bool failed; /* out of memory */
};

struct durations {
    struct replay replay; /* how the log ended */
    struct log_fits fits;
    struct swi_advice advice; /* the findings of all fits, joined */
    char *host;
    bool drop_first;
    bool throughput; /* the mode of the run */
    struct per_steps times, uses;
    double samples; /* of the training steps */
};

/* Reads a log. Returns 0 or a negative code. Call durations_free() in any case. */
int durations_read(struct durations *durations, const char *path, struct sw_error *err);
void durations_free(struct durations *durations);

/* ---- the comparison of two runs -------------------------------------------------------------- */

/* The confidence of all intervals together. */
#define COMPARISON_CONFIDENCE 0.99

/* An action that both runs have, or its use of a counter that both have. */
struct comparison_row {
    const struct per_step *a, *b;
    struct interval by;
};

struct comparison_rows {
    size_t count;
    struct comparison_row *item;
};

struct comparison {
    struct durations a, b;           /* read and freed by the caller */
    struct finding_changes findings; /* the same */
    const char *const *wanted; /* "step" or "train/step"; terminated by NULL; NULL: all actions */
    double bound;              /* the share from which on it is "over"; INFINITY: none */
    struct comparison_rows times, uses;
};

extern const char *const comparison_phases[];

/* Makes the rows of the actions that both have. Returns SW_EINVAL if a wanted name is in neither,
 * SW_EFORMAT if there is no row. */
int comparison_make(struct comparison *c, struct sw_error *err);
void comparison_free(struct comparison *c);

/* Returns "worse", "better" or "noise"; of a counter "more", "less" or "noise": whether that is
 * good depends on the counter. */
const char *comparison_verdict(const struct comparison_row *row);

/* Returns whether it is worse by more than the bound. */
bool comparison_is_over(const struct comparison *c, const struct comparison_row *row);

/* Returns whether a wanted action is missing in the other run. */
bool comparison_lacks(const struct comparison *c, const struct durations *other,
                      const struct per_step *item);

/* Returns the samples per training step, or 0 if no step has any. */
double comparison_samples(const struct durations *d);

/* Print it to standard output: as a table, or as JSON. */
void comparison_print(const struct comparison *c);
int comparison_print_json(const struct comparison *c, struct sw_error *err);

#endif
