/* SPDX-License-Identifier: MIT */
/* row_sources.h - what a row of the report is made of: what all threads have measured for it, and
 * how its values follow from that. */
#ifndef CORE_REPORT_ROW_SOURCES_H
#define CORE_REPORT_ROW_SOURCES_H

#include "core/report/counter_columns.h"
#include "core/report/report_snapshot.h"

/* The rows of one thread, one by one. Under the fold lock. */
struct swi_row_reader {
    struct swi_thread *thread;
    enum sw_phase shown; /* the phase that its rows of SW_PHASE_THREADS are shown as */
    size_t rows;
    const struct swi_row **row;  /* by its number */
    int64_t regions[SWI_STRATA]; /* counted so far; the code that reads the rows adds them up */
};

/* The sum of several rows: those of several threads, or of several shapes of an action, make one
 * row of the report. Zero-initialised, it is empty. */
struct swi_row_sum {
    int64_t count, sum, self, min, max;
    swi_u128 squares;
    int64_t first[SW_DISTRIBUTION_KEPT];
    int64_t rate_count;
    double rate_origin, rate_sum, rate_squares, rate_min, rate_max;
    double rate_first[SW_DISTRIBUTION_KEPT];
};

/* A row of the report while it is made: the same phase and action on all threads. */
struct swi_gathered {
    enum sw_phase phase;
    int action;
    int shaped; /* as in struct swi_source */
    struct swi_row_sum sum;
    int64_t inner; /* ticks of calls inside a call of the same row */
    int64_t first_use;
    struct swi_bins durations;
    struct swi_bins rates;
    size_t uses; /* of counters */
    struct swi_use use[SWI_SLOTS];
};

/* Returns the name of a phase, as reports have it. */
const char *swi_phase_name(enum sw_phase phase);

/* ---- the values of a row (columns.c) --------------------------------------------------------- */

/* Makes a row, without its counters. Returns false if out of memory. */
bool swi_report_row(struct sw_report_row *row, const struct swi_gathered *g, double ns_per_tick,
                    double fit_ns);

/* Makes the row fit/fit of one that was made. It represents the whole fit, even while that runs,
 * so it has no mean. Returns false if out of memory. */
bool swi_report_row_of_fit(struct sw_report_row *row, double fit_ns);

/* Gives a copied row's distribution bins and values of its own. Returns false if out of memory. */
bool swi_made_distribution_copy(struct sw_distribution *d);

/* ---- what a report is made from (row_sources.c) ---------------------------------------------- */

/* What a report is made from: its threads, the order of its rows, and which rows of threads each
 * of them is made from. */

/* ---- what a report is made of ---------------------------------------------------------------- */

/* A row of a thread, and its place in the report. */
struct swi_source {
    uint32_t order; /* phase, and place in it */
    int shaped;     /* handle of an action with a shape; 0: none, or shapes are merged */
    uint32_t index; /* of all rows of all views; SWI_NOBODYS: the row is there in any case */
};
#define SWI_NOBODYS UINT32_MAX

/* Rows are made one by one, so that 10,000 actions need little memory. */
struct swi_report_input {
    const struct swi_reports *reports;
    const struct swi_snapshot *snapshot;
    size_t count;
    struct swi_row_reader *view;
    size_t sources;
    struct swi_source *source;
    struct swi_gathered row;
    double inside, between; /* between: ticks of containers less what is inside them */
    bool by_shape; /* the rows are made a second time, one for each shape, so the sums are known */
    double own_ticks;                    /* cost of stepwatch's calls */
    int64_t unbinned;                    /* values in no histogram, for lack of memory */
    int64_t missed;                      /* uses of counters that are not known */
    bool full;                           /* a sum of a counter is more than an int64_t holds */
    struct swi_counter_columns *columns; /* of the report */
    bool failed;                         /* out of memory: an incomplete report is not returned */
};

/* Begins to read the rows of all threads. */
void swi_report_input_read(struct swi_report_input *making);
/* Adds the rows of one thread, for whose view there is room. shown: as in struct swi_row_reader. */
void swi_report_input_add(struct swi_report_input *making, struct swi_thread *thread,
                          enum sw_phase shown);
void swi_report_input_fini(struct swi_report_input *making);

/* ---- sources of rows ------------------------------------------------------------------------- */

/* Lists all rows of all threads in the order of the report. standard: also the rows that every
 * report has. */
void swi_row_sources_list(struct swi_report_input *making, bool standard);

/* Lists them again, with a row for each shape of an action. Returns false if no action had a
 * shape. */
bool swi_row_sources_by_shape(struct swi_report_input *making, bool standard);

/* Returns how many sources from number i on belong to the same row of the report. */
size_t swi_row_sources_of_row(const struct swi_report_input *making, size_t i);

/* Returns how many rows the report has at most. */
size_t swi_row_sources_rows(const struct swi_report_input *making);

/* ---- what all threads have measured for a row ------------------------------------------------ */

/* Gathers a row from `count` sources. Returns false if the row is empty and may be left out. */
bool swi_row_totals(struct swi_report_input *making, const struct swi_source *source, size_t count);

/* Adds what one source has measured (columns.c). */
void swi_row_gather(struct swi_report_input *making, const struct swi_source *source);

/* Adds up what stepwatch's own calls cost, after all rows are gathered. A thread that is not in the
 * report may have the cost of another fit. */
void swi_row_totals_own_ticks(struct swi_report_input *making);

#endif
