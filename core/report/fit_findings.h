/* SPDX-License-Identifier: MIT */
/* fit_findings.h - the findings of a fit, for its report. */
#ifndef CORE_REPORT_FIT_FINDINGS_H
#define CORE_REPORT_FIT_FINDINGS_H

#include "core/report/moment.h"

#include <stepwatch/ranks.h>
#include <stepwatch/report.h>

/* Never changes once it is made, so reports share it. */
struct swi_findings;

/* Judges the fit of a report, which is complete but for its findings, and puts them into it. NULL
 * if there is nothing to judge, or no memory; then the report has none. replayed: the process is
 * not the one that was measured. */
struct swi_findings *swi_findings_make(struct sw_report *report, const struct swi_moment *moment,
                                       const struct swi_newest_steps *newest, bool replayed,
                                       bool own_clock);

/* The straggler of a report of all ranks as a finding, or nothing. Puts it into the report. NULL
 * without memory. */
struct swi_findings *swi_findings_of_ranks(struct sw_ranks *ranks);

/* findings may be NULL. */
struct swi_findings *swi_findings_ref(struct swi_findings *findings);
void swi_findings_unref(struct swi_findings *findings);

#endif
