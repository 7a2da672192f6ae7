/* SPDX-License-Identifier: MIT */
/* perfetto_events.h - counters, instants, spans and arrows in Perfetto's format: they are on the
 * sequence of the process, with the time itself. */
#ifndef SINKS_COMMON_TRACE_FORMATS_PERFETTO_EVENTS_H
#define SINKS_COMMON_TRACE_FORMATS_PERFETTO_EVENTS_H

#include "sinks/common/trace_formats/timeline_state.h"

/* These are functions of the format (struct swi_timeline_format). */
void swi_pf_start(struct swi_timeline *t);
void swi_pf_counter(struct swi_timeline *t, struct swi_timeline_process *process, int64_t time_ns,
                    uint32_t name, double value);
void swi_pf_instant(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value);
void swi_pf_span(struct swi_timeline *t, const struct swi_span_edge *edge);
void swi_pf_flow(struct swi_timeline *t, const struct swi_flow *flow);
void swi_pf_free(struct swi_timeline *t);

#endif
