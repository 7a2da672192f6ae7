/* SPDX-License-Identifier: MIT */
/* findings.h - where a run loses time, from its log so far. */
#ifndef TOOLS_WATCH_FINDINGS_H
#define TOOLS_WATCH_FINDINGS_H

#include "tools/watch/watched.h"

/* Judges the log anew if that is due: every 5 s, and so rarely that it takes a hundredth of the
 * time. now: does so in any case. Returns whether it did. */
bool findings_look(struct watched *run, bool now);

/* Returns the text of finding i of the newest fit, the worst first, or NULL after the last. */
const char *findings_text(const struct watched *run, size_t i);

#endif
