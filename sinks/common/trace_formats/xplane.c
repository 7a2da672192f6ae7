/* SPDX-License-Identifier: MIT */
/* xplane.c - the file of the Profile page of TensorBoard (XSpace). It is written at the end,
 * because a message begins with its length. Until then, the events of each thread are in a spool.
 * Times are in picoseconds from the file's origin: Unix times would overflow. */

#include "core/text/vec.h"
#include "core/text/wire.h"
#include "sinks/common/trace_formats/timeline_output.h"
#include "sinks/common/trace_formats/timeline_state.h"
#include "sinks/common/trace_formats/tracks.h"

#include <stdlib.h>
#include <string.h>

/* ---- writes the file at the end: the names and stats, then a line for each thread ------------ */

/* The numbers of the stats of events. */
enum {
    SWI_XSTAT_R = 1,
    SWI_XSTAT_STEP_NUM,
    SWI_XSTAT_GROUP,
    SWI_XSTAT_STEP_NAME,
    SWI_XSTAT_SAMPLES,
    SWI_XSTAT_EPOCH,
    SWI_XSTAT_STEP,
    SWI_XSTAT_CANCELLED,
    SWI_XSTAT_CUT,
    SWI_XSTAT_SHAPE, /* as the profiler of TensorFlow names the shapes of an operation's inputs */
    SWI_XSTAT_VALUE,
    SWI_XSTATS /* plus the number of a name: what a region used of this counter */
};

/* Numbers of names: two for the steps, then two for each name: one as it is, and one for events of
 * a step. */
enum { SWI_XNAME_TRAIN_STEP = 1, SWI_XNAME_VALID_STEP, SWI_XNAMES = 3 };
static inline uint64_t xplane_name(uint32_t name)
{
    return SWI_XNAMES + 2 * (uint64_t)name;
}

/* What a file has besides the events of threads. */
struct xplane {
    struct swi_spool values; /* events of the line of counters */
    uint8_t *is_used;        /* by name: whether regions used of a counter with this name */
    size_t room;
};

static const char *const stats[SWI_XSTATS] = {NULL,        "_r",      "step_num",      "group_id",
                                              "step_name", "samples", "epoch",         "step",
                                              "cancelled", "cut",     "tensor_shapes", "value"};

/* The page shows the events of the line with this name as tracks of counters. */
#define COUNTER_LINE "_counters_"

