/* SPDX-License-Identifier: MIT */
/* verified_results.h - the results of a run and of its replay, and whether they are the same but
 * for the rounding of recorded times to whole nanoseconds. */
#ifndef TOOLS_LOG_VERIFIED_RESULTS_H
#define TOOLS_LOG_VERIFIED_RESULTS_H

#include "tools/log/missing_records.h"

#include <jansson.h>
#include <stdint.h>

struct verified_results {
    json_t *figure; /* of each fit, and of logged values: by what it is */
    json_t *row;    /* of reports: by "fit FIT PHASE/ACTION", its figures */
    json_t *metric; /* by name: [step, value, how much rounding may change it], in order */
};

bool verified_results_init(struct verified_results *results);
void verified_results_fini(struct verified_results *results);

/* A row of a report. total_ns, self_ns: NAN if they are not compared. */
struct verified_row {
    int64_t fit, calls;
    const char *phase, *action;
    double mean_ns, total_ns, self_ns;
};
void verified_row_put(struct verified_results *to, const struct verified_row *row);

/* slack: in the unit of the value; only that of the replay counts. */
void verified_metric_put(struct verified_results *to, const char *name, int64_t step, double value,
                         double slack);

/* Adds the first 20 differences to an array, as objects of `result`, `recorded` and `replayed`,
 * which is null if the replay does not have it. compared: receives how many results were compared.
 * Returns how many differ. */
int verified_differences(const struct verified_results *recorded,
                         const struct verified_results *made, const struct held *held,
                         json_t *first, size_t *compared);

#endif
