/* SPDX-License-Identifier: MIT */
/* fit_report.h - the report of a fit: summary, tables, a chart and lines of output. */
#ifndef SINKS_WANDB_FIT_REPORT_H
#define SINKS_WANDB_FIT_REPORT_H

#include "sinks/wandb/wandb_sink.h"

/* Writes the summary keys and tables of a fit. */
int swi_wandb_fit_report(struct wandb *w, const struct sw_record *record, struct sw_error *err);
/* Adds a distribution, with its values multiplied by scale, in the form in which the SDK stores a
 * list of numbers in the summary. */
void swi_wandb_distribution(struct swi_text *text, const struct sw_distribution *d, double scale);

/* Writes the report of all ranks: a table, and in the summary the straggler. */
int swi_wandb_ranks_report(struct wandb *w, const struct sw_record *record, struct sw_error *err);

#endif
