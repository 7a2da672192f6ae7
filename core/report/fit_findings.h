/* SPDX-License-Identifier: MIT */
/* fit_findings.h - the findings of a fit, for its report. */
#ifndef CORE_REPORT_FIT_FINDINGS_H
#define CORE_REPORT_FIT_FINDINGS_H

#include "core/report/report_snapshot.h"

#include <stepwatch/ranks.h>
#include <stepwatch/report.h>

/* Never changes once it is made, so reports share it. */
struct swi_findings;

/* Judges the fit of a report and adds the findings to it. Everything else must be in the report
 * already. Returns NULL if there is nothing to judge or memory ran out: the report then has no
 * findings.
 * replayed: the process is not the one that was measured. */
struct swi_findings *swi_findings_make(struct sw_report *report,
                                       const struct swi_snapshot *snapshot,
                                       const struct swi_newest_steps *newest, bool replayed,
                                       bool own_clock);

/* Puts the straggler of a report of all ranks, if it names one, into it as a finding. Returns NULL
 * if out of memory. */
struct swi_findings *swi_findings_of_ranks(struct sw_ranks *ranks);

/* Gives a report copies of the findings that another one has, and of the name of its GPU runtime.
 * Returns NULL if out of memory: the report then has neither. */
struct swi_findings *swi_findings_copy(struct sw_report *report, const struct sw_report *from);

/* findings may be NULL. */
struct swi_findings *swi_findings_ref(struct swi_findings *findings);
void swi_findings_unref(struct swi_findings *findings);

#endif
