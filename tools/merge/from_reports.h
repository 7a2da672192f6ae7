/* SPDX-License-Identifier: MIT */
/* from_reports.h - merges the reports that the ranks made themselves: of summaries, and of logs
 * without steps. */
#ifndef TOOLS_MERGE_FROM_REPORTS_H
#define TOOLS_MERGE_FROM_REPORTS_H

#include "tools/merge/merged.h"

/* Returns 0, SW_ENOMEM, or SW_EFORMAT if no log has a report. */
int merge_reports(struct merged *merged, struct sw_error *err);

#endif
