/* SPDX-License-Identifier: MIT */

#include "sinks/common/trace_formats/json_event.h"
#include "sinks/common/trace_formats/tracks.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 24 }; /* of a number, a colon and a comma */

int64_t swi_region_use_add(struct swi_timeline *t, struct swi_track *track, const char *counter,
                           enum sw_counter_kind kind, int64_t value)
{
    if (!track->uses)
        track->uses = calloc(1, sizeof *track->uses);
    t->failed |= !track->uses;
    if (t->failed)
        return 0;
    uint32_t name = swi_name_number(t, counter, strlen(counter));
    swi_uses_add(track->uses, name, kind == SW_COUNTER_PEAK, value != SW_COUNTER_NONE, value,
                 track->depth);
    return swi_uses_value(track->uses, name);
}

/* Bytes of all counters that a thread has now. */
static size_t counters_size(const struct swi_timeline *t, const struct swi_uses *uses)
{
    size_t size = 0;
    for (size_t i = 0; i < uses->count; i++)
        size += t->names.item[uses->counter[i].name].json_size + VALUE_BYTES;
    return size;
}

void swi_region_uses_begin(struct swi_timeline *t, const struct swi_track *track,
                           struct swi_interval *interval)
{
    interval->uses_size = counters_size(t, track->uses);
    t->failed |= !swi_uses_begin(track->uses, track->depth);
}

void swi_region_uses_end(const struct swi_track *track, struct swi_interval *interval)
{
    if (interval->cut)
        return;
    swi_uses_end(track->uses, track->depth);
    interval->uses = track->uses->found ? track->uses : NULL;
}

size_t swi_region_uses_size(const struct swi_timeline *t, const struct swi_interval *interval)
{
    size_t size = 0;
    for (size_t i = 0; interval->uses && i < interval->uses->found; i++)
        size += t->names.item[interval->uses->use[i].name].json_size + VALUE_BYTES;
    return size;
}

char *swi_region_uses_put(const struct swi_timeline *t, char *at,
                          const struct swi_interval *interval)
{
    for (size_t i = 0; interval->uses && i < interval->uses->found; i++) {
        const struct swi_region_use *use = &interval->uses->use[i];
        const struct swi_timeline_name *name = &t->names.item[use->name];
        at = swi_event_put(at, name->json, name->json_size);
        *at++ = ':';
        if (use->value < 0)
            *at++ = '-';
        at = swi_digits_put(at, use->value < 0 ? -(uint64_t)use->value : (uint64_t)use->value);
        *at++ = ',';
    }
    return at;
}

/* ---- the shapes of their inputs -------------------------------------------------------------- */

void swi_timeline_shape(struct swi_timeline *t, int process, int thread, const char *shape)
{
    struct swi_track *track = swi_track_get(t, process, thread);
    if (!track || t->failed || !track->depth)
        return;
    struct swi_interval *interval = &track->frame[track->depth - 1];
    interval->shape = swi_name_number(t, shape, strlen(shape)) + 1;
    int64_t size = interval->skipped ? 0 : (int64_t)t->names.item[interval->shape - 1].json_size;
    interval->end_bytes += size;
    t->reserved += size;
}

static const char *blanks(const char *at)
{
    return at + strspn(at, " ");
}

/* Returns the end of a list of numbers and lists; NULL if there is none. */
static const char *list_end(const char *at, int depth)
{
    if (*at != '[' || depth > 8)
        return NULL;
    at = blanks(at + 1);
    while (at && *at != ']') {
        size_t digits = strspn(at + (*at == '-'), "0123456789");
        at = *at == '[' ? list_end(at, depth + 1) : digits ? at + (*at == '-') + digits : NULL;
        at = at ? blanks(at) : NULL;
        if (at && *at == ',' && *blanks(at + 1) != ']')
            at = blanks(at + 1);
        else if (at && *at != ']')
            return NULL;
    }
    return at ? at + 1 : NULL;
}

const char *swi_timeline_shape_json(const struct swi_timeline *t,
                                    const struct swi_interval *interval, size_t *size)
{
    if (!interval->shape)
        return NULL;
    const struct swi_timeline_name *name = &t->names.item[interval->shape - 1];
    const char *end = list_end(name->text, 0);
    bool list = end && *end == '\0';
    *size = list ? name->size : name->json_size;
    return list ? name->text : name->json;
}
