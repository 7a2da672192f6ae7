/* SPDX-License-Identifier: MIT */
/* xplane.c - the file of the Profile page of TensorBoard (XSpace). It is written at the end,
 * because a message begins with its length. Until then, the events of each thread are in a spool.
 * Times are in picoseconds from the file's origin: Unix times would overflow. */
#include "sinks/common/timeline/xplane.h"

#include "sinks/common/timeline/protobuf.h"

#include <stdlib.h>

/* The numbers of the stats of events. */
enum {
    STAT_R = 1,
    STAT_STEP_NUM,
    STAT_GROUP,
    STAT_STEP_NAME,
    STAT_SAMPLES,
    STAT_EPOCH,
    STAT_STEP,
    STAT_CANCELLED,
    STAT_CUT,
    STAT_SHAPE, /* as the profiler of TensorFlow names the shapes of an operation's inputs */
    STATS
};
static const char *const stats[STATS] = {NULL,        "_r",      "step_num",     "group_id",
                                         "step_name", "samples", "epoch",        "step",
                                         "cancelled", "cut",     "tensor_shapes"};

/* Numbers of names: two for the steps, then two for each name: one as it is, and one for events of
 * a step. */
enum { NAME_TRAIN_STEP = 1, NAME_VALID_STEP, NAMES = 3 };

static uint64_t plain_of(uint32_t name)
{
    return NAMES + 2 * (uint64_t)name;
}

static char *stat_put(char *at, uint64_t stat, int64_t value)
{
    char inner[2 * SWI_PB_FIELD];
    char *end = swi_pb_number(inner, 1, stat);
    end = swi_pb_number(end, 4, (uint64_t)value);
    return swi_pb_bytes(at, 4, inner, (size_t)(end - inner));
}

static char *text_stat_put(char *at, uint64_t stat, const char *text)
{
    char inner[96];
    char *end = swi_pb_number(inner, 1, stat);
    end = swi_pb_bytes(end, 5, text, strlen(text));
    return swi_pb_bytes(at, 4, inner, (size_t)(end - inner));
}

static void message_add(struct swi_text *to, unsigned field, const struct swi_text *message)
{
    char head[SWI_PB_FIELD];
    const char *end = swi_pb_head(head, field, message->size);
    swi_text_add(to, head, (size_t)(end - head));
    swi_text_add(to, message->data ? message->data : "", message->size);
    to->failed |= message->failed;
}

static void text_field(struct swi_text *to, unsigned field, const char *text, size_t size)
{
    char head[SWI_PB_FIELD];
    const char *end = swi_pb_head(head, field, size);
    swi_text_add(to, head, (size_t)(end - head));
    swi_text_add(to, text, size);
}

static void number_field(struct swi_text *to, unsigned field, uint64_t value)
{
    char bytes[2 * SWI_PB_FIELD];
    const char *end = swi_pb_number(bytes, field, value);
    swi_text_add(to, bytes, (size_t)(end - bytes));
}

static char *event_begin(char *at, uint64_t metadata, int64_t begin_ns, int64_t end_ns)
{
    at = swi_pb_number(at, 1, metadata);
    at = swi_pb_number(at, 2, (uint64_t)(begin_ns < 0 ? 0 : begin_ns) * 1000);
    return swi_pb_number(at, 3, (uint64_t)(end_ns - begin_ns) * 1000);
}

static void event_add(struct swi_timeline *t, struct swi_track *track, const char *event,
                      const char *end)
{
    char head[SWI_PB_FIELD];
    size_t size = (size_t)(end - event);
    int64_t before = swi_spool_size(&track->spool);
    const char *head_end = swi_pb_head(head, 4, size);
    swi_text_add(&track->spool.text, head, (size_t)(head_end - head));
    swi_text_add(&track->spool.text, event, size);
    t->spooled += swi_spool_size(&track->spool) - before;
    swi_spool_spill(&track->spool);
    if (!track->spool.failed)
        return;
    t->failed = true;
    t->error = track->spool.error;
}

/* Returns whether an event has the group of its step. Cancelled ones do not, because the step does
 * not exist. */
static bool has_group(const struct swi_interval *interval)
{
    return interval->group >= 0 && !interval->cancelled;
}

/* Adds an event with the shape of the region. */
static void shaped_add(struct swi_timeline *t, struct swi_track *track,
                       const struct swi_interval *interval, const char *event, const char *end)
{
    const struct swi_timeline_name *shape = &t->names.item[interval->shape - 1];
    struct swi_text all = {0}, stat = {0};
    number_field(&stat, 1, STAT_SHAPE);
    text_field(&stat, 5, shape->text, shape->size);
    swi_text_add(&all, event, (size_t)(end - event));
    message_add(&all, 4, &stat);
    if (all.data)
        event_add(t, track, all.data, all.data + all.size);
    t->failed |= all.failed;
    swi_text_free(&all);
    swi_text_free(&stat);
}

static void end(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    char event[320], *at;
    bool grouped = has_group(interval);
    at = event_begin(event, plain_of(interval->name) + grouped, interval->begin_ns,
                     interval->end_ns);
    if (grouped)
        at = stat_put(at, STAT_GROUP, interval->group);
    if (interval->step >= 0)
        at = stat_put(at, STAT_STEP, interval->step);
    if (interval->samples >= 0)
        at = stat_put(at, STAT_SAMPLES, interval->samples);
    if (interval->epoch >= 0)
        at = stat_put(at, STAT_EPOCH, interval->epoch);
    if (interval->cancelled)
        at = stat_put(at, STAT_CANCELLED, 1);
    if (interval->cut)
        at = stat_put(at, STAT_CUT, 1);
    if (interval->shape)
        shaped_add(t, track, interval, event, at);
    else
        event_add(t, track, event, at);
}

