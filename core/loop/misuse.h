/* SPDX-License-Identifier: MIT */
/* misuse.h - calls that did not fit: a message names each kind once, and the report counts them;
 * and alerts of stepwatch's own. */
#ifndef CORE_LOOP_MISUSE_H
#define CORE_LOOP_MISUSE_H

#include "core/clock/deadline.h"
#include "core/loop/state.h"

/* Counts a misuse by a call of a thread, and sends a message if it is the first of its kind for
 * this action. */
void swi_misuse(struct sw_profiler *sw, struct swi_thread *thread, enum swi_misuse kind, int action,
                int other);

/* Counts the regions that are open above `depth` as discarded, because the region of the action
 * `ended` ends there. In a replay they are not a mistake, because it plays what the log says. */
void swi_misuses_crossed(struct sw_profiler *sw, const struct swi_thread *thread, int depth,
                         int ended);

/* Sends the messages that are due. profiler: a struct sw_profiler. Without the fold lock. */
void swi_misuses_tell(void *profiler);

/* Waits until no thread is sending such messages, but not in one of them. */
void swi_misuses_wait(const struct sw_profiler *sw, const struct swi_deadline *deadline);

/* Calls in signal handlers that were refused (calling_thread.h). */
void swi_misuses_in_handlers(struct sw_profiler *sw, struct swi_thread *thread, int action,
                             int64_t times);

/* Tells that a metric is not a number any more. Any thread. */
void swi_alert_nan(struct sw_profiler *sw, const char *metric, int64_t step);

/* Says at the end how many alerts were only counted. */
void swi_sent_alerts_say(struct sw_profiler *sw);

#endif
