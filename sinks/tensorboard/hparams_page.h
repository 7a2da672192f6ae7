/* SPDX-License-Identifier: MIT */
/* hparams_page.h - what the run was started with, and how it ended. */
#ifndef SINKS_TENSORBOARD_HPARAMS_PAGE_H
#define SINKS_TENSORBOARD_HPARAMS_PAGE_H

#include "sinks/tensorboard/tensorboard_sink.h"

void hparams_page_config(struct tensorboard *t, const struct sw_hparam *config);
void hparams_page_begin(struct tensorboard *t, double wall_s);
void hparams_page_metric(struct tensorboard *t, const struct stream *stream, const char *tag);
void hparams_page_experiment(struct tensorboard *t, double wall_s);
void hparams_page_end(struct tensorboard *t, const struct sw_record *record);
void hparams_page_fini(struct tensorboard *t);

#endif
