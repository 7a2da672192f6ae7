/* SPDX-License-Identifier: MIT */
/* collect.h - keeps what a replay makes: what run it was, its reports, its steps. */
#ifndef TOOLS_LOG_COLLECT_H
#define TOOLS_LOG_COLLECT_H

#include "tools/log/run_replay.h"
#include "tools/log/steps.h"

#include <stepwatch/ranks.h>
#include <stepwatch/report.h>

/* A row, with the quantiles that are drawn: 5, 25, 50, 75 and 95 %. Its distributions hold no bins.
 */
enum { COLLECT_QUANTILES = 5 };
struct collected_row {
    struct sw_report_row row;
    double quantile_ns[COLLECT_QUANTILES];
    bool in_step; /* it is a part of steps of its phase */
};

struct collected_report {
    struct sw_report report; /* .row is NULL */
    size_t count;
    struct collected_row *row;
    json_t *misuse; /* borrowed from `lines`; may be NULL */
};

/* Whether rows hold the value of a column, once: a row is a copy of what this program knows of it.
 */
bool collect_holds(const struct sw_column *column);

struct collected {
    char *name, *program, *host;
    double started_s;
    bool regions;         /* the log has every region: self times are right */
    struct replay replay; /* how the log ended */
    size_t count;
    struct collected_report *report;
    json_t *lines;          /* the run's own reports, by fit */
    struct sw_ranks *ranks; /* the last complete report of all ranks; NULL: there is none */
    struct steps steps;     /* of training */
    bool samples;           /* some step says its samples: rates are samples per second */
};

/* Replays a log, with its own options, and keeps what comes out. 0, or a negative code; collected
 * is to be given to collect_free() in any case. */
int collect_run(struct collected *collected, const char *path, struct sw_error *err);
void collect_free(struct collected *collected);

#endif