static void step(struct swi_timeline *t, struct swi_track *track,
                 const struct swi_timeline_step *step)
{
    char event[320], name[64], *at;
    bool train = step->phase == SW_PHASE_TRAIN;
    snprintf(name, sizeof name, "%s %" PRId64 ".%" PRId64, train ? "train" : "valid", step->epoch,
             step->in_epoch);
    at =
        event_begin(event, train ? NAME_TRAIN_STEP : NAME_VALID_STEP, step->begin_ns, step->end_ns);
    at = stat_put(at, STAT_R, 1);
    at = stat_put(at, STAT_STEP_NUM, step->number);
    at = stat_put(at, STAT_GROUP, step->group);
    at = text_stat_put(at, STAT_STEP_NAME, name);
    event_add(t, track, event, at);
}

static void instant(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value)
{
    char event[64];
    int32_t name = swi_timeline_name(&t->names, text, strlen(text));
    (void)process;
    (void)key;
    (void)value;
    if (track && name >= 0)
        event_add(t, track, event, event_begin(event, plain_of((uint32_t)name), time_ns, time_ns));
}

/* ---- the end ----------------------------------------------------------------------------------
 */

/* Adds an entry of a map: its number, and a message with the number and the name. */
static void entry_add(struct swi_text *plane, unsigned field, uint64_t number, const char *name,
                      size_t size)
{
    struct swi_text entry = {0}, value = {0};
    number_field(&value, 1, number);
    text_field(&value, 2, name, size);
    number_field(&entry, 1, number);
    message_add(&entry, 2, &value);
    message_add(plane, field, &entry);
    swi_text_free(&entry);
    swi_text_free(&value);
}

static bool is_word(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool letter = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z');
        bool digit = (text[i] >= '0' && text[i] <= '9') || text[i] == '_';
        if (!letter && !(i && digit))
            return false;
    }
    return size > 0;
}

/* The page treats names that begin with IteratorGetNext as time spent on input. It counts other
 * regions only if their names have the form OP:TYPE. */
static void grouped_name(struct swi_text *to, const struct swi_timeline_name *name)
{
    if (name->kind == SWI_KIND_DRAW) {
        swi_text_put(to, "IteratorGetNext:draw");
        return;
    }
    swi_text_add(to, name->text, name->size);
    if (!is_word(name->text, name->size))
        return;
    swi_text_put(to, ":");
    swi_text_add(to, name->text, name->size);
}

static void metadata_add(struct swi_text *plane, const struct swi_timeline *t)
{
    entry_add(plane, 4, NAME_TRAIN_STEP, "step train", 10);
    entry_add(plane, 4, NAME_VALID_STEP, "step valid", 10);
    for (size_t i = 0; i < t->names.count; i++) {
        const struct swi_timeline_name *name = &t->names.item[i];
        struct swi_text grouped = {0};
        grouped_name(&grouped, name);
        entry_add(plane, 4, plain_of((uint32_t)i), name->text, name->size);
        entry_add(plane, 4, plain_of((uint32_t)i) + 1, grouped.data ? grouped.data : "",
                  grouped.size);
        swi_text_free(&grouped);
    }
    for (uint64_t i = 1; i < STATS; i++)
        entry_add(plane, 5, i, stats[i], strlen(stats[i]));
}

/* Writes what a line has before its events. */
static void line_head(struct swi_text *head, const struct swi_track *track)
{
    char name[32] = "loop";
    if (!track->is_loop)
        snprintf(name, sizeof name, "thread %d", track->thread);
    number_field(head, 1, (uint64_t)track->number + 1);
    text_field(head, 2, name, strlen(name));
    number_field(head, 3, 0);
}

static uint64_t line_size(const struct swi_track *track)
{
    struct swi_text head = {0};
    line_head(&head, track);
    uint64_t size = head.size + (uint64_t)swi_spool_size(&track->spool);
    swi_text_free(&head);
    return size;
}

static bool take(void *arg, const char *data, size_t size)
{
    struct swi_timeline *t = arg;
    swi_text_add(&t->out, data, size);
    if (t->out.size > 1 << 16)
        swi_timeline_drain(t);
    return !t->failed;
}

static void lines_write(struct swi_timeline *t)
{
    for (size_t i = 0; i < t->track_count; i++) {
        char head[SWI_PB_FIELD];
        struct swi_text line = {0};
        line_head(&line, t->track[i]);
        const char *end = swi_pb_head(head, 3, line_size(t->track[i]));
        take(t, head, (size_t)(end - head));
        take(t, line.data ? line.data : "", line.size);
        swi_text_free(&line);
        if (!swi_spool_read(&t->track[i]->spool, take, t))
            t->failed = true;
    }
}

static void finish(struct swi_timeline *t)
{
    struct swi_text plane = {0};
    char head[SWI_PB_FIELD];
    uint64_t lines = 0;
    number_field(&plane, 1, 1);
    text_field(&plane, 2, "/host:CPU", 9);
    metadata_add(&plane, t);
    for (size_t i = 0; i < t->track_count; i++)
        lines += 1 + swi_pb_size(line_size(t->track[i])) + line_size(t->track[i]);
    const char *end = swi_pb_head(head, 1, plane.size + lines);
    take(t, head, (size_t)(end - head));
    take(t, plane.data ? plane.data : "", plane.size);
    t->failed |= plane.failed;
    swi_text_free(&plane);
    lines_write(t);
    if (t->process_count)
        text_field(&t->out, 4, t->process[0]->host, strlen(t->process[0]->host));
}

const struct swi_timeline_format swi_timeline_xplane = {
    .name = "xplane",
    .extension = ".xplane.pb",
    .whole = true,
    .one_process = true,
    .end = end,
    .step = step,
    .instant = instant,
    .finish = finish,
};
