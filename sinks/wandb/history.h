/* SPDX-License-Identifier: MIT */
/* history.h - one row for each step. */
#ifndef SINKS_WANDB_HISTORY_H
#define SINKS_WANDB_HISTORY_H

#include "sinks/wandb/wandb.h"

/* Rows. */
void swi_wandb_metrics(struct wandb *w, const struct sw_record *record);
/* The row to put a value into that belongs to the newest step. */
struct swi_fields *swi_wandb_row(struct wandb *w, const struct sw_record *record);
/* Has the next flush write the row that is open, as it is so far. */
void swi_wandb_row_draft(struct wandb *w);
/* Writes the row that is open, and begins the next step. */
void swi_wandb_row_end(struct wandb *w);
/* Writes what of the summary is new: behind the rows that it is the last values of, and in one
 * write with them, so that a program that is killed leaves the summary of its rows. */
void swi_wandb_summary_write(struct wandb *w);

#endif
