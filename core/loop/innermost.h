/* SPDX-License-Identifier: MIT */
/* innermost.h - which action is innermost on the calling thread, asked at any time: a signal
 * handler that takes a sample has no profiler, and may have interrupted any call. */
#ifndef CORE_LOOP_INNERMOST_H
#define CORE_LOOP_INNERMOST_H

#include "core/loop/state.h"

/* From now on the regions of a profiler are found, until they are forgotten: before it is freed. */
void swi_innermost_know(struct sw_profiler *sw);
void swi_innermost_forget(struct sw_profiler *sw);

/* The action of the innermost region of the calling thread; -1 if none is open. */
int swi_innermost(void);

#endif
