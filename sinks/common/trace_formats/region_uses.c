/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/region_uses.h"

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
