/* SPDX-License-Identifier: MIT */
/* run_open.h - the beginning of a run: its folder, and the first records of its file, which are
 * flushed. */
#ifndef SINKS_WANDB_RUN_OPEN_H
#define SINKS_WANDB_RUN_OPEN_H

#include "sinks/wandb/wandb_sink.h"

/* ---- flushing -------------------------------------------------------------------------------- */

/* Writes what is new to the run's file. If the disk is full, says so once, and hands the records to
 * the upload. */
void swi_wandb_run_flush(struct wandb *w);

/* ---- opening --------------------------------------------------------------------------------- */

/* Opens the run that options and environment describe, and begins its upload. Sets `off` if this
 * process makes no run. */
int swi_wandb_run_open(struct wandb *w, struct sw_error *err);

#endif
