/* SPDX-License-Identifier: MIT */
/* logged_values.h - texts, tables, histograms and images in the row of their step. */
#ifndef SINKS_WANDB_LOGGED_VALUES_H
#define SINKS_WANDB_LOGGED_VALUES_H

#include "sinks/wandb/wandb_sink.h"

/* Takes a record of a value. One that cannot be written is reported once, and counted. */
void swi_wandb_value(struct wandb *w, const struct sw_record *record);

#endif
