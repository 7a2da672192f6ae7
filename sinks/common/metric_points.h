/* SPDX-License-Identifier: MIT */
/* metric_points.h - adds up the metrics of several steps, for a sink that does not store each of
 * them. */
#ifndef SINKS_COMMON_METRIC_POINTS_H
#define SINKS_COMMON_METRIC_POINTS_H

#include "core/text/map.h"

#include <stepwatch/sink.h>

/* A point of a loop that slows down is not kept from the reader for longer. */
#define SWI_POINT_NS (INT64_C(60) * 1000000000)

/* What a metric of several records is. */
struct swi_thinned {
    int64_t count;     /* values that its mean is made of */
    int64_t nonfinite; /* values that are not in it: NaN and infinities */
    double min, max, last;
};

struct swi_point_value;

/* The metrics of a point that is not complete. Initialise it as {0}. */
struct swi_metric_point {
    int64_t records;         /* 0: none */
    struct sw_record newest; /* without its metrics */
    int64_t began_ns, place; /* time of the first record; number of the point */
    struct swi_map names;
    struct swi_point_value *value; /* by number of the name */
    size_t *used;                  /* numbers of the names that the point has, in their order */
    size_t used_count, used_room;
};

/* The metrics of a point that is complete. Initialise it as {0}. */
struct swi_made_metrics {
    struct sw_metric *metric;
    struct swi_thinned *thinned; /* what each of them is made of */
    size_t count, room;
};

/* Returns whether a record belongs to the point. place: its number. */
bool swi_metric_point_continues(const struct swi_metric_point *point,
                                const struct sw_record *record, int64_t place);

/* Adds a record. Returns 0 or SW_ENOMEM. */
int swi_metric_point_add(struct swi_metric_point *point, const struct sw_record *record,
                         int64_t place, struct sw_error *err);

/* Completes a point, whose names are valid until the next call: the record has its metrics, at its
 * newest step. Returns false if out of memory. */
bool swi_metric_point_make(struct swi_metric_point *point, struct swi_made_metrics *made,
                           struct sw_record *record);

/* Returns what metric i of a record is made of; NULL: of one value. made: NULL, or what has made
 * the record, or not. */
const struct swi_thinned *swi_made_metric_of(const struct swi_made_metrics *made,
                                             const struct sw_record *record, size_t i);

/* Calls `each` for what a value of the program's has beside its mean, as metrics of their own:
 * NAME/min, NAME/max and NAME/count. For formats in which a point is a single number. */
void swi_made_metric_each(const struct swi_made_metrics *made, const struct sw_record *record,
                          size_t i, void (*each)(void *arg, const struct sw_metric *metric),
                          void *arg);

/* Forgets the names of a point without metrics, if there are many. */
void swi_metric_point_forget(struct swi_metric_point *point);

void swi_metric_point_free(struct swi_metric_point *point);
void swi_made_metrics_free(struct swi_made_metrics *made);

#endif
