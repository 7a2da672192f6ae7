/* SPDX-License-Identifier: MIT */
/* played_spans.h - spans, notes, alerts and pauses of a log. */
#ifndef TOOLS_LOG_PLAYED_SPANS_H
#define TOOLS_LOG_PLAYED_SPANS_H

#include "tools/log/player.h"

/* Returns 0, SW_EFORMAT or SW_ENOMEM. */
int played_span_begin(struct player *player, const struct log_value *line, struct sw_error *err);
void played_span_end(struct player *player, const struct log_value *line);
void played_note(struct player *player, const struct log_value *line);
void played_alert(struct player *player, const struct log_value *line);
void played_pause(struct player *player, const struct log_value *line, bool paused);

#endif
