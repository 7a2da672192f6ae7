/* SPDX-License-Identifier: MIT */
/* perfetto.c - the protobuf format of Perfetto:
 * https://perfetto.dev/docs/reference/trace-packet-proto
 *
 * Each thread is a separate sequence with its own clock, which counts from the packet before, so
 * that a region takes 30 bytes. Names are written once in each sequence. The file may be cut off
 * anywhere. */
#include "sinks/common/timeline/perfetto.h"

#include "core/text/hash.h"
#include "sinks/common/timeline/json_event.h"
#include "sinks/common/timeline/parts.h"
#include "sinks/common/timeline/protobuf.h"

#include <stdlib.h>

enum { /* fields of TracePacket */
       PACKET = 1,
       CLOCK_SNAPSHOT = 6,
       TIMESTAMP = 8,
       SEQUENCE = 10,
       TRACK_EVENT = 11,
       INTERNED = 12,
       FLAGS = 13,
       DEFAULTS = 59,
       DESCRIPTOR = 60
};
enum { /* fields of TrackEvent */
       EVENT_CATEGORY_IID = 3,
       EVENT_LEGACY = 6,
       EVENT_TYPE = 9,
       EVENT_NAME_IID = 10,
       EVENT_TRACK = 11,
       EVENT_CATEGORY = 22,
       EVENT_NAME = 23,
       EVENT_FLOW = 47,
       EVENT_FLOW_END = 48
};
enum { LEGACY_PHASE = 2, LEGACY_ID = 6, LEGACY_BIND_ENCLOSING = 12 };
enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { BOOT_CLOCK = 6, WALL_CLOCK = 1, OWN_CLOCK = 64 };

/* Arguments of regions, by their number. */
enum { ARG_EPOCH = 1, ARG_STEP, ARG_SAMPLES, ARG_PAUSED, ARG_CANCELLED, ARG_CUT, ARG_SHAPE, ARGS };
static const char *const args[ARGS] = {NULL,        "epoch",     "step", "samples",
                                       "paused_ns", "cancelled", "cut",  "Input Dims"};
static const char *const categories[] = {"fit", "train", "valid", "threads", "before", "after"};

/* Tracks of counters have a number too. */
struct perfetto {
    uint8_t *described; /* names that have a counter's track, by process */
    size_t described_room;
};

/* ---- packets ----------------------------------------------------------------------------------
 */

static void packet_add(struct swi_timeline *t, const char *body, size_t size)
{
    char head[SWI_PB_FIELD];
    char *end = swi_pb_head(head, PACKET, size);
    swi_text_add(&t->out, head, (size_t)(end - head));
    swi_text_add(&t->out, body, size);
}

/* Adds a message. */
static void message_add(struct swi_text *to, unsigned field, const struct swi_text *message)
{
    char head[SWI_PB_FIELD];
    char *end = swi_pb_head(head, field, message->size);
    swi_text_add(to, head, (size_t)(end - head));
    swi_text_add(to, message->data ? message->data : "", message->size);
    to->failed |= message->failed;
}

static void number_add(struct swi_text *to, unsigned field, uint64_t value)
{
    char bytes[2 * SWI_PB_FIELD];
    const char *end = swi_pb_number(bytes, field, value);
    swi_text_add(to, bytes, (size_t)(end - bytes));
}

static void text_add(struct swi_text *to, unsigned field, const char *text, size_t size)
{
    char head[SWI_PB_FIELD];
    const char *end = swi_pb_head(head, field, size);
    swi_text_add(to, head, (size_t)(end - head));
    swi_text_add(to, text, size);
}

static void repaired_add(struct swi_text *to, unsigned field, const char *text)
{
    struct swi_text repaired = {0};
    swi_timeline_repair(&repaired, text, strlen(text));
    text_add(to, field, repaired.data ? repaired.data : "", repaired.size);
    swi_text_free(&repaired);
}

/* Adds a packet and frees it. */
static void packet_take(struct swi_timeline *t, struct swi_text *packet)
{
    t->failed |= packet->failed;
    packet_add(t, packet->data ? packet->data : "", packet->size);
    swi_text_free(packet);
}

