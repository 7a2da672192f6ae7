/* SPDX-License-Identifier: MIT */
/* run_flush.h - what was recorded of a run goes into its file. */
#ifndef SINKS_WANDB_RUN_FLUSH_H
#define SINKS_WANDB_RUN_FLUSH_H

#include "sinks/wandb/wandb_sink.h"

/* Writes what is new to the run's file. If the disk is full, says so once, and hands the records to
 * the upload. */
void swi_wandb_run_flush(struct wandb *w);

#endif
