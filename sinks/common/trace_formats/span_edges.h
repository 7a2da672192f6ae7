/* SPDX-License-Identifier: MIT */
/* span_edges.h - the spans of a timeline: intervals that overlap, and an arrow from the region in
 * which each began to the one in which it ended. */
#ifndef SINKS_COMMON_TRACE_FORMATS_SPAN_EDGES_H
#define SINKS_COMMON_TRACE_FORMATS_SPAN_EDGES_H

#include "sinks/common/trace_formats/timeline_state.h"

/* A begin or an end of a span as it was measured. Times are those of the process. */
struct swi_span_event {
    int thread;
    const char *name;
    int64_t id; /* unique among the spans of the process */
    bool begins;
    int64_t time_ns;
    int64_t begin_ns; /* for an end: when the span began; -1: unknown */
};

/* Adds a begin or an end. A span that began before what is recorded begins where that begins. An
 * end of a span whose begin is missing is left out. */
void swi_timeline_span(struct swi_timeline *t, int process, const struct swi_span_event *event);

/* Writes the arrows that are known to touch regions in the file. */
void swi_flows_write(struct swi_timeline *t);

/* Writes the begins of the open spans again, because another file has begun. */
void swi_spans_begin_again(struct swi_timeline *t);

/* Ends the open spans at the end of the file. */
void swi_spans_end(struct swi_timeline *t);

void swi_timeline_spans_free(struct swi_timeline *t);

#endif
