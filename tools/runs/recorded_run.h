/* SPDX-License-Identifier: MIT */
/* recorded_run.h - what is known of a recorded run without reading all of it. */
#ifndef TOOLS_RUNS_RECORDED_RUN_H
#define TOOLS_RUNS_RECORDED_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of several ranks is the first of these that one of them has. */
enum run_state { RUN_RUNNING, RUN_KILLED, RUN_INTERRUPTED, RUN_FAILED, RUN_FINISHED, RUN_STATES };

enum { RECORDED_VALUES = 64 };

struct recorded_value {
    char *name;
    double value; /* the newest one */
};

struct recorded_run {
    char *path; /* of the log or the database */
    char *uid;  /* in the database; NULL: a log */
    char *name, *program, *host;
    char *run;    /* what all its ranks share: name of the run or the job; NULL: nothing */
    char *detail; /* of the log; NULL: a database */
    char *cause;  /* why it was interrupted; NULL: it was not, or nobody knows */
    int64_t pid, rank, world_size, attempt;
    int64_t ranks; /* of it that were found */
    enum run_state state;
    int64_t exit_status;  /* -1: unknown */
    double started_s;     /* since 1970 */
    double duration_s;    /* NAN: unknown */
    int64_t steps;        /* of training; -1: unknown */
    double samples_per_s; /* of all its ranks; NAN: unknown */
    int64_t bytes;        /* of the log or the database */
    bool torn;            /* the log ends within a line */
    struct recorded_value value[RECORDED_VALUES];
    size_t values;
};

/* Returns "running", "killed", "interrupted", "failed" or "finished". */
const char *run_state_name(enum run_state state);

/* Sets a value that is not there yet. They are in the order of their names. */
void recorded_run_value(struct recorded_run *run, const char *name, double value);

/* Returns a value, or NAN. */
double recorded_run_get(const struct recorded_run *run, const char *name);

void recorded_run_free(struct recorded_run *run);

#endif