/* Adds a message and frees it. */
static void message_take(struct swi_text *to, unsigned field, struct swi_text *message)
{
    message_add(to, field, message);
    swi_text_free(message);
}

/* ---- numbers that are unique among the files of all ranks -------------------------------------
 */

static uint64_t uuid_of(const struct swi_timeline_process *process, uint64_t number)
{
    uint64_t hash = swi_hash64(SWI_HASH64_BEGIN, process->host);
    hash = swi_hash64_word(hash, (uint64_t)process->rank);
    return (((uint64_t)process->pid << 32) + number) ^ hash;
}

enum { UUID_PROCESS = 1, UUID_THREADS = 2, UUID_COUNTERS = 1 << 24, UUID_SPANS = 1 << 28 };

/* The number takes one byte for a run of one process. */
static uint64_t sequence_of(const struct swi_timeline_process *process, int number)
{
    bool alone = process->world_size <= 1;
    return (alone ? 0 : (uint64_t)(process->rank + 1) << 10) + (uint64_t)number;
}

static uint64_t process_sequence(const struct swi_timeline_process *process)
{
    return sequence_of(process, 1);
}

static uint64_t track_sequence(const struct swi_timeline *t, const struct swi_track *track)
{
    return sequence_of(t->process[track->process], 2 + track->number);
}

static uint64_t track_uuid(const struct swi_timeline *t, const struct swi_track *track)
{
    return uuid_of(t->process[track->process], UUID_THREADS + (uint64_t)track->thread);
}

/* ---- descriptors ------------------------------------------------------------------------------
 */

static void start(struct swi_timeline *t)
{
    struct perfetto *p = t->state;
    if (!p)
        t->state = calloc(1, sizeof *p);
    else if (p->described)
        memset(p->described, 0, p->described_room);
    t->failed |= !t->state;
}

static void clock_add(struct swi_text *snapshot, uint64_t id, uint64_t time, bool incremental)
{
    struct swi_text clock = {0};
    number_add(&clock, 1, id);
    number_add(&clock, 2, time);
    if (incremental)
        number_add(&clock, 3, 1);
    message_take(snapshot, 1, &clock);
}

/* Adds the Unix time of the start of the run. */
static void wall_clock_add(struct swi_timeline *t, const struct swi_timeline_process *process)
{
    struct swi_text packet = {0}, snapshot = {0};
    clock_add(&snapshot, BOOT_CLOCK, (uint64_t)process->offset_ns, false);
    clock_add(&snapshot, WALL_CLOCK, (uint64_t)process->started_ns, false);
    number_add(&packet, SEQUENCE, process_sequence(process));
    message_take(&packet, CLOCK_SNAPSHOT, &snapshot);
    packet_take(t, &packet);
}

static void instant(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value);

static void process_add(struct swi_timeline *t, struct swi_timeline_process *process)
{
    struct swi_text packet = {0}, descriptor = {0}, inner = {0};
    char label[40], started[48];
    snprintf(label, sizeof label, "rank %" PRId64, process->rank);
    number_add(&inner, 1, (uint64_t)process->pid);
    repaired_add(&inner, 6, process->name);
    text_add(&inner, 8, label, strlen(label));
    number_add(&descriptor, 1, uuid_of(process, UUID_PROCESS));
    message_take(&descriptor, 3, &inner);
    number_add(&packet, SEQUENCE, process_sequence(process));
    message_take(&packet, DESCRIPTOR, &descriptor);
    packet_take(t, &packet);
    if (process->number == 0)
        wall_clock_add(t, process);
    snprintf(started, sizeof started, "\"%" PRId64 ".%09" PRId64 "\"",
             process->started_ns / 1000000000, process->started_ns % 1000000000);
    instant(t, process, NULL, process->offset_ns + process->begin_ns, "run", "started", started);
}

static void names_add(struct swi_text *interned, unsigned field, const char *const *name,
                      size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        struct swi_text entry = {0};
        number_add(&entry, 1, from ? i : i + 1);
        text_add(&entry, 2, name[i], strlen(name[i]));
        message_take(interned, field, &entry);
    }
}

