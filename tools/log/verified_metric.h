/* SPDX-License-Identifier: MIT */
/* verified_metric.h - the values of one metric of a run and of its replay, which are compared as
 * they come. Those of a step belong to each other. A step's number may occur several times, and a
 * log of regions does not have the numbers that sw_set_step() gave: if there are as many values,
 * they belong to each other in their order. */
#ifndef TOOLS_LOG_VERIFIED_METRIC_H
#define TOOLS_LOG_VERIFIED_METRIC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose result it is. */
enum verified_side { VERIFIED_RECORDED, VERIFIED_MADE };

/* What was compared; of the differences, the first ones. */
enum { VERIFIED_SHOWN = 20 };
struct verified_part {
    size_t compared, differ;
    json_t *first; /* differences; NULL: none yet */
};

/* Compares a recorded value with one that is made; NULL: there is none. key, figure: its name.
 * slack: in its unit; negative: they must be the same. */
void verified_compare(struct verified_part *part, const char *key, const char *figure,
                      double recorded, const double *made, double slack);

struct verified_value {
    int64_t step;
    double value, slack;
};

/* Values that wait, the oldest first. */
struct verified_queue {
    struct verified_value *item;
    size_t room, first, count;
};

/* Initialise it as {.by_order = ...}: whether values may belong to each other in their order. */
struct verified_metric {
    struct verified_queue by_step[2], in_order[2];
    size_t looked; /* so many of what is made have other steps than the oldest that was recorded */
    int64_t count[2];
    bool by_order;
    struct verified_part step_part, order_part;
};

/* Returns false if out of memory. */
bool verified_metric_add(struct verified_metric *metric, enum verified_side side, const char *name,
                         const struct verified_value *value);

/* Compares what waits. Returns what was compared. */
const struct verified_part *verified_metric_end(struct verified_metric *metric, const char *name);
void verified_metric_free(struct verified_metric *metric);

#endif
