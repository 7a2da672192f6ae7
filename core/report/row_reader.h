/* SPDX-License-Identifier: MIT */
/* row_reader.h - the rows of one thread, one by one. Under the fold lock. */
#ifndef CORE_REPORT_ROW_READER_H
#define CORE_REPORT_ROW_READER_H

#include "core/report/report_moment.h"

struct swi_row_reader {
    struct swi_thread *thread;
    enum sw_phase shown; /* the phase that its rows of SW_PHASE_THREADS are shown as */
    size_t rows;
    const struct swi_row **row;  /* by its number */
    int64_t regions[SWI_STRATA]; /* counted so far; the code that reads the rows adds them up */
};

/* One row that was read. The octaves are valid until the next call. */
struct swi_row_reader_row {
    struct swi_row_copy copy;
    struct swi_octave_copy *durations; /* owned; freed by the caller in the end */
    const struct swi_octave_copy *rates;
    size_t duration_count, rate_count, room;
    struct swi_use use[SWI_SLOTS]; /* of counters */
    size_t uses;
};

/* Begins to read. Returns false if out of memory. Call swi_row_reader_fini() also if it fails. */
bool swi_row_reader_init(struct swi_row_reader *view, struct swi_thread *thread);
void swi_row_reader_fini(struct swi_row_reader *view);

/* Returns whether row number i has any values. */
bool swi_row_reader_has(const struct swi_row_reader *view, size_t i);

/* Reads row number i. Returns false if out of memory. */
bool swi_row_reader_get(const struct swi_row_reader *view, size_t i,
                        struct swi_row_reader_row *row);

#endif
