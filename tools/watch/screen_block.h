/* SPDX-License-Identifier: MIT */
/* screen_block.h - what `stepwatch watch` prints of a run where it has no terminal. */
#ifndef TOOLS_WATCH_SCREEN_BLOCK_H
#define TOOLS_WATCH_SCREEN_BLOCK_H

#include "core/text/buffer.h"
#include "tools/watch/watched.h"

/* A run as a few plain lines. */
void screen_block(struct swi_text *text, const struct watched *run, bool utf8);

#endif
