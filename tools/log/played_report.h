/* SPDX-License-Identifier: MIT */
/* played_report.h - the reports that a run wrote to its log, for a log that has only results: no
 * report can be made from it again. */
#ifndef TOOLS_LOG_PLAYED_REPORT_H
#define TOOLS_LOG_PLAYED_REPORT_H

#include "tools/log/log_value.h"

#include <stepwatch/stepwatch.h>

/* Initialise it as {0}. */
struct played_reports {
    size_t count; /* of reports that were passed on */
    int64_t fit;  /* whose findings these are */
    struct kept_lines findings;
    struct swi_map counters; /* names that the profiler has */
};

/* Keeps a line `finding` for the report of its fit. */
void played_finding(struct played_reports *played, const struct log_value *line);

/* Passes the report of a line on to the sinks of sw. Returns 0, SW_EFORMAT or SW_ENOMEM. */
int played_report(struct played_reports *played, struct sw_profiler *sw,
                  const struct log_value *line, struct sw_error *err);

void played_reports_fini(struct played_reports *played);

#endif
