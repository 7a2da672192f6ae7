/* SPDX-License-Identifier: MIT */
/* collect.h - keeps the result of a replay: the run, its reports, its steps. */
#ifndef TOOLS_LOG_COLLECT_H
#define TOOLS_LOG_COLLECT_H

#include "core/advice/advice.h"
#include "core/text/map.h"
#include "core/text/curve.h"
#include "tools/log/log_value.h"
#include "tools/log/log_fits.h"
#include "tools/log/run_replay.h"

#include <stepwatch/ranks.h>
#include <stepwatch/report.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the metrics that a program logged ------------------------------------------------------- */

struct metric_series {
    const char *name; /* the map's */
    size_t seen;      /* values that are finite */
    size_t not_finite;
    double last;             /* also if it is not finite */
    struct swi_curve values; /* by step */
};

/* In the order in which the names came. Initialise it as {0}. */
struct metric_list {
    struct swi_map names;
    struct metric_series *item; /* by the number of the name */
};

/* Adds a value. If out of memory, the value is left out. */
void metric_list_add(struct metric_list *list, const char *name, double step, double value);
void metric_list_free(struct metric_list *list);

/* ---- the training steps of a run ------------------------------------------------------------- */

struct stored_step {
    int64_t step;
    double rate; /* samples per second, or steps per second if no step has samples */
};

/* All of them or, of a long run, a sample. Initialise it as {0}. It has at most STEPS_STORED steps.
 * When it is full, one of each two neighbours is kept, at random, and from then on half as many are
 * kept. */
enum { STEPS_STORED = 1 << 15 };
struct steps {
    size_t count;
    struct stored_step *item;
    int64_t seen;
    int64_t every;  /* one of this many is kept */
    int64_t chosen; /* which one of the current group */
    uint32_t random;
    bool failed; /* no memory */
};

/* Adds steps with the same rate, of which the last has this number. */
void steps_add(struct steps *steps, int64_t step, int64_t count, double rate);
void steps_free(struct steps *steps);

/* Several consecutive steps as one point of a chart. */
struct steps_point {
    double step;
    double p5, p50, p95;
};

/* Makes at most `most` points of the steps, in order. Returns how many. */
size_t steps_points(const struct steps *steps, struct steps_point *point, size_t most);

/* ---- a run ----------------------------------------------------------------------------------- */

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

/* What a replay cannot measure, from the run's own report of a fit. */
struct collected_own {
    int64_t fit;
    int64_t misuses, discarded; /* -1: it does not say */
    int64_t rss_bytes, peak_rss_bytes;
    double own_ns, own_threads_ns, joules;
    struct log_value *misuse; /* may be NULL */
};

struct collected_report {
    struct sw_report report; /* .row is NULL */
    size_t count;
    struct collected_row *row;
    size_t shaped_count; /* rows by shape; 0: no action had one */
    struct collected_row *shaped;
    size_t counters;
    struct collected_counter *counter;
    struct sw_column *column; /* of .report: those whose values the rows hold */
    struct log_value *misuse; /* may be NULL */
    struct swi_advice advice;
};

/* Gets a report when it is complete, in the order of the fits, on any thread. */
typedef void collected_fn(void *arg, const struct collected_report *report);

struct collected {
    char *name, *program, *host;
    double started_s;
    bool regions;         /* the log has every region, so self times are correct */
    bool results;         /* it has no steps and no regions */
    struct replay replay; /* how the log ended */
    collected_fn *each;   /* gets the reports, and nothing below is filled in; NULL: all is kept */
    void *arg;
    size_t count, complete; /* reports: the first ones have all they get */
    struct collected_report *report;
    struct collected_own own;   /* of the newest report of the run */
    bool *in_step[2];           /* by action: it is a part of steps of train, of valid */
    size_t actions[2];          /* for which there is room in them */
    int64_t judged;             /* the last fit whose findings are known */
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

/* Replays a log with its own options and keeps the result. each: gets the reports while the log is
 * read, so that they take no memory, and nothing else is kept but what the log is; NULL: all is
 * kept. Returns 0 or a negative code. Call collect_free() in any case. */
int collect_run(struct collected *collected, const char *path, collected_fn *each, void *arg,
                struct sw_error *err);
void collect_free(struct collected *collected);

#endif
