/* SPDX-License-Identifier: MIT */
/* timeline.h - records what happened when on each thread, as a file for a viewer.
 *
 * Add the begins, ends and cancels of regions in the order of each thread, and values in any order.
 * The timeline nests the regions, finds the steps, keeps the limits, and calls one format, which
 * writes. Both the sink `trace` and `stepwatch export` use it. */
#ifndef SINKS_COMMON_TRACE_FORMATS_TIMELINE_H
#define SINKS_COMMON_TRACE_FORMATS_TIMELINE_H

#include "sinks/common/trace_formats/timeline_output.h"
#include "sinks/common/trace_formats/timeline_state.h"
#include "sinks/common/trace_formats/tracks.h"

/* Begins a timeline and writes the head. Initialise it as {.format, .write, .arg, limits,
 * .origin_ns}. */
void swi_timeline_start(struct swi_timeline *t);

/* Adds what a counter of a thread went up by, or a peak, before the event that has it.
 * SW_COUNTER_NONE: it could not be read. Of the counter `net`, the sum is a track of its own. */
void swi_timeline_use(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                      const char *counter, enum sw_counter_kind kind, int64_t value);

/* Makes regions that are open at the end of the file last until this time at least. */
void swi_timeline_upto(struct swi_timeline *t, int process, int64_t time_ns);

/* Adds a value. Values that are not finite are left out. */
void swi_timeline_counter(struct swi_timeline *t, int process, int64_t time_ns, const char *name,
                          double value);

/* Adds a text at a time on a thread (-1: of the process). key: NULL, or the name of value, which is
 * JSON. */
void swi_timeline_instant(struct swi_timeline *t, int process, int thread, int64_t time_ns,
                          const char *text, const char *key, const char *value);

/* Writes everything that is known so far. It ends with a line or a packet. */
void swi_timeline_flush(struct swi_timeline *t);

/* Ends the file. Open regions and spans end now and are marked as cut. Nothing more may be added.
 */
void swi_timeline_finish(struct swi_timeline *t);

/* Ends the file and begins another one with the open regions. between: called after the first file
 * is complete and before the next one begins. Returns false if there is no next one. */
void swi_timeline_next_file(struct swi_timeline *t, bool (*between)(void *arg));

void swi_timeline_free(struct swi_timeline *t);

/* ---- regions --------------------------------------------------------------------------------- */

/* Adds an event of a region. name: from swi_timeline_action(). Times are those of the process. */
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

/* ---- spans ----------------------------------------------------------------------------------- */

/* Intervals that overlap, and an arrow from the region in which each began to the one in which it
 * ended. */

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
