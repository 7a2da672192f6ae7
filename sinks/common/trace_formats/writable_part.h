/* SPDX-License-Identifier: MIT */
/* writable_part.h - how much of what a timeline has buffered can be written so that the file ends
 * with a whole line or packet. Needed where a full disk has no room for all of it. */
#ifndef SINKS_COMMON_TRACE_FORMATS_WRITABLE_PART_H
#define SINKS_COMMON_TRACE_FORMATS_WRITABLE_PART_H

#include <stddef.h>

/* Returns the size of the lines that end with a comma at the start of data, up to `most` bytes, or
 * of the first one if it is longer. 0: there is none. */
size_t swi_part_of_lines(const char *data, size_t size, size_t most);

/* Does the same for packets of Perfetto. */
size_t swi_part_of_packets(const char *data, size_t size, size_t most);

#endif
