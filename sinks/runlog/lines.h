/* SPDX-License-Identifier: MIT */
/* lines.h - records as the lines of a run log: docs/run-log.md. */
#ifndef SINKS_RUNLOG_LINES_H
#define SINKS_RUNLOG_LINES_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

/* Adds the first line. detail: the option, for whoever reads the log. windowed: regions are in
 * windows only. */
void swi_lines_run(struct swi_text *text, const struct sw_run *run, const char *detail,
                   bool windowed);

/* Adds what a log begins with from which the begin was cut off: the first line again, and a begin
 * for each region of the loop that is open. begun: when it began by its action, SW_FIT to SW_VALID;
 * -1 is not open. thread: the loop's. */
void swi_lines_again(struct swi_text *text, const struct sw_run *run, const char *detail,
                     bool windowed, const int64_t *begun, int thread);

/* Adds the lines of any other record. histograms: the rows of a report get their distributions, for
 * whoever joins the reports of several processes. window: number of the one that regions are in;
 * -1: the log has all regions. */
void swi_lines_record(struct swi_text *text, const struct sw_record *record, bool histograms,
                      int64_t window);

#endif
