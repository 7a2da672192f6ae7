/* SPDX-License-Identifier: MIT */
/* finish.h - makes the last report and ends a run. Called by the thread that owns the end (exit.h).
 */
#ifndef CORE_FINISH_H
#define CORE_FINISH_H

#include "core/exit.h"

#include <stepwatch/stepwatch.h>

/* Ends a run for sw_close(). Returns what the sinks lost: swi_pipeline_close(). */
int swi_finish_closed(struct sw_profiler *sw, struct sw_error *err);

/* Ends a run without sw_close(). Other threads of the program may still call, so what they use
 * stays. */
void swi_finish_interrupted(struct sw_profiler *sw, const struct swi_ending *ending);

#endif
