/* SPDX-License-Identifier: MIT */
/* report.h - makes reports from the rows of all threads. */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

#include "core/report/moment.h"

/* Return the report of everything measured so far, or of a moment; NULL if out of memory. */
struct sw_report *swi_report_make(struct swi_reports *reports);
struct sw_report *swi_report_of(struct swi_reports *reports, struct swi_moment *moment);

/* Returns the report of the last fit with what its thread has measured since. Takes over `last`.
 * Returns NULL if out of memory. */
struct sw_report *swi_report_amend(struct swi_reports *reports, struct sw_report *last);

/* Returns another reference to a report; sw_report_free() drops it. */
struct sw_report *swi_report_ref(struct sw_report *report);

/* Returns whether something was measured that is not in a report yet. */
bool swi_report_due(struct swi_measured *measured);

/* Returns how many bytes of memory a report takes. */
size_t swi_report_bytes(const struct sw_report *report);

#endif
