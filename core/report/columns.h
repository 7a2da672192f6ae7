/* SPDX-License-Identifier: MIT */
/* columns.h - the table of the columns of a report. */
#ifndef CORE_REPORT_COLUMNS_H
#define CORE_REPORT_COLUMNS_H

#include <stepwatch/report.h>

/* Sets the report's table of columns. The table is a constant. */
void swi_columns_set(struct sw_report *report);

#endif
