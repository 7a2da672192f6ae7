/* SPDX-License-Identifier: MIT */
/* xplane_file.h - writes the file of xplane.c at the end: the names and stats, then a line for each
 * thread. */
#ifndef SINKS_COMMON_TRACE_FORMATS_XPLANE_FILE_H
#define SINKS_COMMON_TRACE_FORMATS_XPLANE_FILE_H

#include "sinks/common/trace_formats/timeline_state.h"

/* The numbers of the stats of events. */
enum {
    SWI_XSTAT_R = 1,
    SWI_XSTAT_STEP_NUM,
    SWI_XSTAT_GROUP,
    SWI_XSTAT_STEP_NAME,
    SWI_XSTAT_SAMPLES,
    SWI_XSTAT_EPOCH,
    SWI_XSTAT_STEP,
    SWI_XSTAT_CANCELLED,
    SWI_XSTAT_CUT,
    SWI_XSTAT_SHAPE, /* as the profiler of TensorFlow names the shapes of an operation's inputs */
    SWI_XSTAT_VALUE,
    SWI_XSTATS /* plus the number of a name: what a region used of this counter */
};

/* Numbers of names: two for the steps, then two for each name: one as it is, and one for events of
 * a step. */
enum { SWI_XNAME_TRAIN_STEP = 1, SWI_XNAME_VALID_STEP, SWI_XNAMES = 3 };
static inline uint64_t swi_xplane_name(uint32_t name)
{
    return SWI_XNAMES + 2 * (uint64_t)name;
}

/* What a file has besides the events of threads. */
struct swi_xplane {
    struct swi_spool values; /* events of the line of counters */
    uint8_t *is_used;        /* by name: whether regions used of a counter with this name */
    size_t room;
};

/* Writes the whole file. */
void swi_xplane_finish(struct swi_timeline *t);

#endif
