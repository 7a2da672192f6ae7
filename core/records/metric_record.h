/* SPDX-License-Identifier: MIT */
/* metric_record.h - records of metrics: values that the user logged, and rolling averages. */
#ifndef CORE_RECORDS_METRIC_RECORD_H
#define CORE_RECORDS_METRIC_RECORD_H

#include "core/records/metric_names.h"
#include "core/records/recorder.h"
#include "core/rows/rolling_window.h"

enum { SWI_VALUES_MAX = 48 };

/* The user's values of the current step that were not sent yet. Only the loop's thread writes it.
 */
struct swi_values {
    struct swi_value {
        const char *name;
        double value;
    } item[SWI_VALUES_MAX];
    struct swi_own_name *own_names; /* the names in `item` that are not kept */
    int64_t sent_tick;              /* when the last metrics record was sent */
    size_t count;                   /* comes last: each step reads it, but mostly not the values */
};

/* Sends the user's values so far and the rolling averages of a window as one record. rolling: NULL
 * for no averages. counts: those of the counters, which begin a new window; or NULL. */
void swi_recorder_metrics(struct swi_recorder *records, struct swi_values *values,
                          struct swi_rolling_window *rolling,
                          struct swi_rolling_counter_use *counts, int64_t step, int64_t tick);

/* Makes the record own these names: it frees them when it is freed. */
void swi_own_names_give(struct swi_record *record, struct swi_own_name *names);

#endif
