/* SPDX-License-Identifier: MIT */
/* hparams_page.h - what the run was started with, and how it ended. */
#ifndef SINKS_TENSORBOARD_HPARAMS_PAGE_H
#define SINKS_TENSORBOARD_HPARAMS_PAGE_H

#include "sinks/tensorboard/tensorboard.h"

void session_config(struct tensorboard *t, const struct sw_config *config);
void session_begin(struct tensorboard *t, double wall_s);
void session_metric(struct tensorboard *t, const struct stream *stream, const char *tag);
void session_experiment(struct tensorboard *t, double wall_s);
void session_end(struct tensorboard *t, const struct sw_record *record);
void session_fini(struct tensorboard *t);

#endif