/* Adds the first packet of a thread's sequence: its clock, its track, and the names that it may
 * need. */
static void sequence_add(struct swi_timeline *t, struct swi_track *track)
{
    struct swi_text packet = {0}, snapshot = {0}, defaults = {0}, event = {0}, interned = {0};
    clock_add(&snapshot, OWN_CLOCK, 0, true);
    clock_add(&snapshot, BOOT_CLOCK, 0, false);
    number_add(&event, EVENT_TRACK, track_uuid(t, track));
    number_add(&defaults, 58, OWN_CLOCK);
    message_take(&defaults, TRACK_EVENT, &event);
    names_add(&interned, 1, categories, 0, sizeof categories / sizeof *categories);
    names_add(&interned, 3, args, 1, ARGS);
    number_add(&packet, SEQUENCE, track_sequence(t, track));
    number_add(&packet, FLAGS, STATE_CLEARED);
    message_take(&packet, CLOCK_SNAPSHOT, &snapshot);
    message_take(&packet, DEFAULTS, &defaults);
    message_take(&packet, INTERNED, &interned);
    packet_take(t, &packet);
}

/* What is the same in all begins of a thread, and in all ends: from the time to the type of the
 * event. `prefix` has both, each in a block. The length of the event is its third last byte. */
enum { MIDDLE_BLOCK = 24 };

static char *middle_put(const struct swi_timeline *t, const struct swi_track *track, char *at,
                        bool begins)
{
    at = swi_pb_number(at, SEQUENCE, track_sequence(t, track));
    /* Only a begin declares that it needs the state, which has its name. An end does not, and is
     * two bytes smaller. */
    if (begins)
        at = swi_pb_number(at, FLAGS, NEEDS_STATE);
    at = swi_pb_head(at, TRACK_EVENT, 0);
    return swi_pb_number(at, EVENT_TYPE, begins ? BEGIN : END);
}

static void middle_make(struct swi_timeline *t, struct swi_track *track)
{
    char both[2 * MIDDLE_BLOCK] = {0};
    middle_put(t, track, both, true);
    const char *end = middle_put(t, track, both + MIDDLE_BLOCK, false);
    track->prefix.size = 0;
    swi_text_add(&track->prefix, both, sizeof both);
    t->failed |= track->prefix.failed;
    if (!track->prefix.failed)
        track->prefix.size = (size_t)(end - both);
}

/* Copies a block, of which only a part counts. */
static inline char *middle_copy(const struct swi_track *track, char *at, bool begins)
{
    size_t end_size = track->prefix.size - MIDDLE_BLOCK;
    memcpy(at, track->prefix.data + (begins ? 0 : MIDDLE_BLOCK), MIDDLE_BLOCK);
    return at + end_size + (begins ? 2 : 0);
}

static void thread_add(struct swi_timeline *t, struct swi_track *track)
{
    const struct swi_timeline_process *process = t->process[track->process];
    struct swi_text packet = {0}, descriptor = {0}, inner = {0};
    char name[32] = "loop";
    if (!track->is_loop)
        snprintf(name, sizeof name, "thread %d", track->thread);
    number_add(&inner, 1, (uint64_t)process->pid);
    number_add(&inner, 2, (uint64_t)track->tid);
    text_add(&inner, 5, name, strlen(name));
    number_add(&descriptor, 1, track_uuid(t, track));
    number_add(&descriptor, 5, uuid_of(process, UUID_PROCESS));
    message_take(&descriptor, 4, &inner);
    number_add(&packet, SEQUENCE, track_sequence(t, track));
    message_take(&packet, DESCRIPTOR, &descriptor);
    packet_take(t, &packet);
    sequence_add(t, track);
    middle_make(t, track);
    track->written_ns = 0;
}

/* ---- regions ----------------------------------------------------------------------------------
 */

static SWI_RARE void interned_grow(struct swi_timeline *t, struct swi_track *track, uint32_t name)
{
    size_t room = 2 * (size_t)name + 64;
    uint8_t *interned = realloc(track->interned, room);
    if (!interned) {
        t->failed = true;
        return;
    }
    memset(interned + track->interned_room, 0, room - track->interned_room);
    track->interned = interned;
    track->interned_room = room;
}

