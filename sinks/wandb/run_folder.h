/* SPDX-License-Identifier: MIT */
/* run_folder.h - DIR/wandb/offline-run-TIME-ID/, created for each run. */
#ifndef SINKS_WANDB_RUN_FOLDER_H
#define SINKS_WANDB_RUN_FOLDER_H

#include "sinks/wandb/wandb_sink.h"

/* Creates the run's folder and its .wandb file. */
int swi_wandb_run_folder_make(struct wandb *w, struct sw_error *err);

#endif
