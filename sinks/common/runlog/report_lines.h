/* SPDX-License-Identifier: MIT */
/* report_lines.h - a report and its findings as lines of the run log. */
#ifndef SINKS_COMMON_RUNLOG_REPORT_LINES_H
#define SINKS_COMMON_RUNLOG_REPORT_LINES_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* ---- findings -------------------------------------------------------------------------------- */

/* Adds a finding of the fit with this number. */
void swi_finding_line(struct swi_text *text, const struct sw_record *record, int fit,
                      const struct sw_finding *finding);

/* ---- a report -------------------------------------------------------------------------------- */

/* Adds a line for each finding, then that of the report. histograms: as in swi_lines_record(). */
void swi_report_lines(struct swi_text *text, const struct sw_record *record, bool histograms);

#endif