/* Adds the packet that defines a name in the sequence. */
static SWI_RARE void name_intern(struct swi_timeline *t, struct swi_track *track, uint32_t name)
{
    struct swi_text packet = {0}, interned = {0}, entry = {0};
    if (name >= track->interned_room)
        interned_grow(t, track, name);
    if (t->failed)
        return;
    track->interned[name] = 1;
    number_add(&entry, 1, name + 1);
    text_add(&entry, 2, t->names.item[name].text, t->names.item[name].size);
    message_take(&interned, 2, &entry);
    number_add(&packet, SEQUENCE, track_sequence(t, track));
    number_add(&packet, FLAGS, NEEDS_STATE);
    message_take(&packet, INTERNED, &interned);
    packet_take(t, &packet);
}

/* Writes the time, relative to the packet before. */
static inline char *time_put(struct swi_track *track, char *at, int64_t time_ns)
{
    int64_t since = time_ns - track->written_ns;
    since = since < 0 ? 0 : since;
    track->written_ns += since;
    *at++ = TIMESTAMP << 3;
    return swi_pb_varint_mixed(at, (uint64_t)since);
}

/* A packet that is written in place. It is shorter than 128 bytes, and so is the event in it: a
 * length takes one byte. */
enum { SHORT_PACKET = 128 };
struct short_packet {
    char *body, *event; /* the first bytes after their lengths */
};

/* Returns where the event goes on; NULL if out of memory. */
static inline char *packet_open(struct swi_timeline *t, struct swi_track *track,
                                struct short_packet *packet, int64_t time_ns, bool begins)
{
    char *at = swi_event_room(&t->out, 2 * SHORT_PACKET);
    if (!at || !track->prefix.size)
        return NULL;
    *at++ = PACKET << 3 | 2;
    packet->body = ++at;
    at = middle_copy(track, time_put(track, at, time_ns), begins);
    packet->event = at - 2;
    return at;
}

static void packet_close(struct swi_timeline *t, const struct short_packet *packet, char *at)
{
    packet->event[-1] = (char)(at - packet->event);
    packet->body[-1] = (char)(at - packet->body);
    swi_event_done(&t->out, at);
}

static SWI_RARE char *arg_put(char *at, unsigned arg, bool flag, int64_t value)
{
    char *inner = at + 2;
    char *end = swi_pb_number(inner, 1, arg);
    end = swi_pb_number(end, flag ? 2 : 4, (uint64_t)value);
    at[0] = 4 << 3 | 2;
    at[1] = (char)(end - inner);
    return end;
}

static void begin(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    struct short_packet packet;
    if (interval->name >= track->interned_room || !track->interned[interval->name])
        name_intern(t, track, interval->name);
    char *at = packet_open(t, track, &packet, interval->begin_ns, true);
    if (!at)
        return;
    at = swi_pb_number(at, EVENT_NAME_IID, interval->name + 1);
    at = swi_pb_number(at, EVENT_CATEGORY_IID, (uint64_t)interval->phase + 1);
    if (interval->epoch >= 0)
        at = arg_put(at, ARG_EPOCH, false, interval->epoch);
    packet_close(t, &packet, at);
}

static inline char *args_put(char *at, const struct swi_interval *interval)
{
    if (interval->step >= 0)
        at = arg_put(at, ARG_STEP, false, interval->step);
    if (interval->samples >= 0)
        at = arg_put(at, ARG_SAMPLES, false, interval->samples);
    if (interval->paused_ns)
        at = arg_put(at, ARG_PAUSED, false, interval->paused_ns);
    if (interval->cancelled)
        at = arg_put(at, ARG_CANCELLED, true, 1);
    if (interval->cut)
        at = arg_put(at, ARG_CUT, true, 1);
    return at;
}

static void shape_add(struct swi_text *event, const struct swi_timeline_name *shape)
{
    struct swi_text inner = {0};
    number_add(&inner, 1, ARG_SHAPE);
    text_add(&inner, 6, shape->text, shape->size);
    message_take(event, 4, &inner);
}

