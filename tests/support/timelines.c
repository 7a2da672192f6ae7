/* SPDX-License-Identifier: MIT */
/* A reader of its own for each format, as strict as the viewers are. */
#include "tests/support/timelines.h"

#include <check.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

static struct total *total_of(struct totals *totals, const char *thread, const char *name)
{
    char *key = NULL;
    ck_assert_int_gt(asprintf(&key, "%s/%s", thread, name), 0);
    for (size_t i = 0; i < totals->count; i++)
        if (strcmp(totals->item[i].key, key) == 0) {
            free(key);
            return &totals->item[i];
        }
    ck_assert_uint_lt(totals->count, sizeof totals->item / sizeof *totals->item);
    totals->item[totals->count] = (struct total){.key = key};
    return &totals->item[totals->count++];
}

void timeline_add(struct totals *totals, const char *thread, const char *name, int64_t ns)
{
    struct total *total = total_of(totals, thread, name);
    ck_assert_msg(ns >= 0, "%s takes %" PRId64 " ns", total->key, ns);
    total->calls++;
    total->total_ns += ns;
}

void timeline_free(struct totals *totals)
{
    for (size_t i = 0; i < totals->count; i++)
        free(totals->item[i].key);
    totals->count = 0;
}

static const struct total *total_find(const struct totals *totals, const char *key)
{
    for (size_t i = 0; i < totals->count; i++)
        if (strcmp(totals->item[i].key, key) == 0)
            return &totals->item[i];
    return NULL;
}

int64_t timeline_calls(const struct totals *totals, const char *key)
{
    const struct total *total = total_find(totals, key);
    return total ? total->calls : 0;
}

void timeline_same(const struct totals *totals, const struct totals *others, const char *what)
{
    for (size_t i = 0; i < totals->count; i++) {
        const struct total *one = &totals->item[i], *other = total_find(others, one->key);
        ck_assert_msg(other != NULL, "%s: there is no %s", what, one->key);
        ck_assert_msg(one->calls == other->calls && one->total_ns == other->total_ns,
                      "%s: %s has %" PRId64 " calls of %" PRId64 " ns, expected %" PRId64
                      " of %" PRId64 " ns",
                      what, one->key, other->calls, other->total_ns, one->calls, one->total_ns);
    }
    for (size_t i = 0; i < others->count; i++)
        ck_assert_msg(total_find(totals, others->item[i].key) != NULL, "%s: has %s, too", what,
                      others->item[i].key);
}

static char *file_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s does not exist", path);
    char *bytes = NULL;
    FILE *memory = open_memstream(&bytes, size);
    for (int c; (c = getc(file)) != EOF;)
        putc(c, memory);
    fclose(memory);
    fclose(file);
    return bytes;
}

/* ---- threads and their stacks ---------------------------------------------------------------- */

struct thread {
    int64_t id;
    char *name;
    size_t depth;
    struct {
        char *name;
        int64_t begin_ns, end_ns; /* end: of a complete event; else INT64_MAX */
    } open[4096];
};

struct threads {
    size_t count;
    struct thread *item[128];
};

static struct thread *thread_of(struct threads *threads, int64_t id)
{
    for (size_t i = 0; i < threads->count; i++)
        if (threads->item[i]->id == id)
            return threads->item[i];
    struct thread *thread = calloc(1, sizeof *thread);
    ck_assert_uint_lt(threads->count, 128);
    thread->id = id;
    threads->item[threads->count++] = thread;
    return thread;
}

static void thread_name(struct threads *threads, int64_t id, const char *name)
{
    struct thread *thread = thread_of(threads, id);
    free(thread->name);
    thread->name = strdup(name);
}

static void push(struct thread *thread, const char *name, int64_t begin_ns)
{
    ck_assert_uint_lt(thread->depth, 4096);
    thread->open[thread->depth].name = strdup(name);
    thread->open[thread->depth++].begin_ns = begin_ns;
}

/* name: NULL: whatever is open. */
static void pop(struct totals *totals, struct thread *thread, const char *name, int64_t end_ns)
{
    ck_assert_msg(thread->depth > 0, "an end of %s without a begin", name ? name : "a region");
    char *open = thread->open[--thread->depth].name;
    ck_assert_msg(!name || strcmp(name, open) == 0, "%s ends where %s is open", name, open);
    struct total *total = total_of(totals, thread->name, open);
    total->depth = total->depth ? total->depth : (int)thread->depth + 1;
    timeline_add(totals, thread->name, open, end_ns - thread->open[thread->depth].begin_ns);
    free(open);
}

