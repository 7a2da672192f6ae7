/* SPDX-License-Identifier: MIT */
/* timeline_regions.h - nests the regions of each thread and gives them to the format. */
#ifndef SINKS_COMMON_TRACE_FORMATS_TIMELINE_REGIONS_H
#define SINKS_COMMON_TRACE_FORMATS_TIMELINE_REGIONS_H

#include "sinks/common/trace_formats/timeline_state.h"

/* Adds an event of a region. name: from swi_timeline_name(). Times are those of the process. */
void swi_timeline_region(struct swi_timeline *t, int process, int thread,
                         enum sw_region_event event, uint32_t name, int64_t time_ns,
                         int64_t samples);

/* Returns the number of a name by the action's handle and name. */
uint32_t swi_timeline_action(struct swi_timeline *t, int action_id, const char *action);

/* Ends all open regions of a process now and marks them as cut, because a window has ended. */
void swi_timeline_cut(struct swi_timeline *t, int process, int64_t time_ns);

/* Notes that the loop was paused or goes on. */
void swi_timeline_pause(struct swi_timeline *t, int process, int thread, bool paused,
                        int64_t time_ns);

/* Ends all regions that are open at the end of the file, and marks them as cut. */
void swi_timeline_close(struct swi_timeline *t);

#endif
