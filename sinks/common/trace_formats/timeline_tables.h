/* SPDX-License-Identifier: MIT */
/* timeline_tables.h - what a timeline knows of the counters of each thread, of the time that
 * regions cover, and of the open spans, by their process and id. */
#ifndef SINKS_COMMON_TRACE_FORMATS_TIMELINE_TABLES_H
#define SINKS_COMMON_TRACE_FORMATS_TIMELINE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- uses of counters ------------------------------------------------------------------------ */

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

/* ---- what regions cover ---------------------------------------------------------------------- */

struct swi_cover {
    int64_t begin_ns, end_ns;
};

/* Initialise it as {0}. */
struct swi_region_coverage {
    struct swi_cover *item; /* a ring once it has its largest size */
    size_t room;
    size_t count; /* all that were added */
};

/* Adds a region. Regions come in order and do not overlap. Those without a time inside are left
 * out. */
void swi_region_coverage_add(struct swi_region_coverage *coverage, int64_t begin_ns,
                             int64_t end_ns);
/* Returns the region that contains a time; NULL if there is none or it is too long ago. */
const struct swi_cover *swi_region_coverage_find(const struct swi_region_coverage *coverage,
                                                 int64_t time_ns);
void swi_region_coverage_free(struct swi_region_coverage *coverage);

/* ---- spans ----------------------------------------------------------------------------------- */

struct swi_track;

struct swi_begun_span {
    int64_t id;
    struct swi_track *track; /* where it began; NULL: a free place */
    size_t process;
    uint32_t name;
    int64_t begin_ns; /* of the file */
    bool written;     /* its begin is in the file */
    bool cut;         /* it began before what is recorded */
};

/* Initialise it as {0}. */
struct swi_span_table {
    struct swi_begun_span *item; /* `room` places */
    size_t room, count;
};

/* Adds a span. Returns false if out of memory. */
bool swi_span_table_put(struct swi_span_table *table, const struct swi_begun_span *span);

/* Removes a span and sets *span. Returns false if it is not open. */
bool swi_span_table_take(struct swi_span_table *table, size_t process, int64_t id,
                         struct swi_begun_span *span);

void swi_span_table_free(struct swi_span_table *table);

#endif
