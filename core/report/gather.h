/* SPDX-License-Identifier: MIT */
/* gather.h - adds up what all threads have measured for a row of the report. */
#ifndef CORE_REPORT_GATHER_H
#define CORE_REPORT_GATHER_H

#include "core/report/making.h"

/* Gathers a row from `count` sources. Returns false if the row is empty and may be left out. */
bool swi_gather_row(struct swi_making *making, const struct swi_source *source, size_t count);

/* Adds up what stepwatch's own calls cost, after all rows are gathered. A thread that is not in the
 * report may have the cost of another fit. */
void swi_gather_own_ticks(struct swi_making *making);

#endif
