/* SPDX-License-Identifier: MIT */
/* waiting_values.h - values of the user wait for the end of their step, as the program logged them
 * before it. */
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

#endif
