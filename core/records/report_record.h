/* SPDX-License-Identifier: MIT */
/* report_record.h - reports as records. */
#ifndef CORE_RECORDS_REPORT_RECORD_H
#define CORE_RECORDS_REPORT_RECORD_H

#include "core/records/recorder.h"
#include "core/report/report.h"

/* Messages say what is wrong with a report. */
void swi_reports_set_recorder(struct swi_reports *reports, struct swi_recorder *records);

/* Sends a report as a record and takes over the report. report: NULL if there was no memory for it.
 */
void swi_recorder_report(struct swi_recorder *records, enum sw_record_type type,
                         struct sw_report *report, int64_t tick);

/* Sends a report of another run as the report of a fit. Takes over the report. */
void swi_recorder_logged_report(struct swi_recorder *records, struct sw_report *report,
                                int64_t tick);

#endif
