/* SPDX-License-Identifier: MIT */
/* loop_steps.h - the thread of the loop, and the steps of its draws and batches. */
#ifndef SINKS_COMMON_TRACE_FORMATS_LOOP_STEPS_H
#define SINKS_COMMON_TRACE_FORMATS_LOOP_STEPS_H

#include "sinks/common/trace_formats/timeline_state.h"

/* Sets the thread of the loop, before its first event. Otherwise it is the thread that first begins
 * fit, epoch, train, valid, draw or batch. */
void swi_timeline_loop_set(struct swi_timeline *t, int process, int thread);

/* Sets where the loop is when a window begins, before the first region of the window. */
void swi_timeline_place_set(struct swi_timeline *t, int process,
                            const struct swi_timeline_place *place);

/* Makes a thread that of the loop, unless its process has one. */
SWI_RARE void swi_timeline_loop_find(struct swi_timeline *t, struct swi_track *track);

/* Whether a batch is open on a thread. */
bool swi_track_is_in_batch(const struct swi_track *track);

/* Follows the begins of the loop's regions: a draw begins a step, or a batch without a draw before
 * it. Sets the group and the epoch of the region. */
SWI_RARE void swi_timeline_step_follow(struct swi_timeline *t, struct swi_track *track,
                                       struct swi_interval *interval);

/* Ends the step of a batch that has ended, and sets its number. */
SWI_RARE void swi_timeline_step_end(struct swi_timeline *t, struct swi_track *track,
                                    struct swi_interval *interval);

#endif
