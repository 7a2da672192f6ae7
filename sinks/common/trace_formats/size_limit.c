/* SPDX-License-Identifier: MIT */
#include "sinks/common/trace_formats/size_limit.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Returns the size of the first line, or 0. In an array, a line without a comma is the first or one
 * of the last. */
static size_t line_size(const char *data, size_t size)
{
    const char *comma = memmem(data, size, ",\n", 2);
    return comma ? (size_t)(comma + 2 - data) : 0;
}

/* Returns the size of the first packet with its head, or 0 if it is not whole. */
static size_t packet_size(const char *data, size_t size)
{
    uint64_t length = 0;
    size_t at = 1;
    bool more = true;
    for (unsigned shift = 0; more && at < size && shift < 35; shift += 7) {
        length |= (uint64_t)(data[at] & 0x7f) << shift;
        more = data[at++] & 0x80;
    }
    return more || length > size - at ? 0 : at + (size_t)length;
}

static size_t part_of(size_t (*first)(const char *data, size_t size), const char *data, size_t size,
                      size_t most)
{
    size_t part = 0, next;
    while ((next = first(data + part, size - part)) && (!part || part + next <= most))
        part += next;
    return part;
}

size_t swi_part_of_lines(const char *data, size_t size, size_t most)
{
    return part_of(line_size, data, size, most);
}

size_t swi_part_of_packets(const char *data, size_t size, size_t most)
{
    return part_of(packet_size, data, size, most);
}

/* ---- the output of a timeline and its limits ------------------------------------------------- */

void swi_timeline_drain(struct swi_timeline *t)
{
    if (t->out.failed)
        t->failed = true;
    if (t->out.size && !t->failed && !t->write(t->arg, t->out.data, t->out.size))
        t->failed = true;
    t->written += (int64_t)t->out.size;
    t->out.size = 0;
}

bool swi_has_room(const struct swi_timeline *t, size_t size)
{
    return !t->failed && !t->full &&
           (!t->max_size || swi_timeline_size(t) + (int64_t)size < t->max_size);
}

bool swi_timeline_take(void *arg, const char *data, size_t size)
{
    struct swi_timeline *t = arg;
    swi_text_add(&t->out, data, size);
    if (t->out.size > 1 << 16)
        swi_timeline_drain(t);
    return !t->failed;
}
