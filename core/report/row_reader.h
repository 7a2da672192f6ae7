/* SPDX-License-Identifier: MIT */
/* row_reader.h - reads the rows of one thread one by one, as they are now or as they were at a
 * moment.
 *
 * Current rows are read from a copy of all of them (snapshot.h). If the copy would take much
 * memory, the rows themselves are read, and the reader checks at the end that they did not change.
 * For a moment, each row is read by itself: from the row, if it has not changed since the moment,
 * or from the kept copy. */
#ifndef CORE_REPORT_ROW_READER_H
#define CORE_REPORT_ROW_READER_H

#include "core/report/report_moment.h"
#include "core/report/snapshot.h"

enum swi_row_reader_from {
    SWI_VIEW_COPY, /* the rows were copied all at once */
    SWI_VIEW_LIVE, /* the rows themselves are read; none may change before the last is read */
    SWI_VIEW_KEPT  /* each row is read, or its kept copy */
};

struct swi_row_reader {
    struct swi_thread *thread;
    enum swi_row_reader_from from;
    uint64_t number, since; /* of the moment */
    enum sw_phase shown;    /* the phase that its rows of SW_PHASE_THREADS are shown as */
    size_t rows; /* length of `row` and `place`, which are indexed by the number of a row */
    const struct swi_row **row;
    const void **place;           /* each row's place in the copy or among the kept; may be NULL */
    struct swi_snapshot snapshot; /* COPY: with the rows; LIVE: without them */
    uint64_t traced;              /* events in the thread's trace at that time */
    bool torn;
    int64_t regions[SWI_STRATA]; /* counted so far; the code that reads the rows adds them up */
};

/* One row that was read. The octaves are valid until the next call. */
struct swi_row_reader_row {
    struct swi_row_copy copy;
    const struct swi_octave_copy *durations, *rates;
    size_t duration_count, rate_count;
    struct swi_octave_copy *room; /* owned; freed by the caller in the end */
    size_t rooms;
    const struct swi_use *use; /* of counters; borrowed as well */
    size_t uses;
    struct swi_use own[SWI_SLOTS];
};

/* Begins to read. large: read the rows themselves if there are many. Returns false if out of
 * memory. Call swi_row_reader_fini() also if it fails. */
bool swi_row_reader_init(struct swi_row_reader *view, struct swi_thread *thread,
                         const struct swi_moment *moment, bool large);
void swi_row_reader_fini(struct swi_row_reader *view);

/* Returns whether row number i may have any values. */
bool swi_row_reader_has(const struct swi_row_reader *view, size_t i);

/* Reads row number i. Returns false if out of memory. */
bool swi_row_reader_get(const struct swi_row_reader *view, size_t i,
                        struct swi_row_reader_row *row);

/* Returns the ended regions that are not, or not completely, in row number i yet. Sets count to how
 * many they are. */
const struct swi_snapshot_ended *swi_row_reader_ended(const struct swi_row_reader *view, size_t i,
                                                      size_t *count);

/* Returns whether all rows were read as of the same time. Call it after the last row. */
bool swi_row_reader_holds(const struct swi_row_reader *view);

#endif
