/* SPDX-License-Identifier: MIT */
/* perfetto.c - the protobuf format of Perfetto:
 * https://perfetto.dev/docs/reference/trace-packet-proto
 *
 * Each thread is a separate sequence with its own clock, which counts from the packet before, so
 * that a region takes 30 bytes. Names are written once in each sequence. The file may be cut off
 * anywhere. */
#include "sinks/common/trace_formats/timeline_state.h"

#include "core/text/vec.h"
#include "core/text/wire.h"
#include "sinks/common/trace_formats/json_event.h"
#include "sinks/common/trace_formats/perfetto_events.h"
#include "sinks/common/trace_formats/timeline_output.h"
#include "sinks/common/trace_formats/tracks.h"

#include <stdlib.h>

/* Arguments of regions, by their number. */
enum { ARG_EPOCH = 1, ARG_STEP, ARG_SAMPLES, ARG_PAUSED, ARG_CANCELLED, ARG_CUT, ARG_SHAPE, ARGS };
static const char *const args[ARGS] = {NULL,        "epoch",     "step", "samples",
                                       "paused_ns", "cancelled", "cut",  "Input Dims"};
static const char *const categories[] = {"fit", "train", "valid", "threads", "before", "after"};

/* ---- descriptors ----------------------------------------------------------------------------- */

static void clock_add(struct swi_text *snapshot, uint64_t id, uint64_t time, bool incremental)
{
    struct swi_text clock = {0};
    swi_wire_add_number(&clock, 1, id);
    swi_wire_add_number(&clock, 2, time);
    if (incremental)
        swi_wire_add_number(&clock, 3, 1);
    swi_wire_add_message(snapshot, 1, &clock);
}

/* Adds the Unix time of the start of the run. */
static void wall_clock_add(struct swi_timeline *t, const struct swi_timeline_process *process)
{
    struct swi_text snapshot = {0};
    clock_add(&snapshot, SWI_PF_BOOT_CLOCK, (uint64_t)process->offset_ns, false);
    clock_add(&snapshot, SWI_PF_WALL_CLOCK, (uint64_t)process->started_ns, false);
    swi_pf_message_take(t, swi_pf_process_sequence(process), SWI_PF_CLOCK_SNAPSHOT, &snapshot);
}

static void process_add(struct swi_timeline *t, struct swi_timeline_process *process)
{
    struct swi_text descriptor = {0}, inner = {0};
    char label[40], started[48];
    snprintf(label, sizeof label, "rank %" PRId64, process->rank);
    swi_wire_add_number(&inner, 1, (uint64_t)process->pid);
    swi_pf_repaired_add(&inner, 6, process->name);
    swi_wire_add_text(&inner, 8, label, strlen(label));
    swi_wire_add_number(&descriptor, 1, swi_pf_uuid(process, SWI_UUID_PROCESS));
    swi_wire_add_message(&descriptor, 3, &inner);
    swi_pf_message_take(t, swi_pf_process_sequence(process), SWI_PF_DESCRIPTOR, &descriptor);
    if (process->number == 0)
        wall_clock_add(t, process);
    snprintf(started, sizeof started, "\"%" PRId64 ".%09" PRId64 "\"",
             process->started_ns / 1000000000, process->started_ns % 1000000000);
    swi_pf_instant(t, process, NULL, process->offset_ns + process->begin_ns, "run", "started",
                   started);
}

static void names_add(struct swi_text *interned, unsigned field, const char *const *name,
                      size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        struct swi_text entry = {0};
        swi_wire_add_number(&entry, 1, from ? i : i + 1);
        swi_wire_add_text(&entry, 2, name[i], strlen(name[i]));
        swi_wire_add_message(interned, field, &entry);
    }
}

/* Adds the first packet of a thread's sequence: its clock, its track, and the names that it may
 * need. */
static void sequence_add(struct swi_timeline *t, struct swi_track *track)
{
    struct swi_text packet = {0}, snapshot = {0}, defaults = {0}, event = {0}, interned = {0};
    clock_add(&snapshot, SWI_PF_OWN_CLOCK, 0, true);
    clock_add(&snapshot, SWI_PF_BOOT_CLOCK, 0, false);
    swi_wire_add_number(&event, SWI_PF_EVENT_TRACK, swi_pf_track_uuid(t, track));
    swi_wire_add_number(&defaults, 58, SWI_PF_OWN_CLOCK);
    swi_wire_add_message(&defaults, SWI_PF_TRACK_EVENT, &event);
    names_add(&interned, 1, categories, 0, sizeof categories / sizeof *categories);
    names_add(&interned, 3, args, 1, ARGS);
    swi_wire_add_number(&packet, SWI_PF_SEQUENCE, swi_pf_track_sequence(t, track));
    swi_wire_add_number(&packet, SWI_PF_FLAGS, SWI_PF_STATE_CLEARED);
    swi_wire_add_message(&packet, SWI_PF_CLOCK_SNAPSHOT, &snapshot);
    swi_wire_add_message(&packet, SWI_PF_DEFAULTS, &defaults);
    swi_wire_add_message(&packet, SWI_PF_INTERNED, &interned);
    swi_pf_packet_take(t, &packet);
}

/* What is the same in all begins of a thread, and in all ends: from the time to the type of the
 * event. `prefix` has both, each in a block. The length of the event is its third last byte. */
enum { MIDDLE_BLOCK = 24 };