/* Adds an entry of a map: its number, and a message with the number and the name. */
static void entry_add(struct swi_text *plane, unsigned field, uint64_t number, const char *name,
                      size_t size)
{
    struct swi_text entry = {0}, value = {0};
    swi_wire_add_number(&value, 1, number);
    swi_wire_add_text(&value, 2, name, size);
    swi_wire_add_number(&entry, 1, number);
    swi_wire_add_message(&entry, 2, &value);
    swi_wire_add_message(plane, field, &entry);
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

/* The page knows some stats by their names, which a counter may have as well. */
static void uses_name(struct swi_text *plane, const struct swi_timeline *t)
{
    const struct xplane *x = t->state;
    for (uint32_t i = 0; i < x->room && i < t->names.keys.count; i++) {
        struct swi_text name = {0};
        if (!x->is_used[i])
            continue;
        swi_text_put(&name, "counter/");
        swi_text_add(&name, t->names.item[i].text, t->names.item[i].size);
        if (name.data)
            entry_add(plane, 5, SWI_XSTATS + (uint64_t)i, name.data, name.size);
        swi_text_free(&name);
    }
}

static void metadata_add(struct swi_text *plane, const struct swi_timeline *t)
{
    entry_add(plane, 4, SWI_XNAME_TRAIN_STEP, "step train", 10);
    entry_add(plane, 4, SWI_XNAME_VALID_STEP, "step valid", 10);
    for (size_t i = 0; i < t->names.keys.count; i++) {
        const struct swi_timeline_name *name = &t->names.item[i];
        struct swi_text grouped = {0};
        grouped_name(&grouped, name);
        entry_add(plane, 4, xplane_name((uint32_t)i), name->text, name->size);
        entry_add(plane, 4, xplane_name((uint32_t)i) + 1, grouped.data ? grouped.data : "",
                  grouped.size);
        swi_text_free(&grouped);
    }
    for (uint64_t i = 1; i < SWI_XSTATS; i++)
        entry_add(plane, 5, i, stats[i], strlen(stats[i]));
    uses_name(plane, t);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A line: the events of a thread, or the values of counters. */
struct xline {
    struct swi_text head; /* what comes before its events */
    struct swi_spool *events;
};

static struct xline line_make(uint64_t number, const char *name, struct swi_spool *events)
{
    struct xline line = {.events = events};
    swi_wire_add_number(&line.head, 1, number);
    swi_wire_add_text(&line.head, 2, name, strlen(name));
    swi_wire_add_number(&line.head, 3, 0);
    return line;
}

/* Line i, from 0: those of the threads, then that of the counters. */
static struct xline line_at(const struct swi_timeline *t, size_t i)
{
    char name[SWI_TRACK_NAME];
    struct xplane *x = t->state;
    if (i == t->track_count)
        return line_make(i + 1, COUNTER_LINE, &x->values);
    struct swi_track *track = t->track[i];
    return line_make((uint64_t)track->number + 1, swi_track_name(track, name), &track->spool);
}

static size_t line_count(const struct swi_timeline *t)
{
    const struct xplane *x = t->state;
    return t->track_count + (swi_spool_size(&x->values) > 0);
}

static uint64_t line_size(const struct xline *line)
{
    return line->head.size + (uint64_t)swi_spool_size(line->events);
}

/* With its head, in bytes. */
static uint64_t lines_size(const struct swi_timeline *t)
{
    uint64_t size = 0;
    for (size_t i = 0; i < line_count(t); i++) {
        struct xline line = line_at(t, i);
        size += 1 + swi_wire_size(line_size(&line)) + line_size(&line);
        swi_text_free(&line.head);
    }
    return size;
}

static void lines_write(struct swi_timeline *t)
{
    for (size_t i = 0; i < line_count(t); i++) {
        char head[SWI_WIRE_FIELD];
        struct xline line = line_at(t, i);
        t->failed |= line.head.failed;
        const char *end = swi_wire_head(head, 3, line_size(&line));
        swi_timeline_take(t, head, (size_t)(end - head));
        swi_timeline_take(t, line.head.data ? line.head.data : "", line.head.size);
        swi_text_free(&line.head);
        if (!swi_spool_read(line.events, swi_timeline_take, t))
            t->failed = true;
    }
}

/* The page counts and merges hosts by their names, and ranks may share a machine. */
static void host_write(struct swi_timeline *t, const struct swi_timeline_process *process)
{
    char rank[32];
    snprintf(rank, sizeof rank, "rank%" PRId64, process->rank);
    const char *name = process->world_size == 1 ? process->host : rank;
    swi_wire_add_text(&t->out, 4, name, strlen(name));
}

/* Writes the whole file. */
static void xplane_finish(struct swi_timeline *t)
{
    struct swi_text plane = {0};
    char head[SWI_WIRE_FIELD];
    if (!t->state)
        return;
    swi_wire_add_number(&plane, 1, 1);
    swi_wire_add_text(&plane, 2, "/host:CPU", 9);
    metadata_add(&plane, t);
    const char *end = swi_wire_head(head, 1, plane.size + lines_size(t));
    swi_timeline_take(t, head, (size_t)(end - head));
    swi_timeline_take(t, plane.data ? plane.data : "", plane.size);
    t->failed |= plane.failed;
    swi_text_free(&plane);
    lines_write(t);
    if (t->process_count)
        host_write(t, t->process[0]);
}

/* ---- the format of the Profile page of TensorBoard ------------------------------------------- */

static void start(struct swi_timeline *t)
{
    t->state = calloc(1, sizeof(struct xplane));
    t->failed |= !t->state;
}

static char *stat_put(char *at, uint64_t stat, int64_t value)
{
    char inner[2 * SWI_WIRE_FIELD];
    char *end = swi_wire_number(inner, 1, stat);
    end = swi_wire_number(end, 4, (uint64_t)value);
    return swi_wire_bytes(at, 4, inner, (size_t)(end - inner));
}

static char *text_stat_put(char *at, uint64_t stat, const char *text)
{
    char inner[96];
    char *end = swi_wire_number(inner, 1, stat);
    end = swi_wire_bytes(end, 5, text, strlen(text));
    return swi_wire_bytes(at, 4, inner, (size_t)(end - inner));
}

static char *event_begin(char *at, uint64_t metadata, int64_t begin_ns, int64_t end_ns)
{
    at = swi_wire_number(at, 1, metadata);
    at = swi_wire_number(at, 2, (uint64_t)(begin_ns < 0 ? 0 : begin_ns) * 1000);
    return swi_wire_number(at, 3, (uint64_t)(end_ns - begin_ns) * 1000);
}

static void event_spool(struct swi_timeline *t, struct swi_spool *spool, const char *event,
                        const char *end)
{
    char head[SWI_WIRE_FIELD];
    size_t size = (size_t)(end - event);
    int64_t before = swi_spool_size(spool);
    const char *head_end = swi_wire_head(head, 4, size);
    swi_text_add(&spool->text, head, (size_t)(head_end - head));
    swi_text_add(&spool->text, event, size);
    t->spooled += swi_spool_size(spool) - before;
    swi_spool_spill(spool);
    if (!spool->failed)
        return;
    t->failed = true;
    t->error = spool->error;
}

static void event_add(struct swi_timeline *t, struct swi_track *track, const char *event,
                      const char *end)
{
    event_spool(t, &track->spool, event, end);
}

static void shape_put(struct swi_text *event, const struct swi_timeline_name *shape)
{
    struct swi_text stat = {0};
    swi_wire_add_number(&stat, 1, SWI_XSTAT_SHAPE);
    swi_wire_add_text(&stat, 5, shape->text, shape->size);
    swi_wire_add_message(event, 4, &stat);
}

/* Remembers that the name of a counter is needed at the end. Returns false if out of memory. */
static bool use_name(struct xplane *x, uint32_t name)
{
    if (!swi_vec_reach(&x->is_used, name, &x->room, 1))
        return false;
    x->is_used[name] = 1;
    return true;
}

static void uses_put(struct swi_timeline *t, struct swi_text *event, const struct swi_uses *uses)
{
    for (size_t i = 0; i < uses->found; i++) {
        char stat[4 * SWI_WIRE_FIELD];
        const struct swi_region_use *use = &uses->use[i];
        const char *end = stat_put(stat, SWI_XSTATS + (uint64_t)use->name, use->value);
        t->failed |= !use_name(t->state, use->name);
        swi_text_add(event, stat, (size_t)(end - stat));
    }
}

/* Adds an event of a region with a shape or counters. */
static SWI_RARE void more_add(struct swi_timeline *t, struct swi_track *track,
                              const struct swi_interval *interval, const char *event,
                              const char *end)
{
    struct swi_text all = {0};
    swi_text_add(&all, event, (size_t)(end - event));
    if (interval->shape)
        shape_put(&all, &t->names.item[interval->shape - 1]);
    if (interval->uses)
        uses_put(t, &all, interval->uses);
    if (all.data)
        event_add(t, track, all.data, all.data + all.size);
    t->failed |= all.failed;
    swi_text_free(&all);
}

static void end(struct swi_timeline *t, struct swi_track *track, struct swi_interval *interval)
{
    char event[320], *at;
    bool grouped = interval->group >= 0 && !interval->cancelled; /* its step does not exist */
    at = event_begin(event, xplane_name(interval->name) + grouped, interval->begin_ns,
                     interval->end_ns);
    if (grouped)
        at = stat_put(at, SWI_XSTAT_GROUP, interval->group);
    if (interval->step >= 0)
        at = stat_put(at, SWI_XSTAT_STEP, interval->step);
    if (interval->samples >= 0)
        at = stat_put(at, SWI_XSTAT_SAMPLES, interval->samples);
    if (interval->epoch >= 0)
        at = stat_put(at, SWI_XSTAT_EPOCH, interval->epoch);
    if (interval->cancelled)
        at = stat_put(at, SWI_XSTAT_CANCELLED, 1);
    if (interval->cut)
        at = stat_put(at, SWI_XSTAT_CUT, 1);
    if (interval->shape || interval->uses)
        more_add(t, track, interval, event, at);
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
    at = event_begin(event, train ? SWI_XNAME_TRAIN_STEP : SWI_XNAME_VALID_STEP, step->begin_ns,
                     step->end_ns);
    at = stat_put(at, SWI_XSTAT_R, 1);
    at = stat_put(at, SWI_XSTAT_STEP_NUM, step->number);
    at = stat_put(at, SWI_XSTAT_GROUP, step->group);
    at = text_stat_put(at, SWI_XSTAT_STEP_NAME, name);
    event_add(t, track, event, at);
}

static void instant(struct swi_timeline *t, struct swi_timeline_process *process,
                    struct swi_track *track, int64_t time_ns, const char *text, const char *key,
                    const char *value)
{
    char event[64];
    uint32_t name = swi_name_number(t, text, strlen(text));
    (void)process;
    (void)key;
    (void)value;
    if (track && !t->failed)
        event_add(t, track, event, event_begin(event, xplane_name(name), time_ns, time_ns));
}

static void counter(struct swi_timeline *t, struct swi_timeline_process *process, int64_t time_ns,
                    uint32_t name, double value)
{
    char event[8 * SWI_WIRE_FIELD], stat[2 * SWI_WIRE_FIELD];
    struct xplane *x = t->state;
    (void)process;
    char *at = event_begin(event, xplane_name(name), time_ns, time_ns);
    char *stat_end = swi_wire_double(swi_wire_number(stat, 1, SWI_XSTAT_VALUE), 2, value);
    at = swi_wire_bytes(at, 4, stat, (size_t)(stat_end - stat));
    event_spool(t, &x->values, event, at);
}

static void xplane_free(struct swi_timeline *t)
{
    struct xplane *x = t->state;
    if (!x)
        return;
    swi_spool_free(&x->values);
    free(x->is_used);
    free(x);
    t->state = NULL;
}

const struct swi_timeline_format swi_timeline_xplane = {
    .name = "xplane",
    .extension = ".xplane.pb",
    .whole = true,
    .one_process = true,
    .start = start,
    .end = end,
    .step = step,
    .counter = counter,
    .instant = instant,
    .finish = xplane_finish,
    .free = xplane_free,
};
