/* SPDX-License-Identifier: MIT */
/* report.h - makes reports from the rows of all threads. Under the fold lock. */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

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

#endif
