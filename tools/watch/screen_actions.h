/* SPDX-License-Identifier: MIT */
/* screen_actions.h - the parts of a step: a bar of their shares, and a table. */
#ifndef TOOLS_WATCH_SCREEN_ACTIONS_H
#define TOOLS_WATCH_SCREEN_ACTIONS_H

#include "tools/watch/screen_lines.h"
#include "tools/watch/watched.h"

/* Adds the bar, up to so many rows of the table, and the slowest step. */
void screen_actions_add(struct screen *screen, const struct watched *run, size_t room);

/* Adds two plain lines: the shares, and the slowest step. */
void screen_actions_block(struct swi_text *text, const struct watched *run, bool utf8);

#endif
