/* SPDX-License-Identifier: MIT */
/* rich_values.h - texts, tables, histograms and images of the program, and its summary. */
#ifndef SINKS_TENSORBOARD_RICH_VALUES_H
#define SINKS_TENSORBOARD_RICH_VALUES_H

#include "sinks/tensorboard/tensorboard_sink.h"

void rich_value_record(struct tensorboard *t, const struct sw_record *record);

/* Keeps a value of the summary until the run ends. */
void rich_summary_record(struct tensorboard *t, const struct sw_record *record);
void rich_summary_write(struct tensorboard *t, const struct sw_record *record);
void rich_summary_fini(struct tensorboard *t);

#endif
