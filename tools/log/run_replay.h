/* SPDX-License-Identifier: MIT */
/* run_replay.h - plays a whole run log into the sinks of a configuration. */
#ifndef TOOLS_LOG_RUN_REPLAY_H
#define TOOLS_LOG_RUN_REPLAY_H

#include "tools/log/log_lines.h"
#include "tools/log/value_line.h"

#include <stepwatch/error.h>
#include <stepwatch/report.h>
#include <stepwatch/sink.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what is missing in a log ---------------------------------------------------------------- */

/* According to its sink and its own reports; and what only these know: misuses, and the memory of
 * the process. */
struct held {
    bool steps_only; /* the log has detail: steps */
    bool in_window;  /* a window has begun */
    bool sampled;    /* from the end of a window on that has no begin, it has regions only of some
                        steps */
    size_t outside;  /* rows of regions outside of steps, which such a log never has */
    char outside_first[80];
    struct sw_lost lost; /* lines `lost`: the sink was too slow */
    int64_t steps,
        lacks_steps;    /* steps in the run's reports, and how many of them are not in the log */
    int64_t thinned;    /* steps that the log has as sums of several */
    size_t lacks_rows;  /* other rows that have fewer calls in the log */
    char row_first[80]; /* the first of them, and its calls in the report and in the log */
    int64_t row_calls, row_found;
};

/* Looks at one line of the log. The first one has its detail. */
void held_line(struct held *held, const struct log_value *line);

/* Compares a line `report` with the report made from the log so far. whole: compare its rows too,
 * which would differ if the options are not the run's. */
void held_report(struct held *held, const struct log_value *line, const struct sw_report *made,
                 bool whole);

/* Returns the row of an action in a report; NULL: it has none. */
const struct sw_report_row *held_row_of(const struct sw_report *made, const char *phase,
                                        const char *action);

/* Returns whether a row of the run's report can be made from the log. */
bool held_row(const struct held *held, const char *phase, const char *action);

/* Returns whether some calls of a row may lie outside of steps, which such a log does not have: it
 * is of an own action. */
bool held_maybe_outside(const struct held *held, const char *phase, const char *action);

/* Returns whether its self time can be made, too. */
bool held_self(const struct held *held, const char *phase, const char *action);

/* Print to stderr what the log lacks, if anything: steps and what is in them, and the rest. */
void held_say_lacking(const struct held *held, const char *path);
void held_say_outside(const struct held *held, const char *path);

struct misuses {
    char text[1024]; /* "forward was ended without a begin: 2; …", of all fits */
    size_t size;     /* used bytes */
    size_t before;   /* bytes before the last reported fit */
    int64_t fit;
    int64_t rss_bytes, peak_rss_bytes; /* of the last report; 0: it does not say it */
    bool memory_shown;                 /* in the output, so it is not printed */
};

/* Looks at one line of the log. */
void misuses_line(struct misuses *misuses, const struct log_value *line);

/* Prints the misuse and the memory of the process to stderr, if the log has them. */
void misuses_say(const struct misuses *misuses, const char *path);

/* ---- a replay -------------------------------------------------------------------------------- */

/* Calls that torch does not show: the only one inside a call of the same name. Initialise it as
 * {0}. */
struct call_chains {
    unsigned char *skipped; /* a bit for each line */
    size_t room;            /* bytes */
};

/* Finds them in a log of regions, which is read once more. A pipe has none. Returns false if out of
 * memory. */
bool call_chains_find(struct call_chains *chains, const char *path);

/* Returns whether a line, from 1, begins or ends such a call. */
bool call_chains_skip(const struct call_chains *chains, long line);

#define REPLAY_WANTS                                                                               \
    (SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS) |              \
     SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_RANKS) | SW_WANT(SW_RECORD_VALUE))
typedef int replay_record_fn(void *arg, struct sw_sink *sink, const struct sw_record *record,
                             struct sw_error *err);

