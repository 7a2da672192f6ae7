/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/perfetto_events.h"

#include "core/text/map.h"
#include "core/text/vec.h"
#include "core/text/wire.h"

#include <stdlib.h>
#include <string.h>

/* ---- builds packets of Perfetto's format from fields, and the numbers in them ---------------- */

void swi_pf_repaired_add(struct swi_text *to, unsigned field, const char *text)
{
    struct swi_text repaired = {0};
    swi_timeline_repair(&repaired, text, strlen(text));
    swi_wire_add_text(to, field, repaired.data ? repaired.data : "", repaired.size);
    swi_text_free(&repaired);
}

void swi_pf_packet_take(struct swi_timeline *t, struct swi_text *packet)
{
    t->failed |= packet->failed;
    swi_wire_add_message(&t->out, SWI_PF_PACKET, packet);
}

void swi_pf_message_take(struct swi_timeline *t, uint64_t sequence, unsigned field,
                         struct swi_text *message)
{
    struct swi_text packet = {0};
    swi_wire_add_number(&packet, SWI_PF_SEQUENCE, sequence);
    swi_wire_add_message(&packet, field, message);
    swi_pf_packet_take(t, &packet);
}

/* ---- numbers that are unique among the files of all ranks ------------------------------------ */

uint64_t swi_pf_uuid(const struct swi_timeline_process *process, uint64_t number)
{
    uint64_t hash = swi_hash64(SWI_HASH64_BEGIN, process->host);
    hash = swi_hash64_word(hash, (uint64_t)process->rank);
    return (((uint64_t)process->pid << 32) + number) ^ hash;
}

/* The number takes one byte for a run of one process. */
static uint64_t sequence_of(const struct swi_timeline_process *process, int number)
{
    bool alone = process->world_size <= 1;
    return (alone ? 0 : (uint64_t)(process->rank + 1) << 10) + (uint64_t)number;
}

uint64_t swi_pf_process_sequence(const struct swi_timeline_process *process)
{
    return sequence_of(process, 1);
}

uint64_t swi_pf_track_sequence(const struct swi_timeline *t, const struct swi_track *track)
{
    return sequence_of(t->process[track->process], 2 + track->number);
}

uint64_t swi_pf_track_uuid(const struct swi_timeline *t, const struct swi_track *track)
{
    return swi_pf_uuid(t->process[track->process], SWI_UUID_THREADS + (uint64_t)track->thread);
}

/* ---- counters, instants, spans and arrows in Perfetto's format ------------------------------- */

/* Tracks of counters have a number too. */
struct perfetto {
    uint8_t *described; /* names that have a counter's track, by process */
    size_t described_room;
};

void swi_pf_start(struct swi_timeline *t)
{
    struct perfetto *p = t->state;
    if (!p)
        t->state = calloc(1, sizeof *p);
    else if (p->described)
        memset(p->described, 0, p->described_room);
    t->failed |= !t->state;
}

static void absolute_add(struct swi_timeline *t, const struct swi_timeline_process *process,
                         int64_t time_ns, struct swi_text *event)
{
    struct swi_text packet = {0};
    swi_wire_add_number(&packet, SWI_PF_TIMESTAMP, (uint64_t)time_ns);
    swi_wire_add_number(&packet, SWI_PF_SEQUENCE, swi_pf_process_sequence(process));
    swi_wire_add_message(&packet, SWI_PF_TRACK_EVENT, event);
    swi_pf_packet_take(t, &packet);
}

/* Describes the track of a counter or of a span. */
static void track_add(struct swi_timeline *t, const struct swi_timeline_process *process,
                      uint64_t uuid, uint32_t name, bool counter)
{
    struct swi_text descriptor = {0}, inner = {0};
    swi_wire_add_number(&descriptor, 1, uuid);
    swi_wire_add_number(&descriptor, 5, swi_pf_uuid(process, SWI_UUID_PROCESS));
    swi_wire_add_text(&descriptor, 2, t->names.item[name].text, t->names.item[name].size);
    if (counter)
        swi_wire_add_message(&descriptor, 8, &inner);
    swi_pf_message_take(t, swi_pf_process_sequence(process), SWI_PF_DESCRIPTOR, &descriptor);
}

static bool counter_is_new(struct swi_timeline *t, size_t process, uint32_t name)
{
    struct perfetto *p = t->state;
    size_t at =
        (size_t)name * (process + 1) + process; /* few are shared; these are described twice */
    if (!swi_vec_reach(&p->described, at, &p->described_room, 1))
        return true;
    bool known = p->described[at] == process + 1;
    p->described[at] = (uint8_t)(process + 1);
    return !known;
}

