/* SPDX-License-Identifier: MIT */
/* logged_step.h - a step as a line of the run log: what each action took in it. */
#ifndef SINKS_COMMON_RUNLOG_LOGGED_STEP_H
#define SINKS_COMMON_RUNLOG_LOGGED_STEP_H

#include "core/text/buffer.h"
#include "sinks/common/runlog/counter_lines.h"
#include "sinks/common/step_groups.h"

#include <stepwatch/sink.h>

/* Adds the line of a step, and before it the counters that the log has not named yet. */
void swi_step_line(struct swi_text *text, const struct sw_record *record,
                   struct swi_log_counters *counters);

/* The same of steps that were added up: their line has what each action took in all of them, and at
 * least and at most in one of them. */
void swi_steps_line(struct swi_text *text, const struct swi_step_group *group,
                    struct swi_log_counters *counters);

#endif
