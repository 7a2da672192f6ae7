/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/xplane_file.h"

#include "sinks/common/trace_formats/size_limit.h"
#include "sinks/common/trace_formats/protobuf_text.h"
#include "sinks/common/trace_formats/spool.h"

#include <stdlib.h>
#include <string.h>

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
    swi_pb_add_number(&value, 1, number);
    swi_pb_add_text(&value, 2, name, size);
    swi_pb_add_number(&entry, 1, number);
    swi_pb_add_message(&entry, 2, &value);
    swi_pb_add_message(plane, field, &entry);
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

/* The page knows some stats by their names, which a counter may have as well. */
static void uses_name(struct swi_text *plane, const struct swi_timeline *t)
{
    const struct swi_xplane *x = t->state;
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
        entry_add(plane, 4, swi_xplane_name((uint32_t)i), name->text, name->size);
        entry_add(plane, 4, swi_xplane_name((uint32_t)i) + 1, grouped.data ? grouped.data : "",
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
    swi_pb_add_number(&line.head, 1, number);
    swi_pb_add_text(&line.head, 2, name, strlen(name));
    swi_pb_add_number(&line.head, 3, 0);
    return line;
}

/* Line i, from 0: those of the threads, then that of the counters. */
static struct xline line_at(const struct swi_timeline *t, size_t i)
{
    char name[32] = "loop";
    struct swi_xplane *x = t->state;
    if (i == t->track_count)
        return line_make(i + 1, COUNTER_LINE, &x->values);
    struct swi_track *track = t->track[i];
    if (!track->is_loop)
        snprintf(name, sizeof name, "thread %d", track->thread);
    return line_make((uint64_t)track->number + 1, name, &track->spool);
}

static size_t line_count(const struct swi_timeline *t)
{
    const struct swi_xplane *x = t->state;
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
        size += 1 + swi_pb_size(line_size(&line)) + line_size(&line);
        swi_text_free(&line.head);
    }
    return size;
}

static void lines_write(struct swi_timeline *t)
{
    for (size_t i = 0; i < line_count(t); i++) {
        char head[SWI_PB_FIELD];
        struct xline line = line_at(t, i);
        t->failed |= line.head.failed;
        const char *end = swi_pb_head(head, 3, line_size(&line));
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
    swi_pb_add_text(&t->out, 4, name, strlen(name));
}

void swi_xplane_finish(struct swi_timeline *t)
{
    struct swi_text plane = {0};
    char head[SWI_PB_FIELD];
    if (!t->state)
        return;
    swi_pb_add_number(&plane, 1, 1);
    swi_pb_add_text(&plane, 2, "/host:CPU", 9);
    metadata_add(&plane, t);
    const char *end = swi_pb_head(head, 1, plane.size + lines_size(t));
    swi_timeline_take(t, head, (size_t)(end - head));
    swi_timeline_take(t, plane.data ? plane.data : "", plane.size);
    t->failed |= plane.failed;
    swi_text_free(&plane);
    lines_write(t);
    if (t->process_count)
        host_write(t, t->process[0]);
}
