/* SPDX-License-Identifier: MIT */
/* collect.h - keeps the result of a replay: the run, its reports, its steps. */
#ifndef TOOLS_LOG_COLLECT_H
#define TOOLS_LOG_COLLECT_H

#include "core/advice/advice.h"
#include "tools/log/kept_lines.h"
#include "tools/log/log_fits.h"
#include "tools/log/metric_series.h"
#include "tools/log/run_replay.h"
#include "tools/log/steps.h"

#include <stepwatch/ranks.h>
#include <stepwatch/report.h>

/* A row, with the quantiles that are drawn: 5, 25, 50, 75 and 95 %. Its distributions have no bins.
 */
enum { COLLECT_QUANTILES = 5 };
struct collected_row {
    struct sw_report_row row;
    double quantile_ns[COLLECT_QUANTILES];
    bool in_step;     /* it is a part of the steps of its phase */
    json_t *counters; /* by name: [total, self]; NULL if it has none */
};

/* A counter of a report. */
struct collected_counter {
    char *name; /* as in the rows */
    char *unit;
    bool peak;
};

struct collected_report {
    struct sw_report report; /* .row is NULL */
    size_t count;
    struct collected_row *row;
    size_t shaped_count; /* rows by shape; 0: no action had one */
    struct collected_row *shaped;
    size_t counters;
    struct collected_counter *counter;
    struct sw_column *column;       /* of .report: those whose values the rows hold */
    const struct log_value *misuse; /* borrowed from `lines`; may be NULL */
    struct swi_advice advice;
};

/* Returns whether a row has the value of a column. A row is a copy of the fields that this program
 * knows. */
bool collect_holds(const struct sw_column *column);

struct collected {
    char *name, *program, *host;
    double started_s;
    bool regions;         /* the log has every region, so self times are correct */
    struct replay replay; /* how the log ended */
    size_t count;
    struct collected_report *report;
    struct kept_lines lines;    /* the run's own reports, by fit */
    struct sw_ranks *ranks;     /* the last complete report of all ranks; NULL: there is none */
    struct kept_lines values;   /* by kind and name, the last line of each, in order of the first */
    struct kept_lines alerts;   /* their lines */
    struct kept_lines summary;  /* values by name */
    struct steps steps;         /* of training */
    struct kept_lines config;   /* hyper-parameters, by name */
    struct metric_list metrics; /* that the program logged */
    struct log_fits fits;
    bool samples; /* some step says its samples: rates are samples per second */
};

/* Replays a log with its own options and keeps the result. Returns 0 or a negative code. Call
 * collect_free() in any case. */
int collect_run(struct collected *collected, const char *path, struct sw_error *err);
void collect_free(struct collected *collected);

#endif
