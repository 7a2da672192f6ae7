/* SPDX-License-Identifier: MIT */
#include "sinks/common/timeline/file_room.h"

enum {
    DRAIN = 1 << 14,    /* bytes that are buffered before they are written */
    CLOSING_BYTES = 512 /* the end of the file, and the note that it is full */
};

int64_t swi_timeline_size(const struct swi_timeline *t)
{
    return t->written + (int64_t)t->out.size + t->spooled + t->reserved + CLOSING_BYTES;
}

int64_t swi_end_bytes(const struct swi_timeline *t, uint32_t name)
{
    return SWI_END_BYTES + (int64_t)t->names.item[name].json_size;
}

int64_t swi_region_end_bytes(const struct swi_timeline *t, const struct swi_interval *interval)
{
    int64_t shape = interval->shape ? (int64_t)t->names.item[interval->shape - 1].json_size : 0;
    return swi_end_bytes(t, interval->name) + (int64_t)interval->uses_size + shape;
}

bool swi_is_full(struct swi_timeline *t, uint32_t name)
{
    if (t->full)
        return true;
    bool many = t->max_events && t->events >= t->max_events;
    bool large = t->max_size && swi_timeline_size(t) + 2 * swi_end_bytes(t, name) > t->max_size;
    t->full = many || large;
    return t->full;
}

void swi_timeline_drain(struct swi_timeline *t)
{
    if (t->out.failed)
        t->failed = true;
    if (t->out.size && !t->failed && !t->write(t->arg, t->out.data, t->out.size))
        t->failed = true;
    t->written += (int64_t)t->out.size;
    t->out.size = 0;
}

void swi_drain_if_much(struct swi_timeline *t)
{
    if (t->out.size >= DRAIN)
        swi_timeline_drain(t);
}

bool swi_has_room(const struct swi_timeline *t, size_t size)
{
    return !t->failed && !t->full &&
           (!t->max_size || swi_timeline_size(t) + (int64_t)size < t->max_size);
}
