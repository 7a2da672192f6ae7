/* SPDX-License-Identifier: MIT */
/* xplane.c - the file of the Profile page of TensorBoard (XSpace). It is written at the end,
 * because a message begins with its length. Until then, the events of each thread are in a spool.
 * Times are in picoseconds from the file's origin: Unix times would overflow. */
#include "sinks/common/trace_formats/xplane.h"

#include "sinks/common/trace_formats/protobuf_text.h"
#include "sinks/common/trace_formats/xplane_file.h"

#include <stdlib.h>

static void start(struct swi_timeline *t)
{
    t->state = calloc(1, sizeof(struct swi_xplane));
    t->failed |= !t->state;
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

static char *event_begin(char *at, uint64_t metadata, int64_t begin_ns, int64_t end_ns)
{
    at = swi_pb_number(at, 1, metadata);
    at = swi_pb_number(at, 2, (uint64_t)(begin_ns < 0 ? 0 : begin_ns) * 1000);
    return swi_pb_number(at, 3, (uint64_t)(end_ns - begin_ns) * 1000);
}

static void event_spool(struct swi_timeline *t, struct swi_spool *spool, const char *event,
                        const char *end)
{
    char head[SWI_PB_FIELD];
    size_t size = (size_t)(end - event);
    int64_t before = swi_spool_size(spool);
    const char *head_end = swi_pb_head(head, 4, size);
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

/* Returns whether an event has the group of its step. Cancelled ones do not, because the step does
 * not exist. */
static bool has_group(const struct swi_interval *interval)
{
    return interval->group >= 0 && !interval->cancelled;
}

static void shape_put(struct swi_text *event, const struct swi_timeline_name *shape)
{
    struct swi_text stat = {0};
    swi_pb_add_number(&stat, 1, SWI_XSTAT_SHAPE);
    swi_pb_add_text(&stat, 5, shape->text, shape->size);
    swi_pb_add_message(event, 4, &stat);
    swi_text_free(&stat);
}

/* Remembers that the name of a counter is needed at the end. Returns false if out of memory. */
static bool use_name(struct swi_xplane *x, uint32_t name)
{
    if (name >= x->room) {
        size_t room = 2 * (size_t)name + 64;
        uint8_t *is_used = realloc(x->is_used, room);
        if (!is_used)
            return false;
        memset(is_used + x->room, 0, room - x->room);
        x->is_used = is_used;
        x->room = room;
    }
    x->is_used[name] = 1;
    return true;
}

static void uses_put(struct swi_timeline *t, struct swi_text *event, const struct swi_uses *uses)
{
    for (size_t i = 0; i < uses->found; i++) {
        char stat[4 * SWI_PB_FIELD];
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
    bool grouped = has_group(interval);
    at = event_begin(event, swi_xplane_name(interval->name) + grouped, interval->begin_ns,
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
    int32_t name = swi_timeline_name(&t->names, text, strlen(text));
    (void)process;
    (void)key;
    (void)value;
    if (track && name >= 0)
        event_add(t, track, event,
                  event_begin(event, swi_xplane_name((uint32_t)name), time_ns, time_ns));
}

static void counter(struct swi_timeline *t, struct swi_timeline_process *process, int64_t time_ns,
                    uint32_t name, double value)
{
    char event[8 * SWI_PB_FIELD], stat[2 * SWI_PB_FIELD];
    struct swi_xplane *x = t->state;
    (void)process;
    char *at = event_begin(event, swi_xplane_name(name), time_ns, time_ns);
    char *stat_end = swi_pb_double(swi_pb_number(stat, 1, SWI_XSTAT_VALUE), 2, value);
    at = swi_pb_bytes(at, 4, stat, (size_t)(stat_end - stat));
    event_spool(t, &x->values, event, at);
}

static void xplane_free(struct swi_timeline *t)
{
    struct swi_xplane *x = t->state;
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
    .finish = swi_xplane_finish,
    .free = xplane_free,
};