static void threads_free(struct threads *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        free(threads->item[i]->name);
        free(threads->item[i]);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Microseconds with three decimals, exactly. */
static int64_t ns_of(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    ck_assert_msg(json_is_real(value), "%s of an event is not a number with decimals", key);
    return llround(json_real_value(value) * 1000);
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const char *plain_name(const char *name)
{
    return strncmp(name, "enumerate(DataLoader)#", 22) == 0 ? "draw"
           : strncmp(name, "Optimizer.step#", 15) == 0      ? "opt_step"
           : strncmp(name, "Optimizer.zero_grad#", 20) == 0 ? "zero_grad"
                                                            : name;
}

static void args_note(struct totals *totals, const json_t *event)
{
    const json_t *args = json_object_get(event, "args");
    totals->cut += json_is_true(json_object_get(args, "cut"));
    totals->cancelled += json_is_true(json_object_get(args, "cancelled"));
}

static void complete_event(struct totals *totals, struct threads *threads, const json_t *event)
{
    const char *name = plain_name(text_at(event, "name"));
    struct thread *thread = thread_of(threads, json_integer_value(json_object_get(event, "tid")));
    ck_assert_ptr_nonnull(thread->name);
    ck_assert_msg(*text_at(event, "cat"), "%s has no category", name);
    if (strncmp(name, "ProfilerStep#", 13) == 0)
        totals->steps++;
    else
        timeline_add(totals, thread->name, name, ns_of(event, "dur"));
    ck_assert_int_ge(ns_of(event, "ts"), 0);
    args_note(totals, event);
}

static void json_event(struct totals *totals, struct threads *threads, const json_t *event)
{
    const char *ph = text_at(event, "ph"), *name = text_at(event, "name");
    int64_t tid = json_integer_value(json_object_get(event, "tid"));
    ck_assert_msg(*name, "an event has no name");
    ck_assert_int_le(tid, INT32_MAX);
    if (strcmp(name, "thread_name") == 0)
        thread_name(threads, tid, text_at(json_object_get(event, "args"), "name"));
    else if (strcmp(ph, "X") == 0)
        complete_event(totals, threads, event);
    else if (strcmp(ph, "B") == 0)
        push(thread_of(threads, tid), name, ns_of(event, "ts"));
    else if (strcmp(ph, "E") == 0) {
        pop(totals, thread_of(threads, tid), name, ns_of(event, "ts"));
        args_note(totals, event);
    } else if (strcmp(ph, "C") == 0) {
        totals->counters++;
        totals->values +=
            json_number_value(json_object_get(json_object_get(event, "args"), "value"));
    } else if (strcmp(ph, "i") == 0)
        totals->instants++;
    else if (strcmp(ph, "b") == 0)
        totals->spans++;
    if (strchr("be", *ph))
        totals->cut_spans += json_is_true(json_object_get(json_object_get(event, "args"), "cut"));
    if (strcmp(ph, "s") == 0)
        totals->flow = json_integer_value(json_object_get(event, "id"));
    else if (strcmp(ph, "f") == 0)
        totals->flows += totals->flow == json_integer_value(json_object_get(event, "id"));
    totals->limit |= strcmp(name, "stepwatch: limit reached") == 0;
}

static json_t *parsed(const char *path)
{
    size_t size;
    json_error_t wrong;
    char *bytes = file_bytes(path, &size);
    json_t *whole = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &wrong);
    ck_assert_msg(whole != NULL, "%s:%d: %s", path, wrong.line, wrong.text);
    free(bytes);
    return whole;
}

static void read_json(struct totals *totals, const char *path)
{
    struct threads threads = {0};
    json_t *whole = parsed(path), *event;
    const json_t *events = json_is_array(whole) ? whole : json_object_get(whole, "traceEvents");
    size_t i;
    ck_assert_msg(json_is_array(events), "%s has no traceEvents", path);
    json_array_foreach(events, i, event)
    {
        json_event(totals, &threads, event);
    }
    for (i = 0; i < threads.count; i++)
        ck_assert_msg(threads.item[i]->depth == 0, "a region of %s has no end",
                      threads.item[i]->name);
    json_decref(whole);
    threads_free(&threads);
}

static void read_speedscope(struct totals *totals, const char *path)
{
    json_t *whole = parsed(path), *profile, *event;
    const json_t *frames = json_object_get(json_object_get(whole, "shared"), "frames");
    size_t i, k;
    json_array_foreach(json_object_get(whole, "profiles"), i, profile)
    {
        struct thread *thread = calloc(1, sizeof *thread);
        int64_t last = 0;
        thread->name = strdup(text_at(profile, "name"));
        json_array_foreach(json_object_get(profile, "events"), k, event)
        {
            json_int_t frame = json_integer_value(json_object_get(event, "frame"));
            int64_t at = json_integer_value(json_object_get(event, "at"));
            const char *name = text_at(json_array_get(frames, (size_t)frame), "name");
            ck_assert_int_ge(at, last);
            last = at;
            if (strcmp(text_at(event, "type"), "O") == 0)
                push(thread, name, at);
            else
                pop(totals, thread, name, at);
        }
        ck_assert_uint_eq(thread->depth, 0);
        ck_assert_int_le(last, json_integer_value(json_object_get(profile, "endValue")));
        free(thread->name);
        free(thread);
    }
    json_decref(whole);
}

/* ---- protobuf -------------------------------------------------------------------------------- */

struct message {
    const char *at, *end;
};

struct field {
    unsigned number, type;
    uint64_t value;
    struct message bytes;
};

static uint64_t varint(struct message *from)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        ck_assert_msg(from->at < from->end, "a number is cut off");
        unsigned char byte = (unsigned char)*from->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    ck_abort_msg("a number has more than 10 bytes");
}

