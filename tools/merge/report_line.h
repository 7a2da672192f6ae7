/* SPDX-License-Identifier: MIT */
/* report_line.h - what the line of a report says of each action. */
#ifndef TOOLS_MERGE_REPORT_LINE_H
#define TOOLS_MERGE_REPORT_LINE_H

#include "tools/merge/name_table.h"

/* A row of a report. */
struct report_row {
    int phase, action;
    int64_t calls;
    double total_ns, mean_ns, std_ns, min_ns, max_ns;
    bool has_bins;
    struct json_scan bins; /* before the list of bins and counts, if it has one */
};

/* The number of the fit that a line is the report of; -1 if the line is damaged. */
int64_t report_line_fit(const char *line);

/* Called for each row; false without memory. */
typedef bool report_row_fn(void *arg, const struct report_row *row);

/* Goes through the rows of a line that is not damaged. False without memory. */
bool report_line_rows(const char *line, struct name_table *names, report_row_fn *row, void *arg);

#endif