/* Counters have too many names to intern them. */
static void uses_add(struct swi_text *event, const struct swi_timeline *t,
                     const struct swi_uses *uses)
{
    for (size_t i = 0; i < uses->found; i++) {
        const struct swi_timeline_name *name = &t->names.item[uses->use[i].name];
        struct swi_text inner = {0};
        text_add(&inner, 10, name->text, name->size);
        number_add(&inner, 4, (uint64_t)uses->use[i].value);
        message_take(event, 4, &inner);
    }
}

/* The end of a region with a shape or counters. */
static SWI_RARE void end_more(struct swi_timeline *t, struct swi_track *track,
                              const struct swi_interval *interval)
{
    char body[256], numbers[192];
    struct swi_text event = {0}, packet = {0};
    const char *last = args_put(swi_pb_number(numbers, EVENT_TYPE, END), interval);
    swi_text_add(&event, numbers, (size_t)(last - numbers));
    if (interval->shape)
        shape_add(&event, &t->names.item[interval->shape - 1]);
    if (interval->uses)
        uses_add(&event, t, interval->uses);
    char *at = time_put(track, body, interval->end_ns);
    at = swi_pb_number(at, SEQUENCE, track_sequence(t, track));
    swi_text_add(&packet, body, (size_t)(at - body));
    message_take(&packet, TRACK_EVENT, &event);
    if (packet.data && !packet.failed)
        packet_add(t, packet.data, packet.size);
    t->failed |= packet.failed;
    swi_text_free(&packet);
}

static void end(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    struct short_packet packet;
    if (interval->shape || interval->uses) {
        end_more(t, track, interval);
        return;
    }
    char *at = packet_open(t, track, &packet, interval->end_ns, false);
    if (at)
        packet_close(t, &packet, args_put(at, interval));
}

/* ---- counters, instants and spans: on the sequence of the process, with the time itself
 * ---------- */

static void absolute_add(struct swi_timeline *t, const struct swi_timeline_process *process,
                         int64_t time_ns, struct swi_text *event)
{
    struct swi_text packet = {0};
    number_add(&packet, TIMESTAMP, (uint64_t)time_ns);
    number_add(&packet, SEQUENCE, process_sequence(process));
    message_take(&packet, TRACK_EVENT, event);
    packet_take(t, &packet);
}

static void counter_track_add(struct swi_timeline *t, const struct swi_timeline_process *process,
                              uint32_t name)
{
    struct swi_text packet = {0}, descriptor = {0}, inner = {0};
    number_add(&descriptor, 1, uuid_of(process, UUID_COUNTERS + name));
    number_add(&descriptor, 5, uuid_of(process, UUID_PROCESS));
    text_add(&descriptor, 2, t->names.item[name].text, t->names.item[name].size);
    message_take(&descriptor, 8, &inner);
    number_add(&packet, SEQUENCE, process_sequence(process));
    message_take(&packet, DESCRIPTOR, &descriptor);
    packet_take(t, &packet);
}

static bool counter_is_new(struct swi_timeline *t, size_t process, uint32_t name)
{
    struct perfetto *p = t->state;
    size_t at =
        (size_t)name * (process + 1) + process; /* few are shared; these are described twice */
    if (at >= p->described_room) {
        size_t room = 2 * at + 64;
        uint8_t *described = realloc(p->described, room);
        if (!described)
            return true;
        memset(described + p->described_room, 0, room - p->described_room);
        p->described = described;
        p->described_room = room;
    }
    bool known = p->described[at] == process + 1;
    p->described[at] = (uint8_t)(process + 1);
    return !known;
}

static void counter(struct swi_timeline *t, struct swi_timeline_process *process, int64_t time_ns,
                    uint32_t name, double value)
{
    struct swi_text event = {0};
    char bytes[SWI_PB_FIELD];
    if (counter_is_new(t, process->number, name))
        counter_track_add(t, process, name);
    number_add(&event, EVENT_TYPE, COUNTER);
    number_add(&event, EVENT_TRACK, uuid_of(process, UUID_COUNTERS + name));
    const char *end = swi_pb_double(bytes, 44, value);
    swi_text_add(&event, bytes, (size_t)(end - bytes));
    absolute_add(t, process, time_ns, &event);
}

