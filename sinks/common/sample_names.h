/* SPDX-License-Identifier: MIT */
/* sample_names.h - what monitors measure, under the names and in the units of a service. */
#ifndef SINKS_COMMON_SAMPLE_NAMES_H
#define SINKS_COMMON_SAMPLE_NAMES_H

#include "core/text/map.h"

#include <stepwatch/sink.h>

/* A row of a service's table. In both names, `*` is the same text: a part without a slash, or any
 * path in "system/". */
struct swi_sample_name {
    const char *metric, *name;
    double unit; /* the value is divided by it */
    bool summed; /* what metric has done since the start: a monitor may give its rate, metric_per_s
                  */
};

/* Sums of rates. Initialise it as {0}. */
struct swi_sample_sums {
    struct swi_map names;
    struct swi_sample_sum *sum;
    bool begun;
    int64_t begun_ns; /* time of the first sample of all */
};

enum { SWI_SAMPLE_NAME = 300 };

/* What a service gets of a metric. */
struct swi_renamed {
    char name[SWI_SAMPLE_NAME];
    double value;
};

/* Fills the name that belongs to a metric if its name is the pattern. */
bool swi_sample_name(char name[SWI_SAMPLE_NAME], const char *metric, const char *pattern,
                     const char *other);

/* Looks for a metric of a record in a table. Returns false if it is not there. */
bool swi_sample_rename(struct swi_renamed *to, struct swi_sample_sums *sums,
                       const struct swi_sample_name *table, size_t count,
                       const struct sw_record *record, const struct sw_metric *metric);

/* Returns whether a record is a sample of monitors. */
static inline bool swi_is_sample(const struct sw_record *record)
{
    return record->metrics.count && sw_record_metric(record, 0)->by == SW_BY_MONITOR;
}

void swi_sample_sums_free(struct swi_sample_sums *sums);

#endif