static bool next_field(struct message *from, struct field *field)
{
    if (from->at >= from->end)
        return false;
    uint64_t tag = varint(from);
    *field = (struct field){.number = (unsigned)(tag >> 3), .type = tag & 7};
    if (field->type == 0)
        field->value = varint(from);
    else if (field->type == 1) {
        memcpy(&field->value, from->at, 8);
        from->at += 8;
    } else {
        ck_assert_uint_eq(field->type, 2);
        uint64_t size = varint(from);
        ck_assert_uint_le(size, (uint64_t)(from->end - from->at));
        field->bytes = (struct message){from->at, from->at + size};
        from->at += size;
    }
    return true;
}

static struct field field_of(struct message message, unsigned number)
{
    struct field field;
    while (next_field(&message, &field))
        if (field.number == number)
            return field;
    return (struct field){0};
}

static double double_of(struct field field)
{
    double value;
    memcpy(&value, &field.value, sizeof value);
    return value;
}

static char *text_of(struct message message)
{
    return message.at ? strndup(message.at, (size_t)(message.end - message.at)) : strdup("");
}

/* A sequence of packets: a thread, or the process. */
struct sequence {
    uint64_t id, track;
    bool cleared, own_clock;
    int64_t now_ns;
    char *name[1 << 12]; /* by iid */
};

struct perfetto {
    struct totals *totals;
    struct threads threads; /* by the number of the track */
    size_t count;
    struct sequence *sequence[128];
};

static struct sequence *sequence_of(struct perfetto *p, uint64_t id)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->sequence[i]->id == id)
            return p->sequence[i];
    ck_assert_uint_lt(p->count, 128);
    p->sequence[p->count] = calloc(1, sizeof(struct sequence));
    p->sequence[p->count]->id = id;
    return p->sequence[p->count++];
}

static void interned_read(struct sequence *sequence, struct message interned)
{
    struct field field;
    while (next_field(&interned, &field)) {
        uint64_t iid = field_of(field.bytes, 1).value;
        ck_assert_uint_lt(iid, 1 << 12);
        if (field.number != 2)
            continue;
        free(sequence->name[iid]);
        sequence->name[iid] = text_of(field_of(field.bytes, 2).bytes);
    }
}

static void descriptor_read(struct perfetto *p, struct message descriptor)
{
    struct field thread = field_of(descriptor, 4);
    int64_t uuid = (int64_t)field_of(descriptor, 1).value;
    if (!thread.number)
        return;
    char *name = text_of(field_of(thread.bytes, 5).bytes);
    thread_name(&p->threads, uuid, name);
    free(name);
}

/* The ends of an arrow follow each other. */
static void flow_read(struct totals *totals, struct message event)
{
    struct field legacy = field_of(event, 6);
    int64_t id = (int64_t)field_of(legacy.bytes, 6).value;
    if (legacy.number && field_of(legacy.bytes, 2).value == 's')
        totals->flow = id;
    else if (legacy.number)
        totals->flows += totals->flow == id;
}

