/* SPDX-License-Identifier: MIT */
/* kept_values.h - what the summary has of each metric: its last value, what a rule of sw_define()
 * says, or what sw_summary() set. */
#ifndef SINKS_WANDB_KEPT_VALUES_H
#define SINKS_WANDB_KEPT_VALUES_H

#include "sinks/common/defined_rules.h"
#include "sinks/common/thinning.h"
#include "sinks/wandb/values/fields.h"

/* All values of a metric so far. */
struct swi_kept_metric {
    const char *name; /* the map's */
    double first, last;
    double min, max, sum; /* of the finite values */
    int64_t finite;
};

/* Initialise it as {0}. */
struct swi_kept_values {
    struct swi_defined_rules rules;
    bool kept_by_rules;    /* some rule says what to keep */
    struct swi_fields own; /* of sw_summary() */
    struct swi_map names;
    struct swi_kept_metric *metric; /* by number */
};

/* Takes a value of a metric. of: what it is the mean of; NULL: it is one value. */
void swi_kept_take(struct swi_kept_values *kept, const char *name, double value,
                   const struct swi_thinned *of);

/* Returns whether the summary is just the last values. */
bool swi_kept_plainly(const struct swi_kept_values *kept);

/* Adds to the summary what the values of a row make of it. */
void swi_history_row(struct swi_kept_values *kept, const struct swi_fields *row,
                     struct swi_fields *summary);

/* Writes what the summary has of a metric. Returns false if it has nothing. */
bool swi_kept_value(const struct swi_kept_values *kept, const struct swi_kept_metric *metric,
                    struct swi_text *json);

/* Adds the last value of each axis that a metric of the row has and the row itself lacks. */
void swi_kept_axes(const struct swi_kept_values *kept, struct swi_fields *row);

void swi_kept_fini(struct swi_kept_values *kept);

#endif
