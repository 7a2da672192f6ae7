/* SPDX-License-Identifier: MIT */
/* played_sample.h - a sample of the monitors, whose values come line by line. */
#ifndef TOOLS_LOG_PLAYED_SAMPLE_H
#define TOOLS_LOG_PLAYED_SAMPLE_H

#include "tools/log/player.h"

/* Returns whether a metric is part of a sample. */
bool played_sample_is(const struct log_value *line);

/* Returns whether the line has one more value of the sample that waits. */
bool played_sample_continues(const struct player *player, const struct log_value *line);

/* Adds a value to the sample. Returns 0 or SW_ENOMEM. */
int played_sample_add(struct player *player, const struct log_value *line, struct sw_error *err);

/* Logs the sample whose lines have come, at its time. */
void played_sample_log(struct player *player);

void played_sample_fini(struct player *player);

#endif