struct replay {
    const char *path;       /* the run log */
    const char *config;     /* path of a configuration; NULL: use `sinks`, or `record` */
    const char *sinks;      /* YAML of logger_callback, like "[table]" */
    const char *const *set; /* "key=value" of the profiler, terminated by NULL; may be NULL */
    /* Called for each line before it is played; may be NULL. Before the first line, the begin of a
     * fit, and a report, all records were taken that come before them. */
    void (*line)(void *arg, const struct log_value *line);
    /* Called for a line `report` before that, with the report that is made of the log so far; may
     * be NULL. Logs that have only results have none. */
    void (*report)(void *arg, const struct log_value *line, const struct sw_report *made);
    /* Called for records of these kinds, of REPLAY_WANTS, on the thread of a sink; may be NULL. */
    replay_record_fn *record;
    uint32_t wants;
    uint32_t wants_of_regions; /* more kinds, of a log that has every region */
    void *arg;
    bool leave_out; /* count damaged lines instead of failing */
    bool unchained; /* leave out what call_chains_find() finds */
    /* Returns whether somebody takes a metric, else it is left out; NULL: all are taken. */
    bool (*wants_metric)(const char *name);
    /* If steps of the log are sums of several, and each fit has a report, pass on the reports of
     * the run instead of making them again: they are exact, and there may be billions of steps. */
    bool may_pass_reports;
    /* Of the replay of a log of steps, only how often each action was called is of interest: its
     * step records stand for many steps, unless there are counters, and it makes no metrics. */
    bool calls_only;
    bool stacked; /* fail if the log does not say which regions were in which others */
    /* Results. */
    bool regions;        /* the log has every region, from which the replay makes the steps */
    bool results_only;   /* the log has no steps and no regions: its own reports are passed on */
    bool passes_reports; /* they are passed on because of may_pass_reports */
    size_t reports;      /* how many were passed on */
    long lines;
    bool torn;
    bool finished;
    bool interrupted; /* it finished, but without sw_close() */
    char cause[160];  /* why; "": the log does not say */
    bool cut_off;     /* its begin is missing */
    struct call_chains chains;
    struct held held;
    struct misuses misuses;
    struct played_values values;
    long damaged;                 /* lines that were skipped */
    struct sw_error first_damage; /* what is wrong with the first of them, and where */
};

/* Returns 0 or a negative code. There is one replay at a time. */
int replay_run(struct replay *replay, struct sw_error *err);

/* Gets the next line, or counts damaged ones, as `leave_out` says. Returns 1, 0 at the end, or a
 * negative code. */
int replay_next_line(struct replay *replay, struct log *log, const struct log_value **line,
                     struct sw_error *err);

/* Prints to stderr what the log lacks: damaged lines, its begin, its end if the run did not finish,
 * and what the run's own report has more. */
void replay_say_ending(const struct replay *replay);

/* Prints that too, and which rows of the run's own report are of regions outside of steps. */
void replay_say_missing(const struct replay *replay);

/* Returns the object `log`: how much of the log was read, and what it lacks; NULL if out of memory.
 */
json_t *log_json(const struct replay *replay);

/* ---- whether the results are the same ---------------------------------------------------------
 */

/* What a replay makes, compared with the lines that the profiler wrote during the run. */
struct verified {
    size_t compared;     /* results */
    json_t *differences; /* the first 20, objects of `result`, `recorded` and
                            `replayed`, which is null if the replay does not have it; or NULL */
};

/* Replays and compares. Returns how many results differ, or a negative code. The caller gives
 * `differences` back with json_decref(). */
int verify_run(struct replay *replay, struct verified *verified, struct sw_error *err);

/* ---- options of the profiler from the command line: --set key=value -------------------------- */

/* Puts the options into $STEPWATCH_SET, where sw_open() reads them. set: terminated by NULL; may be
 * NULL. keep: append to the options that are there, which have lower priority; otherwise replace
 * them. Returns 0, SW_EINVAL if one is not key=value, or SW_ENOMEM. */
int set_options_export(const char *const *set, bool keep, struct sw_error *err);

#endif
