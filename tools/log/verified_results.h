/* SPDX-License-Identifier: MIT */
/* verified_results.h - the results of a run and of its replay, and whether they are the same but
 * for the rounding of recorded times to whole nanoseconds. Each result is compared as soon as both
 * have it, so that only those of the last lines and fits are kept. */
#ifndef TOOLS_LOG_VERIFIED_RESULTS_H
#define TOOLS_LOG_VERIFIED_RESULTS_H

#include "core/text/map.h"
#include "tools/log/missing_records.h"
#include "tools/log/verified_metric.h"

#include <pthread.h>

/* The recorded results come on one thread, and those that are made on another. */
struct verified_results {
    pthread_mutex_t lock;
    const struct held *held;
    json_t *counts[2]; /* of logged values, by what they are */
    size_t fits, fits_room;
    struct verified_fit *fit; /* those that are not compared yet */
    struct verified_part figures, rows;
    struct swi_map names;
    struct verified_metric *metric; /* by name */
    bool failed;                    /* out of memory */
};

bool verified_results_init(struct verified_results *results, const struct held *held);
void verified_results_fini(struct verified_results *results);

/* A figure of a fit. */
void verified_figure_put(struct verified_results *results, enum verified_side side, int64_t fit,
                         const char *name, double value);

/* One more logged value of what the key says. */
void verified_count(struct verified_results *results, enum verified_side side, const char *key);

/* A row of a report. total_ns, self_ns: NAN if they are not compared. */
struct verified_row {
    int64_t fit, calls;
    const char *phase, *action;
    double mean_ns, total_ns, self_ns;
};
void verified_row_put(struct verified_results *results, enum verified_side side,
                      const struct verified_row *row);

/* slack: in the unit of the value; only that of the replay counts. */
void verified_metric_put(struct verified_results *results, enum verified_side side,
                         const char *name, int64_t step, double value, double slack);

/* Compares the rest. Adds the first 20 differences to an array, as objects of `result`, `recorded`
 * and `replayed`, which is null if the replay does not have it. compared: receives how many results
 * were compared. Returns how many differ. */
int verified_differences(struct verified_results *results, json_t *first, size_t *compared);

#endif
