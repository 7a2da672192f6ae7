/* SPDX-License-Identifier: MIT */
/* drawing_flames.h - draws in which functions each action spent its time: a flame graph, and a
 * table of the largest functions. */
#ifndef TOOLS_HTML_DRAWING_FLAMES_H
#define TOOLS_HTML_DRAWING_FLAMES_H

#include "sinks/common/functions/profile.h"

#include <stdbool.h>
#include <stdio.h>

/* Draws each action, or the whole program if there are none. The profile must have its names.
 * Returns false if out of memory. */
bool draw_flames(FILE *out, const struct profile *profile);

#endif
