/* SPDX-License-Identifier: MIT */
/* newest_records.h - the newest steps and metrics of a run, so that they can be stored one by one
 * when it ends, and be added up while it goes on. */
#ifndef SINKS_COMMON_NEWEST_RECORDS_H
#define SINKS_COMMON_NEWEST_RECORDS_H

#include <stepwatch/sink.h>

/* A copy of a record SW_RECORD_STEP or SW_RECORD_METRICS. */
struct swi_kept_record {
    struct sw_record record; /* points into the rest */
    struct sw_step step;
    struct sw_metric *metric;
    struct swi_kept_record *next;
};

/* Initialise it as {0}. */
struct swi_newest_records {
    struct swi_kept_record *oldest, *newest;
    int64_t lines; /* values and steps */
};

/* Adds a copy of a record. Returns false if out of memory. */
bool swi_newest_records_add(struct swi_newest_records *records, const struct sw_record *record);

/* Takes out the oldest one, or returns NULL. The caller calls swi_kept_record_free(). */
struct swi_kept_record *swi_newest_records_take(struct swi_newest_records *records);
void swi_kept_record_free(struct swi_kept_record *kept);

/* Returns the number of values and steps of a record. */
static inline int64_t swi_record_lines(const struct sw_record *record)
{
    return record->type == SW_RECORD_STEP ? 1 : (int64_t)record->metrics.count;
}

#endif
