/* SPDX-License-Identifier: MIT */
/* view.h - reads the rows of one thread one by one, as they are or as they were at a moment.
 *
 * Rows as they are come from a copy of all of them (snapshot.h), or, where that would take much
 * memory, from the rows themselves: then the reader finds at the end whether they changed
 * meanwhile. Of a moment each row is taken by itself: it is as it was then, or was kept. */
#ifndef CORE_REPORT_VIEW_H
#define CORE_REPORT_VIEW_H

#include "core/report/moment.h"
#include "core/report/snapshot.h"

enum swi_view_from {
    SWI_VIEW_COPY, /* the rows were copied, all at once */
    SWI_VIEW_LIVE, /* they are read, and must not change before the last was */
    SWI_VIEW_KEPT  /* each is read, or what was kept of it */
};

struct swi_view {
    struct swi_thread *thread;
    enum swi_view_from from;
    uint64_t number, since; /* of the moment */
    enum sw_phase shown;    /* what its rows `threads` are shown as */
    size_t rows;            /* by their numbers: */
    const struct swi_row **row;
    const void **place;           /* of each in the copy, or kept; may be NULL */
    struct swi_snapshot snapshot; /* FROM_COPY: with the rows; FROM_LIVE: without */
    uint64_t traced;              /* events of its trace that are as old */
    bool torn;
    int64_t regions[SWI_STRATA]; /* that were counted; whoever reads the rows counts */
};

/* What is known of one row. The octaves are borrowed until the next call. */
struct swi_view_row {
    struct swi_row_copy copy;
    const struct swi_octave_copy *durations, *rates;
    size_t duration_count, rate_count;
    struct swi_octave_copy *room; /* own; to be freed at last */
    size_t rooms;
};

/* Begins to read. large: from the rows themselves, where there are many. False without memory;
 * swi_view_fini() in any case. */
bool swi_view_init(struct swi_view *view, struct swi_thread *thread,
                   const struct swi_moment *moment, bool large);
void swi_view_fini(struct swi_view *view);

/* Whether there may be something to be read of row number i. */
bool swi_view_has(const struct swi_view *view, size_t i);

/* Reads row number i. False without memory. */
bool swi_view_get(const struct swi_view *view, size_t i, struct swi_view_row *row);

/* The regions that ended and are not in row number i, or not all of it; sets how many. */
const struct swi_snapshot_ended *swi_view_ended(const struct swi_view *view, size_t i,
                                                size_t *count);

/* After the last row: whether all of it belongs together. */
bool swi_view_holds(const struct swi_view *view);

#endif