void swi_pf_counter(struct swi_timeline *t, struct swi_timeline_process *process, int64_t time_ns,
                    uint32_t name, double value)
{
    struct swi_text event = {0};
    char bytes[SWI_WIRE_FIELD];
    uint64_t uuid = swi_pf_uuid(process, SWI_UUID_COUNTERS + name);
    if (counter_is_new(t, process->number, name))
        track_add(t, process, uuid, name, true);
    swi_wire_add_number(&event, SWI_PF_EVENT_TYPE, SWI_PF_COUNTER);
    swi_wire_add_number(&event, SWI_PF_EVENT_TRACK, uuid);
    const char *end = swi_wire_double(bytes, 44, value);
    swi_text_add(&event, bytes, (size_t)(end - bytes));
    absolute_add(t, process, time_ns, &event);
}

/* A JSON string loses its quotes. */
static void annotation_add(struct swi_text *event, const char *key, const char *value)
{
    struct swi_text annotation = {0};
    size_t size = strlen(value);
    bool quoted = size >= 2 && value[0] == '"';
    swi_pf_repaired_add(&annotation, 10, key);
    swi_wire_add_text(&annotation, 6, value + quoted, size - 2 * quoted);
    swi_wire_add_message(event, 4, &annotation);
}

void swi_pf_instant(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value)
{
    struct swi_text event = {0};
    swi_wire_add_number(&event, SWI_PF_EVENT_TYPE, SWI_PF_INSTANT);
    swi_wire_add_number(&event, SWI_PF_EVENT_TRACK,
                        track ? swi_pf_track_uuid(t, track)
                              : swi_pf_uuid(process, SWI_UUID_PROCESS));
    swi_pf_repaired_add(&event, SWI_PF_EVENT_NAME, *text ? text : "unnamed");
    if (key)
        annotation_add(&event, key, value);
    absolute_add(t, process, time_ns, &event);
}

/* ---- spans: a track for each, and an arrow --------------------------------------------------- */

static void name_and_category_add(const struct swi_timeline *t, struct swi_text *event,
                                  uint32_t name, const char *category)
{
    swi_wire_add_text(event, SWI_PF_EVENT_CATEGORY, category, strlen(category));
    swi_wire_add_text(event, SWI_PF_EVENT_NAME, t->names.item[name].text, t->names.item[name].size);
}

void swi_pf_span(struct swi_timeline *t, const struct swi_span_edge *edge)
{
    const struct swi_timeline_process *process = t->process[edge->track->process];
    uint64_t uuid = swi_pf_uuid(process, SWI_UUID_SPANS + ((uint64_t)edge->id & 0x7fffffff));
    struct swi_text event = {0};
    if (edge->begins)
        track_add(t, process, uuid, edge->name, false);
    swi_wire_add_number(&event, SWI_PF_EVENT_TYPE, edge->begins ? SWI_PF_BEGIN : SWI_PF_END);
    swi_wire_add_number(&event, SWI_PF_EVENT_TRACK, uuid);
    if (edge->begins)
        name_and_category_add(t, &event, edge->name, "span");
    if (edge->cut)
        annotation_add(&event, "cut", "true");
    absolute_add(t, process, edge->time_ns, &event);
}

/* Adds an end of an arrow: at a time of a thread, in the form of the older events, which Perfetto
 * attaches to the region that is open then. A field of the begin of a region could not be used: it
 * is written before the span begins. Perfetto ignores the newer field here; other readers know it.
 */
static void flow_end(struct swi_timeline *t, const struct swi_flow *flow, bool begins)
{
    const struct swi_track *track = begins ? flow->from : flow->to;
    const struct swi_timeline_process *process = t->process[track->process];
    uint64_t id = swi_pf_uuid(process, (uint64_t)flow->id);
    struct swi_text event = {0}, legacy = {0};
    char bytes[SWI_WIRE_FIELD];
    swi_wire_add_number(&event, SWI_PF_EVENT_TRACK, swi_pf_track_uuid(t, track));
    name_and_category_add(t, &event, flow->name, "flow");
    swi_wire_add_number(&legacy, SWI_PF_LEGACY_PHASE, begins ? 's' : 'f');
    swi_wire_add_number(&legacy, SWI_PF_LEGACY_ID, id);
    if (!begins)
        swi_wire_add_number(&legacy, SWI_PF_LEGACY_BIND_ENCLOSING, 1);
    swi_wire_add_message(&event, SWI_PF_EVENT_LEGACY, &legacy);
    const char *end =
        swi_wire_fixed64(bytes, begins ? SWI_PF_EVENT_FLOW : SWI_PF_EVENT_FLOW_END, id);
    swi_text_add(&event, bytes, (size_t)(end - bytes));
    absolute_add(t, process, begins ? flow->from_ns : flow->to_ns, &event);
}

void swi_pf_flow(struct swi_timeline *t, const struct swi_flow *flow)
{
    flow_end(t, flow, true);
    flow_end(t, flow, false);
}

void swi_pf_free(struct swi_timeline *t)
{
    struct perfetto *p = t->state;
    if (p)
        free(p->described);
    free(p);
    t->state = NULL;
}
