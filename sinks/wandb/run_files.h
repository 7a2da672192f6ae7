/* SPDX-License-Identifier: MIT */
/* run_files.h - config.yaml, wandb-summary.json and wandb-metadata.json of a run. */
#ifndef SINKS_WANDB_RUN_FILES_H
#define SINKS_WANDB_RUN_FILES_H

#include "sinks/wandb/wandb_sink.h"

/* Write what the service keeps of every run as files, beside the tables. A failure is only
 * reported. */
void swi_wandb_run_files_begin(struct wandb *w, const struct swi_wandb_environment *environment);
void swi_wandb_run_files_end(struct wandb *w);

#endif
