/* SPDX-License-Identifier: MIT */
/* counter_uses.h - what the regions of a thread used of its counters, computed from the increase of
 * each counter between two events of the thread. */
#ifndef SINKS_COMMON_TRACE_FORMATS_COUNTER_USES_H
#define SINKS_COMMON_TRACE_FORMATS_COUNTER_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SWI_USES_MOST = 80 };

/* What a region used of a counter. */
struct swi_region_use {
    uint32_t name; /* of the counter */
    int64_t value;
};

/* The counters of a thread. Made at the first use. */
struct swi_uses {
    size_t count;
    struct swi_counted {
        uint32_t name;
        bool is_peak;
        bool any;      /* a peak: it came with the event that is taken next */
        int64_t value; /* the sum of all increases; of a peak, the value itself */
    } counter[SWI_USES_MOST];
    size_t depth; /* rows of start */
    struct swi_use_start {
        int64_t value[SWI_USES_MOST];
        bool lost[SWI_USES_MOST];
    } * start; /* by depth */
    size_t found;
    struct swi_region_use use[SWI_USES_MOST]; /* of the region that ends now */
};

/* Adds to a counter. known: false if it could not be read; then no open region has it. depth: the
 * number of open regions. */
void swi_uses_add(struct swi_uses *uses, uint32_t name, bool is_peak, bool known, int64_t value,
                  size_t depth);

/* A region begins at this depth, from 0. Returns false if out of memory. */
bool swi_uses_begin(struct swi_uses *uses, size_t depth);

/* The region at this depth ends: sets `use` and `found`, without the counters that did not change.
 */
void swi_uses_end(struct swi_uses *uses, size_t depth);

/* Returns the sum of all increases of a counter. */
int64_t swi_uses_value(const struct swi_uses *uses, uint32_t name);

void swi_uses_free(struct swi_uses *uses);

#endif
