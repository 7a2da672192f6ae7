/* SPDX-License-Identifier: MIT */
/* timeline_output.h - the output of a timeline and its limits: what still fits, so that everything
 * that is open can always be ended. */
#ifndef SINKS_COMMON_TRACE_FORMATS_TIMELINE_OUTPUT_H
#define SINKS_COMMON_TRACE_FORMATS_TIMELINE_OUTPUT_H

#include "sinks/common/trace_formats/timeline_state.h"

#include <stddef.h>

enum {
    SWI_END_BYTES = 224,     /* the most bytes for the end of a region or span, without its name */
    SWI_CLOSING_BYTES = 512, /* the end of the file, and the note that it is full */
    /* Bytes that are buffered before they are written: few large writes cost the least. */
    SWI_DRAIN = 1 << 18
};

/* Returns the size that the file would have if it ended now. */
static inline int64_t swi_timeline_size(const struct swi_timeline *t)
{
    return t->written + (int64_t)t->out.size + t->spooled + t->reserved + SWI_CLOSING_BYTES;
}

/* Returns the most bytes that the end of a span may need. */
static inline int64_t swi_end_bytes(const struct swi_timeline *t, uint32_t name)
{
    return SWI_END_BYTES + (int64_t)t->names.item[name].json_size;
}

/* Returns whether there is no room for one more region. From then on, there is none. */
static inline bool swi_is_full(struct swi_timeline *t, uint32_t name)
{
    if (t->full)
        return true;
    bool many = t->max_events && t->events >= t->max_events;
    bool large = t->max_size && swi_timeline_size(t) + 2 * swi_end_bytes(t, name) > t->max_size;
    t->full = many || large;
    return t->full;
}

/* Returns whether there is room for this many bytes in addition to those that open regions need. */
bool swi_has_room(const struct swi_timeline *t, size_t size);

/* Writes what is buffered, which ends with a line or a packet. */
void swi_timeline_drain(struct swi_timeline *t);

/* Adds data, and writes what is buffered if it is much. arg: the timeline. Returns false if
 * writing failed. */
bool swi_timeline_take(void *arg, const char *data, size_t size);

/* Writes what is buffered if it is enough. */
static inline void swi_drain_if_much(struct swi_timeline *t)
{
    if (t->out.size >= SWI_DRAIN)
        swi_timeline_drain(t);
}

/* How much of what a timeline has buffered can be written so that the file ends with a whole line
 * or packet. Needed where a full disk has no room for all of it. */

/* Returns the size of the lines that end with a comma at the start of data, up to `most` bytes, or
 * of the first one if it is longer. 0: there is none. */
size_t swi_part_of_lines(const char *data, size_t size, size_t most);

/* Does the same for packets of Perfetto. */
size_t swi_part_of_packets(const char *data, size_t size, size_t most);

/* ---- bytes that a format can only write at the end ------------------------------------------- */

/* Moves the text to the file if it is long. */
void swi_spool_spill(struct swi_spool *spool);

/* Returns how many bytes were added in total. */
int64_t swi_spool_size(const struct swi_spool *spool);

/* Passes everything, in order, to `take` in pieces. Returns false if it cannot be read again or
 * take returned false. */
bool swi_spool_read(struct swi_spool *spool, bool (*take)(void *arg, const char *data, size_t size),
                    void *arg);

void swi_spool_free(struct swi_spool *spool);

#endif
