/* SPDX-License-Identifier: MIT */
/* finish.h - the last report and the end of a run, by whoever owns its end (exit.h). */
#ifndef CORE_FINISH_H
#define CORE_FINISH_H

#include "core/exit.h"

#include <stepwatch/stepwatch.h>

/* By sw_close(). Returns what the sinks lost: swi_pipeline_close(). */
int swi_finish_closed(struct sw_profiler *sw, struct sw_error *err);

/* Without sw_close(). The program's other threads may still call, so what they use stays. */
void swi_finish_interrupted(struct sw_profiler *sw, const struct swi_ending *ending);

#endif
