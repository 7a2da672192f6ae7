/* SPDX-License-Identifier: MIT */
/* saved_files.h - files of sw_log_file(): files of the run, or artifacts. */
#ifndef SINKS_WANDB_SAVED_FILES_H
#define SINKS_WANDB_SAVED_FILES_H

#include "sinks/wandb/wandb_sink.h"

/* Copies a file into the run's folder, and writes the record that uploads it. */
void swi_wandb_saved_file(struct wandb *w, const struct sw_kept_file *file);

#endif
