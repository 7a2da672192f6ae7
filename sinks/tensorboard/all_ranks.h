/* SPDX-License-Identifier: MIT */
/* all_ranks.h - the report of all ranks of a distributed run, as text and as scalars. */
#ifndef SINKS_TENSORBOARD_ALL_RANKS_H
#define SINKS_TENSORBOARD_ALL_RANKS_H

#include "sinks/tensorboard/tensorboard_sink.h"

void all_ranks_record(struct tensorboard *t, const struct sw_record *record);

#endif
