/* SPDX-License-Identifier: MIT */
/* system_metrics.h - samples of monitors, under the names of wandb's System tab. */
#ifndef SINKS_WANDB_SYSTEM_METRICS_H
#define SINKS_WANDB_SYSTEM_METRICS_H

#include "sinks/common/sample_names.h"
#include "sinks/wandb/values/fields.h"

struct wandb;

/* Fills a row with the keys of a sample. cpus: on how many of them the process may run. */
void swi_wandb_system_row(struct swi_fields *row, struct swi_sample_sums *sums,
                          const struct sw_record *record, double cpus);

/* Writes a sample, if samples are wanted of this run. */
void swi_wandb_sample(struct wandb *w, const struct sw_record *record);

/* Takes a sample and writes it, if one is due. */
void swi_wandb_sample_look(struct wandb *w);

#endif
