/* SPDX-License-Identifier: MIT */
/* report.h - makes reports from the rows of all threads. */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

#include "core/report/report_moment.h"

/* Return the report of everything measured so far, or of a moment; NULL if out of memory. */
struct sw_report *swi_report_make(struct swi_reports *reports);
struct sw_report *swi_report_of(struct swi_reports *reports, struct swi_moment *moment);

/* Returns the report of the last fit with what its thread has measured since. Takes over `last`.
 * Returns NULL if out of memory. */
struct sw_report *swi_report_amend(struct swi_reports *reports, struct sw_report *last);

/* Returns whether something was measured that is not in a report yet. */
bool swi_report_due(struct swi_measured *measured);

#endif
