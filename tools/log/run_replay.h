/* SPDX-License-Identifier: MIT */
/* run_replay.h - plays a whole run log into the sinks of a configuration. */
#ifndef TOOLS_LOG_RUN_REPLAY_H
#define TOOLS_LOG_RUN_REPLAY_H

#include "tools/log/missing_records.h"
#include "tools/log/value_line.h"

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Calls that torch does not show: the only one inside a call of the same name. Initialise it as
 * {0}. */
struct call_chains {
    unsigned char *skipped; /* a bit for each line */
    size_t lines;
};

/* Finds them in a log of regions, which is read once more. A pipe, and a log with counters, whose
 * lines have their increase, have none. Returns false if out of memory. */
bool call_chains_find(struct call_chains *chains, const char *path);

/* Returns whether a line, from 1, begins or ends such a call. */
bool call_chains_skip(const struct call_chains *chains, long line);

void call_chains_fini(struct call_chains *chains);

struct replay {
    const char *path;       /* the run log */
    const char *config;     /* path of a configuration; NULL: use `sinks` */
    const char *sinks;      /* YAML of logger_callback, like "[table]" */
    const char *const *set; /* "key=value" of the profiler, terminated by NULL; may be NULL */
    /* Called for each line before it is played; may be NULL. */
    void (*line)(void *arg, const struct log_value *line);
    void *arg;
    bool leave_out; /* count damaged lines instead of failing */
    bool unchained; /* leave out what call_chains_find() finds */
    /* Returns whether somebody takes a metric, else it is left out; NULL: all are taken. */
    bool (*wants_metric)(const char *name);
    /* If steps of the log are sums of several, and each fit has a report, pass on the reports of
     * the run instead of making them again: they are exact, and there may be billions of steps. */
    bool may_pass_reports;
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

/* Returns 0 or a negative code. */
int replay_run(struct replay *replay, struct sw_error *err);

/* Prints to stderr what the log lacks: damaged lines, its begin, its end if the run did not finish,
 * and what the run's own report has more. */
void replay_say_ending(const struct replay *replay);

/* Prints that too, and which rows of the run's own report are of regions outside of steps. */
void replay_say_missing(const struct replay *replay);

/* Returns the object `log`: how much of the log was read, and what it lacks; NULL if out of memory.
 */
json_t *log_json(const struct replay *replay);

/* ---- options of the profiler from the command line: --set key=value -------------------------- */

/* Puts the options into $STEPWATCH_SET, where sw_open() reads them. set: terminated by NULL; may be
 * NULL. keep: append to the options that are there, which have lower priority; otherwise replace
 * them. Returns 0, SW_EINVAL if one is not key=value, or SW_ENOMEM. */
int set_options_export(const char *const *set, bool keep, struct sw_error *err);

#endif
