/* SPDX-License-Identifier: MIT */
/* report.h - makes reports from the rows of all threads. Under the fold lock. */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

#include "core/report/counter_columns.h"
#include "core/report/fit_findings.h"
#include "core/report/report_snapshot.h"

/* Returns the report of everything measured up to a tick, up to which all is folded; complete: of
 * the fit that ends there. NULL if out of memory. */
struct sw_report *swi_report_at(struct swi_reports *reports, int64_t now, bool complete);

/* The report of a fit is returned to all callers until the next fit has begun: keeps a reference.
 */
void swi_last_report_set(struct swi_reports *reports, struct sw_report *report);

/* Returns the report of everything measured so far: of the open fit, or of the last fit and what
 * its thread has measured since. If there was no fit, it is the report of all own actions. Returns
 * NULL if out of memory. */
struct sw_report *swi_report_now(struct swi_reports *reports, int64_t now);

/* Returns whether something was measured that is not in a report yet. */
bool swi_report_due(struct swi_measured *measured);

/* ---- its memory (shared_report.c) ------------------------------------------------------------ */

/* A report has a reference count: it never changes, so that of a finished
 * fit is shared. */

struct swi_shared_report {
    struct sw_report report;
    atomic_int references;
    struct swi_counter_columns columns;
    struct swi_findings *findings; /* whose finding[] the report has; may be NULL */
    size_t row_room;               /* how many rows the memory of rows and of shaped rows holds */
};

/* Every report of the library is in one of these. */
static inline struct swi_shared_report *swi_report_shared(const struct sw_report *report)
{
    return (struct swi_shared_report *)report;
}

/* Returns row i of the rows of a report, or of those by shape. */
static inline struct sw_report_row *swi_report_row_of(const struct sw_report *report,
                                                      const struct sw_report_row *rows, size_t i)
{
    return (struct sw_report_row *)sw_element_(rows, report->row_size, i);
}

/* Returns a report that is empty but has room for rows; NULL if out of memory.
 * like: has the counters that this one is to have, too; NULL: those that there are by now. */
struct sw_report *swi_report_new(const struct swi_measured *measured, size_t rows,
                                 const struct sw_report *like);

/* Returns another reference to a report; sw_report_free() drops it. */
struct sw_report *swi_report_ref(struct sw_report *report);

/* Returns how many bytes of memory a report takes. */
size_t swi_report_bytes(const struct sw_report *report);

/* Copies the rows of another report with the same counters, and their distributions. Returns false
 * if out of memory. */
bool swi_report_rows_copy(const struct sw_report *report, const struct sw_report_row *rows,
                          const struct sw_report *from, const struct sw_report_row *from_rows,
                          size_t count);

/* Copies a report that the library has not made, with everything that it points to. Its columns and
 * the order of its counters are those of the profiler. Returns NULL if out of memory. */
struct sw_report *swi_report_copy(const struct swi_measured *measured,
                                  const struct sw_report *from);

#endif
