/* SPDX-License-Identifier: MIT */
/* report_row.h - makes a row of the report from what all threads have measured for it. */
#ifndef CORE_REPORT_REPORT_ROW_H
#define CORE_REPORT_REPORT_ROW_H

#include "core/report/row_reader.h"

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
