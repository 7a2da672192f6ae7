/* SPDX-License-Identifier: MIT */
/* report.h - makes reports of the rows of all threads. */
#ifndef CORE_REPORT_REPORT_H
#define CORE_REPORT_REPORT_H

#include "core/report/moment.h"

/* Returns the report of what is measured now, or of a moment; NULL without memory. */
struct sw_report *swi_report_make(struct swi_reports *reports);
struct sw_report *swi_report_of(struct swi_reports *reports, struct swi_moment *moment);

/* Returns the report of the last fit with what its thread has measured since; takes over `last`.
 * NULL without memory. */
struct sw_report *swi_report_amend(struct swi_reports *reports, struct sw_report *last);

/* Returns another reference to a report; sw_report_free() drops it. */
struct sw_report *swi_report_ref(struct sw_report *report);

/* Whether something was measured that is in no report yet. */
bool swi_report_due(struct swi_measured *measured);

/* Bytes of memory that a report takes. */
size_t swi_report_bytes(const struct sw_report *report);

#endif
