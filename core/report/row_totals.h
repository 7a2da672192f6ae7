/* SPDX-License-Identifier: MIT */
/* row_totals.h - adds up what all threads have measured for a row of the report. */
#ifndef CORE_REPORT_ROW_TOTALS_H
#define CORE_REPORT_ROW_TOTALS_H

#include "core/report/row_sources.h"

/* Gathers a row from `count` sources. Returns false if the row is empty and may be left out. */
bool swi_row_totals(struct swi_report_input *making, const struct swi_source *source, size_t count);

/* Adds up what stepwatch's own calls cost, after all rows are gathered. A thread that is not in the
 * report may have the cost of another fit. */
void swi_row_totals_own_ticks(struct swi_report_input *making);

#endif
