/* SPDX-License-Identifier: MIT */
/* waiting_values.h - values of the user wait for the end of their step, as the program logged them
 * before it; those of a sample of monitors wait for each other. */
#ifndef TOOLS_LOG_WAITING_VALUES_H
#define TOOLS_LOG_WAITING_VALUES_H

#include "tools/log/player.h"

/* Plays a metric, or an alert or any other value. One of a step that has not ended waits for its
 * end; others belong to the last step. Return 0, SW_EFORMAT or SW_ENOMEM. */
int waiting_values_metric(struct player *player, const struct log_value *line,
                          struct sw_error *err);
int waiting_values_rich(struct player *player, const struct log_value *line, struct sw_error *err);

/* Logs the values that wait for a step up to this one. */
void waiting_values_log(struct player *player, int64_t step);

/* Logs those of steps that the log does not have. */
void waiting_values_log_rest(struct player *player);

void waiting_values_fini(struct player *player);

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
