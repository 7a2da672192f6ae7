/* SPDX-License-Identifier: MIT */
/* span_table.h - the open spans of a timeline, by their process and id. */
#ifndef SINKS_COMMON_TRACE_FORMATS_SPAN_TABLE_H
#define SINKS_COMMON_TRACE_FORMATS_SPAN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
