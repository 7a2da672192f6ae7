/* SPDX-License-Identifier: MIT */
/* row_sources.h - the order of the report's rows, and which rows of threads each of them is made
 * from.
 */
#ifndef CORE_REPORT_ROW_SOURCES_H
#define CORE_REPORT_ROW_SOURCES_H

#include "core/report/report_input.h"

/* Lists all rows of all threads in the order of the report. standard: also the rows that every
 * report has. */
void swi_row_sources_list(struct swi_report_input *making, bool standard);

/* Lists them again, with a row for each shape of an action. Returns false if no action had a
 * shape. */
bool swi_row_sources_by_shape(struct swi_report_input *making, bool standard);

/* Returns how many sources from number i on belong to the same row of the report. */
size_t swi_row_sources_of_row(const struct swi_report_input *making, size_t i);

/* Returns how many rows the report has at most. */
size_t swi_row_sources_rows(const struct swi_report_input *making);

/* Return the phase and the action that an order stands for. */
enum sw_phase swi_source_phase(uint32_t order);
int swi_source_action(enum sw_mode mode, uint32_t order);

#endif
