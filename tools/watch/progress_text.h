/* SPDX-License-Identifier: MIT */
/* progress_text.h - how far a run is, and how long it will take, in words. */
#ifndef TOOLS_WATCH_PROGRESS_TEXT_H
#define TOOLS_WATCH_PROGRESS_TEXT_H

#include "core/text/buffer.h"
#include "tools/watch/watched.h"

/* Adds the time, the epoch and the step. */
void watched_place_text(struct swi_text *text, const struct watched *run);

/* Adds the time that is left, if it is known. */
void watched_eta_text(struct swi_text *text, const struct watched *run);

#endif
