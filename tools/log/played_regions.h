/* SPDX-License-Identifier: MIT */
/* played_regions.h - regions of a log that has each of them, spans, notes and pauses. */
#ifndef TOOLS_LOG_PLAYED_REGIONS_H
#define TOOLS_LOG_PLAYED_REGIONS_H

#include "tools/log/player.h"

/* Plays a begin, an end or a cancel. Returns 0 or SW_EFORMAT. */
int played_region(struct player *player, const struct log_value *line, struct sw_error *err);

/* Ends an action. samples: of a batch. shape: NULL if it has none. */
void played_end(struct player *player, const char *action, const char *shape, int64_t samples);

/* Returns the action's handle. shape: NULL if it has none. */
int played_handle(struct player *player, const char *action, const char *shape);

/* Returns 0, SW_EFORMAT or SW_ENOMEM. */
int played_span_begin(struct player *player, const struct log_value *line, struct sw_error *err);
void played_span_end(struct player *player, const struct log_value *line);
void played_note(struct player *player, const struct log_value *line);
void played_pause(struct player *player, const struct log_value *line, bool paused);

#endif