/* A JSON string loses its quotes. */
static void annotation_add(struct swi_text *event, const char *key, const char *value)
{
    struct swi_text annotation = {0};
    size_t size = strlen(value);
    bool quoted = size >= 2 && value[0] == '"';
    repaired_add(&annotation, 10, key);
    text_add(&annotation, 6, value + quoted, size - 2 * quoted);
    message_take(event, 4, &annotation);
}

static void instant(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value)
{
    struct swi_text event = {0};
    number_add(&event, EVENT_TYPE, INSTANT);
    number_add(&event, EVENT_TRACK, track ? track_uuid(t, track) : uuid_of(process, UUID_PROCESS));
    repaired_add(&event, EVENT_NAME, *text ? text : "unnamed");
    if (key)
        annotation_add(&event, key, value);
    absolute_add(t, process, time_ns, &event);
}

/* ---- spans: a track for each, and an arrow ----------------------------------------------------
 */

static uint64_t span_uuid(const struct swi_timeline_process *process, int64_t id)
{
    return uuid_of(process, UUID_SPANS + ((uint64_t)id & 0x7fffffff));
}

static void span_track_add(struct swi_timeline *t, const struct swi_timeline_process *process,
                           uint64_t uuid, uint32_t name)
{
    struct swi_text packet = {0}, descriptor = {0};
    number_add(&descriptor, 1, uuid);
    number_add(&descriptor, 5, uuid_of(process, UUID_PROCESS));
    text_add(&descriptor, 2, t->names.item[name].text, t->names.item[name].size);
    number_add(&packet, SEQUENCE, process_sequence(process));
    message_take(&packet, DESCRIPTOR, &descriptor);
    packet_take(t, &packet);
}

static void name_and_category_add(const struct swi_timeline *t, struct swi_text *event,
                                  uint32_t name, const char *category)
{
    text_add(event, EVENT_CATEGORY, category, strlen(category));
    text_add(event, EVENT_NAME, t->names.item[name].text, t->names.item[name].size);
}

static void span(struct swi_timeline *t, const struct swi_span_edge *edge)
{
    const struct swi_timeline_process *process = t->process[edge->track->process];
    uint64_t uuid = span_uuid(process, edge->id);
    struct swi_text event = {0};
    if (edge->begins)
        span_track_add(t, process, uuid, edge->name);
    number_add(&event, EVENT_TYPE, edge->begins ? BEGIN : END);
    number_add(&event, EVENT_TRACK, uuid);
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
    uint64_t id = uuid_of(process, (uint64_t)flow->id);
    struct swi_text event = {0}, legacy = {0};
    char bytes[SWI_PB_FIELD];
    number_add(&event, EVENT_TRACK, track_uuid(t, track));
    name_and_category_add(t, &event, flow->name, "flow");
    number_add(&legacy, LEGACY_PHASE, begins ? 's' : 'f');
    number_add(&legacy, LEGACY_ID, id);
    if (!begins)
        number_add(&legacy, LEGACY_BIND_ENCLOSING, 1);
    message_take(&event, EVENT_LEGACY, &legacy);
    const char *end = swi_pb_fixed64(bytes, begins ? EVENT_FLOW : EVENT_FLOW_END, id);
    swi_text_add(&event, bytes, (size_t)(end - bytes));
    absolute_add(t, process, begins ? flow->from_ns : flow->to_ns, &event);
}

static void flow(struct swi_timeline *t, const struct swi_flow *flow)
{
    flow_end(t, flow, true);
    flow_end(t, flow, false);
}

static void perfetto_free(struct swi_timeline *t)
{
    struct perfetto *p = t->state;
    if (p)
        free(p->described);
    free(p);
    t->state = NULL;
}

const struct swi_timeline_format swi_timeline_perfetto = {
    .name = "perfetto",
    .extension = ".pftrace",
    .part = swi_part_of_packets,
    .start = start,
    .process = process_add,
    .thread = thread_add,
    .begin = begin,
    .end = end,
    .counter = counter,
    .instant = instant,
    .span = span,
    .flow = flow,
    .free = perfetto_free,
};
