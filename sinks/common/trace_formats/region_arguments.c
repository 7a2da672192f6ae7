/* SPDX-License-Identifier: MIT */
#include "core/text/vec.h"
#include "sinks/common/trace_formats/json_event.h"
#include "sinks/common/trace_formats/tracks.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 24 }; /* of a number, a colon and a comma */

/* Returns NULL if there are too many. */
static struct swi_counted *counter_get(struct swi_uses *uses, uint32_t name, bool is_peak)
{
    for (size_t i = 0; i < uses->count; i++)
        if (uses->counter[i].name == name && uses->counter[i].is_peak == is_peak)
            return &uses->counter[i];
    if (uses->count == SWI_USES_MOST)
        return NULL;
    uses->counter[uses->count] = (struct swi_counted){.name = name, .is_peak = is_peak};
    return &uses->counter[uses->count++];
}

/* No open region has a counter that could not be read. */
static void lose(struct swi_uses *uses, const struct swi_counted *counter, size_t depth)
{
    for (size_t i = 0; i < depth && i < uses->depth; i++)
        uses->start[i].lost[counter - uses->counter] = true;
}

int64_t swi_region_use_add(struct swi_timeline *t, struct swi_track *track, const char *name,
                           enum sw_counter_kind kind, int64_t value)
{
    bool is_peak = kind == SW_COUNTER_PEAK;
    if (!track->uses)
        track->uses = calloc(1, sizeof *track->uses);
    t->failed |= !track->uses;
    struct swi_counted *counter =
        t->failed ? NULL
                  : counter_get(track->uses, swi_name_number(t, name, strlen(name)), is_peak);
    if (!counter)
        return 0;
    if (value != SW_COUNTER_NONE) {
        counter->any = true;
        counter->value = is_peak ? value : (int64_t)((uint64_t)counter->value + (uint64_t)value);
    } else if (!is_peak) {
        lose(track->uses, counter, track->depth);
    }
    return counter->value;
}

void swi_region_uses_begin(struct swi_timeline *t, const struct swi_track *track,
                           struct swi_interval *interval)
{
    struct swi_uses *uses = track->uses;
    if (!swi_vec_reach(&uses->start, track->depth, &uses->depth, sizeof *uses->start)) {
        t->failed = true;
        return;
    }
    struct swi_use_start *start = &uses->start[track->depth];
    memset(start, 0, sizeof *start);
    for (size_t i = 0; i < uses->count; i++) {
        start->value[i] = uses->counter[i].value;
        interval->uses_size += t->names.item[uses->counter[i].name].json_size + VALUE_BYTES;
    }
}

/* Counters that did not change are left out. */
void swi_region_uses_end(const struct swi_track *track, struct swi_interval *interval)
{
    static const struct swi_use_start nothing;
    struct swi_uses *uses = track->uses;
    const struct swi_use_start *start =
        track->depth < uses->depth ? &uses->start[track->depth] : &nothing;
    if (interval->cut)
        return;
    uses->found = 0;
    for (size_t i = 0; i < uses->count; i++) {
        struct swi_counted *counter = &uses->counter[i];
        int64_t use = counter->is_peak
                          ? counter->value
                          : (int64_t)((uint64_t)counter->value - (uint64_t)start->value[i]);
        bool has = counter->is_peak ? counter->any : use != 0 && !start->lost[i];
        if (has)
            uses->use[uses->found++] = (struct swi_region_use){counter->name, use};
        if (counter->is_peak)
            counter->any = false;
    }
    interval->uses = uses->found ? uses : NULL;
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
