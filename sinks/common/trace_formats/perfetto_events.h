/* SPDX-License-Identifier: MIT */
/* perfetto_events.h - counters, instants, spans and arrows in Perfetto's format: they are on the
 * sequence of the process, with the time itself. */
#ifndef SINKS_COMMON_TRACE_FORMATS_PERFETTO_EVENTS_H
#define SINKS_COMMON_TRACE_FORMATS_PERFETTO_EVENTS_H

#include "sinks/common/trace_formats/timeline_state.h"

/* Builds packets of Perfetto's format from fields, and the numbers in them. */
enum { /* fields of TracePacket */
       SWI_PF_PACKET = 1,
       SWI_PF_CLOCK_SNAPSHOT = 6,
       SWI_PF_TIMESTAMP = 8,
       SWI_PF_SEQUENCE = 10,
       SWI_PF_TRACK_EVENT = 11,
       SWI_PF_INTERNED = 12,
       SWI_PF_FLAGS = 13,
       SWI_PF_DEFAULTS = 59,
       SWI_PF_DESCRIPTOR = 60
};
enum { /* fields of TrackEvent */
       SWI_PF_EVENT_CATEGORY_IID = 3,
       SWI_PF_EVENT_LEGACY = 6,
       SWI_PF_EVENT_TYPE = 9,
       SWI_PF_EVENT_NAME_IID = 10,
       SWI_PF_EVENT_TRACK = 11,
       SWI_PF_EVENT_CATEGORY = 22,
       SWI_PF_EVENT_NAME = 23,
       SWI_PF_EVENT_FLOW = 47,
       SWI_PF_EVENT_FLOW_END = 48
};
enum { SWI_PF_LEGACY_PHASE = 2, SWI_PF_LEGACY_ID = 6, SWI_PF_LEGACY_BIND_ENCLOSING = 12 };
enum { SWI_PF_BEGIN = 1, SWI_PF_END = 2, SWI_PF_INSTANT = 3, SWI_PF_COUNTER = 4 };
enum { SWI_PF_STATE_CLEARED = 1, SWI_PF_NEEDS_STATE = 2 };
enum { SWI_PF_BOOT_CLOCK = 6, SWI_PF_WALL_CLOCK = 1, SWI_PF_OWN_CLOCK = 64 };

/* Adds a packet and frees it. */
void swi_pf_packet_take(struct swi_timeline *t, struct swi_text *packet);

/* Adds the packet of a sequence that has this message as its only field, and frees it. */
void swi_pf_message_take(struct swi_timeline *t, uint64_t sequence, unsigned field,
                         struct swi_text *message);

/* Adds a text as a field, with invalid UTF-8 made valid. */
void swi_pf_repaired_add(struct swi_text *to, unsigned field, const char *text);

/* Numbers that are unique among the files of all ranks. */
enum {
    SWI_UUID_PROCESS = 1,
    SWI_UUID_THREADS = 2,
    SWI_UUID_COUNTERS = 1 << 24,
    SWI_UUID_SPANS = 1 << 28
};
uint64_t swi_pf_uuid(const struct swi_timeline_process *process, uint64_t number);
uint64_t swi_pf_track_uuid(const struct swi_timeline *t, const struct swi_track *track);

/* Numbers of the sequences of packets: one of each process, one of each thread. */
uint64_t swi_pf_process_sequence(const struct swi_timeline_process *process);
uint64_t swi_pf_track_sequence(const struct swi_timeline *t, const struct swi_track *track);

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
