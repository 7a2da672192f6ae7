/* SPDX-License-Identifier: MIT */
/* report_row.h - makes a row of the report from what all threads have measured for it. */
#ifndef CORE_REPORT_REPORT_ROW_H
#define CORE_REPORT_REPORT_ROW_H

#include "core/report/report_snapshot.h"

/* The rows of one thread, one by one. Under the fold lock. */
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

/* A row of the report while it is made: the same phase and action on all threads. */
struct swi_gathered {
    enum sw_phase phase;
    int action;
    int shaped; /* as in struct swi_source */
    struct swi_row_copy copy;
    int64_t inner; /* ticks of calls inside a call of the same row */
    int64_t first_use;
    struct swi_bins durations;
    struct swi_bins rates;
    size_t uses; /* of counters */
    struct swi_use use[SWI_SLOTS];
};

/* Returns the name of a phase, as reports have it. */
const char *swi_phase_name(enum sw_phase phase);

/* Makes a row, without its counters. Returns false if out of memory. */
bool swi_report_row(struct sw_report_row *row, const struct swi_gathered *g, double ns_per_tick,
                    double fit_ns);

/* Makes the row fit/fit of one that was made. It represents the whole fit, even while that runs,
 * so it has no mean. Returns false if out of memory. */
bool swi_report_row_of_fit(struct sw_report_row *row, double fit_ns);

/* Gives a copied row's distribution bins and values of its own. Returns false if out of memory. */
bool swi_made_distribution_copy(struct sw_distribution *d);

#endif