static void event_read(struct perfetto *p, struct sequence *sequence, struct message event)
{
    uint64_t type = field_of(event, 9).value, iid = field_of(event, 10).value;
    struct field track = field_of(event, 11), field;
    p->totals->counters += type == 4;
    p->totals->values += type == 4 ? double_of(field_of(event, 44)) : 0;
    if (type == 3) {
        char *name = text_of(field_of(event, 23).bytes);
        p->totals->instants++;
        p->totals->limit |= strcmp(name, "stepwatch: limit reached") == 0;
        free(name);
    }
    if (track.number && type == 1)
        p->totals->spans++;
    if (track.number && (type == 1 || type == 2))
        p->totals->cut_spans += field_of(event, 4).number == 4;
    flow_read(p->totals, event);
    if (track.number || type > 2)
        return;
    struct thread *thread = thread_of(&p->threads, (int64_t)sequence->track);
    ck_assert_ptr_nonnull(thread->name);
    if (type == 1) {
        ck_assert_msg(sequence->name[iid] != NULL, "name %" PRIu64 " is not known", iid);
        push(thread, sequence->name[iid], sequence->now_ns);
    } else
        pop(p->totals, thread, NULL, sequence->now_ns);
    while (next_field(&event, &field))
        if (field.number == 4) {
            uint64_t arg = field_of(field.bytes, 1).value;
            p->totals->cut += arg == 6;
            p->totals->cancelled += arg == 5;
        }
}

static void packet_read(struct perfetto *p, struct message packet)
{
    struct sequence *sequence = sequence_of(p, field_of(packet, 10).value);
    struct field flags = field_of(packet, 13), defaults = field_of(packet, 59), field;
    ck_assert_uint_gt(sequence->id, 0);
    if (flags.value == 1) {
        sequence->cleared = true;
        memset(sequence->name, 0, sizeof sequence->name);
    }
    ck_assert_msg(flags.value != 2 || sequence->cleared,
                  "a packet needs a state that is not there");
    if (defaults.number) {
        sequence->own_clock = field_of(defaults.bytes, 58).value == 64;
        sequence->track = field_of(field_of(defaults.bytes, 11).bytes, 11).value;
        sequence->now_ns = 0;
    }
    field = field_of(packet, 8);
    if (field.number)
        sequence->now_ns = (sequence->own_clock ? sequence->now_ns : 0) + (int64_t)field.value;
    field = field_of(packet, 12);
    if (field.number)
        interned_read(sequence, field.bytes);
    field = field_of(packet, 60);
    if (field.number)
        descriptor_read(p, field.bytes);
    field = field_of(packet, 11);
    if (field.number)
        event_read(p, sequence, field.bytes);
}

static void read_perfetto(struct totals *totals, const char *path)
{
    size_t size;
    char *bytes = file_bytes(path, &size);
    struct message file = {bytes, bytes + size};
    struct perfetto p = {.totals = totals};
    struct field field;
    while (next_field(&file, &field)) {
        ck_assert_uint_eq(field.number, 1);
        packet_read(&p, field.bytes);
    }
    for (size_t i = 0; i < p.count; i++) {
        for (size_t k = 0; k < 1 << 12; k++)
            free(p.sequence[i]->name[k]);
        free(p.sequence[i]);
    }
    for (size_t i = 0; i < p.threads.count; i++)
        ck_assert_msg(p.threads.item[i]->depth == 0, "a region of %s has no end",
                      p.threads.item[i]->name);
    threads_free(&p.threads);
    free(bytes);
}

/* ---- XPlane ---------------------------------------------------------------------------------- */

enum { METADATA = 1 << 14 };

/* The names of events and of their stats, by number. */
struct metadata {
    char *event[METADATA], *stat[METADATA];
};

static const char *stat_name(const struct metadata *names, struct message stat)
{
    uint64_t number = field_of(stat, 1).value;
    ck_assert_uint_lt(number, METADATA);
    ck_assert_msg(names->stat[number] != NULL, "stat name %" PRIu64 " is not known", number);
    return names->stat[number];
}

static void xplane_stat(struct totals *totals, struct message stat, const struct metadata *names)
{
    const char *name = stat_name(names, stat);
    totals->cancelled += strcmp(name, "cancelled") == 0;
    totals->cut += strcmp(name, "cut") == 0;
    if (strncmp(name, "counter/", 8) == 0)
        totals->used += (int64_t)field_of(stat, 4).value;
}

