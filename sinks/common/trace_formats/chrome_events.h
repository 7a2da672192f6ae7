/* SPDX-License-Identifier: MIT */
/* chrome_events.h - what a file of chrome.c has besides regions: its begin and end, metadata,
 * counters, instants, spans and arrows. */
#ifndef SINKS_COMMON_TRACE_FORMATS_CHROME_EVENTS_H
#define SINKS_COMMON_TRACE_FORMATS_CHROME_EVENTS_H

#include "sinks/common/trace_formats/timeline_state.h"

/* Returns whether the file is an object; else it is an array. */
static inline bool swi_chrome_is_object(const struct swi_timeline *t)
{
    return t->format->whole;
}

/* A line ends with a comma, except for the last event of an array (finish). In an object, the comma
 * comes before the next event. */
static inline void swi_chrome_event_begin(struct swi_timeline *t)
{
    if (swi_chrome_is_object(t)) {
        swi_text_put(&t->out, t->state ? ",\n" : "");
        t->state = t;
    }
}

static inline void swi_chrome_event_end(struct swi_timeline *t)
{
    if (!swi_chrome_is_object(t))
        swi_text_put(&t->out, ",\n");
}

/* These are functions of the format (struct swi_timeline_format). */
void swi_chrome_start(struct swi_timeline *t);
void swi_chrome_process(struct swi_timeline *t, struct swi_timeline_process *process);
void swi_chrome_thread(struct swi_timeline *t, struct swi_track *track);
void swi_chrome_counter(struct swi_timeline *t, struct swi_timeline_process *process,
                        int64_t time_ns, uint32_t name, double value);
void swi_chrome_instant(struct swi_timeline *t, struct swi_timeline_process *process,
                        struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                        const char *value);
void swi_chrome_span(struct swi_timeline *t, const struct swi_span_edge *edge);
void swi_chrome_flow(struct swi_timeline *t, const struct swi_flow *flow);
void swi_chrome_finish(struct swi_timeline *t);

#endif
