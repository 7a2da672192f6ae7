/* SPDX-License-Identifier: MIT */
/* counter_columns.h - the counters of a report: which there are, where their values follow each
 * row, and the columns that show them. */
#ifndef CORE_REPORT_COUNTER_COLUMNS_H
#define CORE_REPORT_COUNTER_COLUMNS_H

#include "core/rows/counter_use.h"

#include <stepwatch/report.h>

/* What follows from the counters of a row and its time: rates of the program's own counters,
 * GFLOP/s and GB/s, the model FLOPs utilization, the share of time on a CPU, and what the counters
 * of the processor say together. */
struct swi_derived {
    enum { SWI_PER_SECOND, SWI_PER_OTHER, SWI_OF_PEAK, SWI_OF_TIME } how;
    size_t a, b; /* numbers of counters in the report */
    double scale;
    const char *key, *header, *unit; /* static, or NULL: made of the counter's name */
};

enum { SWI_DERIVED_MAX = SWI_SLOTS + 6 };

struct swi_counter_columns {
    size_t counters;
    int slot[SWI_SLOTS]; /* slot of each counter, in the order of the columns */
    struct swi_slot is[SWI_SLOTS];
    size_t derived;
    struct swi_derived derive[SWI_DERIVED_MAX];
    size_t row_size; /* of a row with the values that follow it */
    size_t columns;
    struct sw_column *column; /* owned; NULL: the report has no counters */
    char *text;               /* owned: the names of the columns */
};

/* Sets which counters there are. */
void swi_counter_columns_take(struct swi_counter_columns *columns,
                              const struct swi_counters *counters, double peak_flops);
/* Sets the columns of the report. Returns false if out of memory. Call swi_counter_columns_fini()
 * in any case. */
bool swi_counter_columns_set(struct swi_counter_columns *columns, struct sw_report *report);
void swi_counter_columns_fini(struct swi_counter_columns *columns);

/* Fills the values that follow a row. `use` has a value of its action for each slot up to `uses`.
 */
void swi_counter_values_set(const struct swi_counter_columns *columns,
                            const struct swi_counters *counters, struct sw_report_row *row,
                            const struct swi_use *use, size_t uses);

/* Sets them from a row of another report, whose counters are found by name. Counters that the other
 * row lacks are not known. */
void swi_counter_values_take(const struct swi_counter_columns *columns, struct sw_report_row *row,
                             const struct sw_report *from, const struct sw_report_row *from_row);

/* Sets the row's pointers to the values that follow it, after it was copied. */
void swi_counter_values_find(const struct swi_counter_columns *columns, struct sw_report_row *row);

#endif
