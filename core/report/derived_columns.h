/* SPDX-License-Identifier: MIT */
/* derived_columns.h - what follows from the counters of a row and its time: rates of the program's
 * own counters, GFLOP/s and GB/s, the model FLOPs utilization, the share of time on a CPU, and
 * what the counters of the processor say together. */
#ifndef CORE_REPORT_DERIVED_COLUMNS_H
#define CORE_REPORT_DERIVED_COLUMNS_H

#include "core/rows/counter_use.h"

#include <stepwatch/report.h>

struct swi_derived {
    enum { SWI_PER_SECOND, SWI_PER_OTHER, SWI_OF_PEAK, SWI_OF_TIME } how;
    size_t a, b; /* numbers of counters in the report */
    double scale;
    const char *key, *header, *unit; /* static, or NULL: made of the counter's name */
};

enum { SWI_DERIVED_MAX = SWI_SLOTS + 6 };

/* Sets what follows from these counters, at most SWI_DERIVED_MAX. Returns how much. peak_flops: 0
 * if it is not known. */
size_t swi_derived_find(struct swi_derived *derived, const struct swi_slot *slot, size_t count,
                        double peak_flops);

/* Returns its value in a row, or NAN if the row has none. */
double swi_derived_value(const struct swi_derived *derived, const struct sw_report_row *row);

#endif
