/* SPDX-License-Identifier: MIT */
/* run_directory.h - which directory a run gets. */
#ifndef SINKS_TENSORBOARD_RUN_DIRECTORY_H
#define SINKS_TENSORBOARD_RUN_DIRECTORY_H

#include "sinks/tensorboard/tensorboard_sink.h"

/* Chooses and makes the run's directory, and claims it for this process. */
int run_directory_open(struct tensorboard *t, struct sw_error *err);
/* Says where the run is, once: in the warning if there is one. */
void run_directory_say(struct tensorboard *t);
void run_directory_close(struct tensorboard *t);
/* The same if nothing could be written: the directory is removed. */
void run_directory_leave(struct tensorboard *t);

#endif
