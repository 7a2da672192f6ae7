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

#endif
