/* SPDX-License-Identifier: MIT */
/* file_room.h - the output of a timeline and its limits: what still fits, so that everything that
 * is open can always be ended. */
#ifndef SINKS_COMMON_TIMELINE_FILE_ROOM_H
#define SINKS_COMMON_TIMELINE_FILE_ROOM_H

#include "sinks/common/timeline/timeline_state.h"

enum { SWI_END_BYTES = 224 }; /* the most bytes for the end of a region or span, without its name */

/* Returns the size that the file would have if it ended now. */
int64_t swi_timeline_size(const struct swi_timeline *t);

/* Returns the most bytes that the end of a span may need. */
int64_t swi_end_bytes(const struct swi_timeline *t, uint32_t name);

/* Returns the most bytes that the end of a region may need. */
int64_t swi_region_end_bytes(const struct swi_timeline *t, const struct swi_interval *interval);

/* Returns whether there is no room for one more region. From then on, there is none. */
bool swi_is_full(struct swi_timeline *t, uint32_t name);

/* Returns whether there is room for this many bytes in addition to those that open regions need. */
bool swi_has_room(const struct swi_timeline *t, size_t size);

/* Writes what is buffered, which ends with a line or a packet. */
void swi_timeline_drain(struct swi_timeline *t);

/* Does the same if enough is buffered. */
void swi_drain_if_much(struct swi_timeline *t);

#endif
