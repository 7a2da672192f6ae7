/* SPDX-License-Identifier: MIT */
/* run_directory.h - which directory a run gets. */
#ifndef SINKS_TENSORBOARD_RUN_DIRECTORY_H
#define SINKS_TENSORBOARD_RUN_DIRECTORY_H

#include "sinks/tensorboard/tensorboard_sink.h"

/* Chooses and makes the run's directory, and claims it for this process. */
int run_directory_open(struct tensorboard *t, struct sw_error *err);
void run_directory_close(struct tensorboard *t);

#endif
