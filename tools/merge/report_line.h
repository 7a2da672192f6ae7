/* SPDX-License-Identifier: MIT */
/* report_line.h - parses the line of a report. */
#ifndef TOOLS_MERGE_REPORT_LINE_H
#define TOOLS_MERGE_REPORT_LINE_H

#include "tools/merge/name_table.h"

/* A row of a report. */
struct report_row {
    int phase, action;
    int64_t calls;
    double total_ns, mean_ns, std_ns, min_ns, max_ns;
    bool has_bins;
    bool has_counters;
    struct json_scan counters; /* before the object of counters, if there is one */
    struct json_scan bins;     /* before the list of bins and counts, if there is one */
};

/* Returns the number of the fit of a report line, or -1 if the line is damaged. */
int64_t report_line_fit(const char *line);

/* Called for each row. Returns false if out of memory. */
typedef bool report_row_fn(void *arg, const struct report_row *row);

/* Calls row for each row of a line that is not damaged. Returns false if out of memory. */
bool report_line_rows(const char *line, struct name_table *names, report_row_fn *row, void *arg);

#endif
