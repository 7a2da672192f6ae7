/* SPDX-License-Identifier: MIT */
/* bars.h - curves and bars of characters: blocks, or what a terminal without UTF-8 has. */
#ifndef TOOLS_WATCH_BARS_H
#define TOOLS_WATCH_BARS_H

#include "core/text/buffer.h"
#include "tools/watch/series.h"

/* A curve of at most `width` characters, from the least of its values to the largest. */
void bar_curve(struct swi_text *text, const struct series *series, size_t width, bool utf8);

/* A bar of a share of `width` characters, to an eighth of one. */
void bar_share(struct swi_text *text, double share, size_t width, bool utf8);

/* A part of a bar of several: its name, and what fills the rest of its width. */
void bar_part(struct swi_text *text, const char *name, size_t width, bool utf8);

/* A name as it may be shown, of at most `width` characters, with blanks up to that if it is
 * shorter. */
void bar_name(struct swi_text *text, const char *name, size_t width, bool utf8, bool padded);

#endif
