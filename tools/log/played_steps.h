/* SPDX-License-Identifier: MIT */
/* played_steps.h - steps of a log: their regions are made again from their durations, one after the
 * other. */
#ifndef TOOLS_LOG_PLAYED_STEPS_H
#define TOOLS_LOG_PLAYED_STEPS_H

#include "tools/log/player.h"

/* Plays a step. Returns 0 or SW_EFORMAT. */
int played_step(struct player *player, const struct log_value *line, struct sw_error *err);

/* Ends a valid that the log does not begin before a line that is not part of it; NULL: the end. */
void played_valid_end(struct player *player, const struct log_value *line);

#endif