static char *middle_put(const struct swi_timeline *t, const struct swi_track *track, char *at,
                        bool begins)
{
    at = swi_wire_number(at, SWI_PF_SEQUENCE, swi_pf_track_sequence(t, track));
    /* Only a begin declares that it needs the state, which has its name. An end does not, and is
     * two bytes smaller. */
    if (begins)
        at = swi_wire_number(at, SWI_PF_FLAGS, SWI_PF_NEEDS_STATE);
    at = swi_wire_head(at, SWI_PF_TRACK_EVENT, 0);
    return swi_wire_number(at, SWI_PF_EVENT_TYPE, begins ? SWI_PF_BEGIN : SWI_PF_END);
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
    struct swi_text descriptor = {0}, inner = {0};
    char name[SWI_TRACK_NAME];
    swi_wire_add_number(&inner, 1, (uint64_t)process->pid);
    swi_wire_add_number(&inner, 2, (uint64_t)track->tid);
    swi_track_name(track, name);
    swi_wire_add_text(&inner, 5, name, strlen(name));
    swi_wire_add_number(&descriptor, 1, swi_pf_track_uuid(t, track));
    swi_wire_add_number(&descriptor, 5, swi_pf_uuid(process, SWI_UUID_PROCESS));
    swi_wire_add_message(&descriptor, 4, &inner);
    swi_pf_message_take(t, swi_pf_track_sequence(t, track), SWI_PF_DESCRIPTOR, &descriptor);
    sequence_add(t, track);
    middle_make(t, track);
    track->written_ns = 0;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Adds the packet that defines a name in the sequence. */
static SWI_RARE void name_intern(struct swi_timeline *t, struct swi_track *track, uint32_t name)
{
    struct swi_text packet = {0}, interned = {0}, entry = {0};
    t->failed |= !swi_vec_reach(&track->interned, name, &track->interned_room, 1);
    if (t->failed)
        return;
    track->interned[name] = 1;
    swi_wire_add_number(&entry, 1, name + 1);
    swi_wire_add_text(&entry, 2, t->names.item[name].text, t->names.item[name].size);
    swi_wire_add_message(&interned, 2, &entry);
    swi_wire_add_number(&packet, SWI_PF_SEQUENCE, swi_pf_track_sequence(t, track));
    swi_wire_add_number(&packet, SWI_PF_FLAGS, SWI_PF_NEEDS_STATE);
    swi_wire_add_message(&packet, SWI_PF_INTERNED, &interned);
    swi_pf_packet_take(t, &packet);
}

/* Writes the time, relative to the packet before. */
static inline char *time_put(struct swi_track *track, char *at, int64_t time_ns)
{
    int64_t since = time_ns - track->written_ns;
    since = since < 0 ? 0 : since;
    track->written_ns += since;
    *at++ = SWI_PF_TIMESTAMP << 3;
    return swi_wire_varint_mixed(at, (uint64_t)since);
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
    *at++ = SWI_PF_PACKET << 3 | 2;
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
    char *end = swi_wire_number(inner, 1, arg);
    end = swi_wire_number(end, flag ? 2 : 4, (uint64_t)value);
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
    at = swi_wire_number(at, SWI_PF_EVENT_NAME_IID, interval->name + 1);
    at = swi_wire_number(at, SWI_PF_EVENT_CATEGORY_IID, (uint64_t)interval->phase + 1);
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
    swi_wire_add_number(&inner, 1, ARG_SHAPE);
    swi_wire_add_text(&inner, 6, shape->text, shape->size);
    swi_wire_add_message(event, 4, &inner);
}

/* Counters have too many names to intern them. */
static void uses_add(struct swi_text *event, const struct swi_timeline *t,
                     const struct swi_uses *uses)
{
    for (size_t i = 0; i < uses->found; i++) {
        const struct swi_timeline_name *name = &t->names.item[uses->use[i].name];
        struct swi_text inner = {0};
        swi_wire_add_text(&inner, 10, name->text, name->size);
        swi_wire_add_number(&inner, 4, (uint64_t)uses->use[i].value);
        swi_wire_add_message(event, 4, &inner);
    }
}

/* The end of a region with a shape or counters. */
static SWI_RARE void end_more(struct swi_timeline *t, struct swi_track *track,
                              const struct swi_interval *interval)
{
    char body[256], numbers[192];
    struct swi_text event = {0}, packet = {0};
    const char *last = args_put(swi_wire_number(numbers, SWI_PF_EVENT_TYPE, SWI_PF_END), interval);
    swi_text_add(&event, numbers, (size_t)(last - numbers));
    if (interval->shape)
        shape_add(&event, &t->names.item[interval->shape - 1]);
    if (interval->uses)
        uses_add(&event, t, interval->uses);
    char *at = time_put(track, body, interval->end_ns);
    at = swi_wire_number(at, SWI_PF_SEQUENCE, swi_pf_track_sequence(t, track));
    swi_text_add(&packet, body, (size_t)(at - body));
    swi_wire_add_message(&packet, SWI_PF_TRACK_EVENT, &event);
    if (packet.data && !packet.failed)
        swi_wire_add_text(&t->out, SWI_PF_PACKET, packet.data, packet.size);
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

const struct swi_timeline_format swi_timeline_perfetto = {
    .name = "perfetto",
    .extension = ".pftrace",
    .part = swi_part_of_packets,
    .start = swi_pf_start,
    .process = process_add,
    .thread = thread_add,
    .begin = begin,
    .end = end,
    .counter = swi_pf_counter,
    .instant = swi_pf_instant,
    .span = swi_pf_span,
    .flow = swi_pf_flow,
    .free = swi_pf_free,
};
