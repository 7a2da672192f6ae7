/* SPDX-License-Identifier: MIT */
/* counter_columns.h - the counters of a report: which it has, where their values are behind each
 * row, and the columns that show them. */
#ifndef CORE_REPORT_COUNTER_COLUMNS_H
#define CORE_REPORT_COUNTER_COLUMNS_H

#include "core/rows/counts.h"

#include <stepwatch/report.h>

struct swi_counter_columns {
    size_t counters;
    int slot[SWI_SLOTS]; /* of each counter, in the order of the columns */
    struct swi_slot is[SWI_SLOTS];
    size_t row_size; /* of a row, with what is behind it */
    size_t columns;
    struct sw_column *column; /* own memory; NULL: the report has no counters */
    char *text;               /* own memory: what the columns are called */
};

/* Sets which counters there are. */
void swi_counter_columns_take(struct swi_counter_columns *columns,
                              const struct swi_counters *counters);
/* Gives the report its columns. False without memory; _fini() in any case. */
bool swi_counter_columns_set(struct swi_counter_columns *columns, struct sw_report *report);
void swi_counter_columns_fini(struct swi_counter_columns *columns);

/* Fills what is behind a row, of whose action `use` has a value for each slot up to `uses`. */
void swi_counter_values_set(const struct swi_counter_columns *columns,
                            const struct swi_counters *counters, struct sw_report_row *row,
                            const struct swi_use *use, size_t uses);

/* Where the values behind a row are, after it was copied. */
void swi_counter_values_find(const struct swi_counter_columns *columns, struct sw_report_row *row);

#endif
