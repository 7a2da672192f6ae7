/* SPDX-License-Identifier: MIT */
/* drawing_flames.h - a drawing of a page: which functions each action spent its time in, as a flame
 * graph, and the largest of them as a table. */
#ifndef TOOLS_PAGE_DRAWING_FLAMES_H
#define TOOLS_PAGE_DRAWING_FLAMES_H

#include "sinks/common/functions/profile.h"

#include <stdbool.h>
#include <stdio.h>

/* One for each action; of the whole program where there are none. The profile has its names. False
 * without memory. */
bool draw_flames(FILE *out, const struct profile *profile);

#endif