/* The value of a counter. */
static void xplane_value(struct totals *totals, struct message event, const struct metadata *names)
{
    struct message stat = field_of(event, 4).bytes;
    ck_assert_uint_eq(field_of(event, 3).value, 0);
    ck_assert_str_eq(stat_name(names, stat), "value");
    totals->counters++;
    totals->values += double_of(field_of(stat, 2));
}

static void xplane_label(struct totals *totals, struct message step, const struct metadata *names)
{
    struct field field;
    size_t used = strlen(totals->labels);
    while (next_field(&step, &field)) {
        if (field.number != 4 || strcmp(stat_name(names, field.bytes), "step_name") != 0)
            continue;
        char *label = text_of(field_of(field.bytes, 5).bytes);
        snprintf(totals->labels + used, sizeof totals->labels - used, "%s ", label);
        free(label);
    }
}

static void xplane_event(struct totals *totals, struct message event, const struct metadata *names,
                         const char *thread)
{
    uint64_t metadata = field_of(event, 1).value, ps = field_of(event, 3).value;
    struct field field;
    ck_assert_uint_lt(metadata, METADATA);
    const char *name = names->event[metadata];
    ck_assert_msg(name != NULL, "event name %" PRIu64 " is not known", metadata);
    ck_assert_uint_eq(ps % 1000, 0);
    if (strcmp(name, "step train") == 0 || strcmp(name, "step valid") == 0) {
        totals->steps++;
        xplane_label(totals, event, names);
        return;
    }
    size_t half = strlen(name) / 2;
    bool twice = name[half] == ':' && strncmp(name, name + half + 1, half) == 0;
    char plain[1 << 17];
    snprintf(plain, sizeof plain, "%.*s", (int)(twice ? half : strlen(name)), name);
    timeline_add(totals, thread, strcmp(name, "IteratorGetNext:draw") == 0 ? "draw" : plain,
                 (int64_t)(ps / 1000));
    while (next_field(&event, &field))
        if (field.number == 4)
            xplane_stat(totals, field.bytes, names);
}

static void xplane_line(struct totals *totals, struct message line, const struct metadata *names)
{
    char *thread = text_of(field_of(line, 2).bytes);
    struct field field;
    ck_assert_uint_eq(field_of(line, 3).value, 0);
    while (next_field(&line, &field))
        if (field.number == 4 && strcmp(thread, "_counters_") == 0)
            xplane_value(totals, field.bytes, names);
        else if (field.number == 4)
            xplane_event(totals, field.bytes, names, thread);
    free(thread);
}

static void metadata_read(struct metadata *names, struct message plane)
{
    struct field field;
    while (next_field(&plane, &field)) {
        if (field.number != 4 && field.number != 5)
            continue;
        uint64_t id = field_of(field.bytes, 1).value;
        ck_assert_uint_lt(id, METADATA);
        (field.number == 4 ? names->event : names->stat)[id] =
            text_of(field_of(field_of(field.bytes, 2).bytes, 2).bytes);
    }
}

static void metadata_free(struct metadata *names)
{
    for (size_t i = 0; i < METADATA; i++) {
        free(names->event[i]);
        free(names->stat[i]);
    }
    free(names);
}

static void read_xplane(struct totals *totals, const char *path)
{
    size_t size;
    char *bytes = file_bytes(path, &size);
    struct metadata *names = calloc(1, sizeof *names);
    struct message plane = field_of((struct message){bytes, bytes + size}, 1).bytes, at = plane;
    struct field field;
    char *name = text_of(field_of(plane, 2).bytes);
    ck_assert_str_eq(name, "/host:CPU");
    free(name);
    metadata_read(names, plane);
    while (next_field(&at, &field))
        if (field.number == 3)
            xplane_line(totals, field.bytes, names);
    metadata_free(names);
    free(bytes);
}

void timeline_read(struct totals *totals, const char *format, const char *path)
{
    memset(totals, 0, sizeof *totals);
    if (strcmp(format, "perfetto") == 0)
        read_perfetto(totals, path);
    else if (strcmp(format, "xplane") == 0)
        read_xplane(totals, path);
    else if (strcmp(format, "speedscope") == 0)
        read_speedscope(totals, path);
    else
        read_json(totals, path);
}
