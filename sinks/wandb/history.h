/* SPDX-License-Identifier: MIT */
/* history.h - the history: one row for each step. */
#ifndef SINKS_WANDB_HISTORY_H
#define SINKS_WANDB_HISTORY_H

#include "sinks/wandb/wandb_sink.h"

/* Adds metrics to the row of their step. */
void swi_wandb_metrics(struct wandb *w, const struct sw_record *record);
/* Ends the open row if the record's step is a later one. */
void swi_wandb_step_of(struct wandb *w, const struct sw_record *record);
/* Returns the row for values of the newest step. */
struct swi_fields *swi_wandb_row(struct wandb *w, const struct sw_record *record);
/* Makes the next flush write the open row as it is so far. */
void swi_wandb_row_draft(struct wandb *w);
/* Writes the open row and begins the next step. */
void swi_wandb_row_end(struct wandb *w);
/* Returns the values of the summary that are not written yet. */
struct swi_fields *swi_wandb_fresh(struct wandb *w);
/* Writes the new values of the summary. They come after the rows that they belong to, in the same
 * write, so that a killed program leaves a summary that matches its rows. */
void swi_wandb_summary_write(struct wandb *w);

/* Writes what the summary has of a metric. Returns false if it has nothing. */
bool swi_kept_value(const struct swi_kept_values *kept, const struct swi_kept_metric *metric,
                    struct swi_text *json);
void swi_kept_fini(struct swi_kept_values *kept);

/* ---- metric_rules.c -------------------------------------------------------------------------- */

/* Writes the rules that every run has: metrics of the validation are drawn over the epoch. */
void swi_wandb_rules_begin(struct wandb *w);
/* Takes a rule of sw_define(). */
void swi_wandb_rule(struct wandb *w, const struct sw_defined_rule *defined);
/* Takes a value of sw_summary(). */
void swi_wandb_summary_own(struct wandb *w, const struct sw_summary_value *value);
/* Adds the list of all rules, for config.yaml. */
void swi_wandb_rules_yaml(struct swi_text *text, const struct wandb *w);

/* ---- logged_values.c ------------------------------------------------------------------------- */

/* Takes a record of a value. One that cannot be written is reported once, and counted. */
void swi_wandb_value(struct wandb *w, const struct sw_record *record);

/* ---- fit_report.c ---------------------------------------------------------------------------- */

/* Writes the summary keys and tables of a fit. */
int swi_wandb_fit_report(struct wandb *w, const struct sw_record *record, struct sw_error *err);
/* Adds a distribution, with its values multiplied by scale, in the form in which the SDK stores a
 * list of numbers in the summary. */
void swi_wandb_distribution(struct swi_text *text, const struct sw_distribution *d, double scale);

/* Writes the report of all ranks: a table, and in the summary the straggler. */
int swi_wandb_ranks_report(struct wandb *w, const struct sw_record *record, struct sw_error *err);

#endif
