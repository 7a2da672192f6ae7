/* SPDX-License-Identifier: MIT */
/* recorded_runs.h - the runs that run logs and databases hold, and their order. */
#ifndef TOOLS_RUNS_RECORDED_RUNS_H
#define TOOLS_RUNS_RECORDED_RUNS_H

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- a run ----------------------------------------------------------------------------------- */

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
void recorded_run_free(struct recorded_run *run);

/* ---- runs ------------------------------------------------------------------------------------ */

struct recorded_runs {
    struct recorded_run **item;
    size_t count, room;
    size_t unreadable; /* files and folders; a message on standard error said why */
};

/* Takes over a run. Returns false if out of memory. */
bool recorded_runs_add(struct recorded_runs *runs, struct recorded_run *run);
void recorded_runs_free(struct recorded_runs *runs);

/* Makes one run of the ranks of a distributed run: its path and values are those of the lowest
 * rank. */
void recorded_runs_join(struct recorded_runs *runs);

/* The order: "started" (the default, the newest first), "duration", "steps" or "samples_per_s", the
 * largest first; "name", "state" or "path" from A to Z; or the name of a value, the largest first.
 * Unknown numbers are last. */
void recorded_runs_sort(struct recorded_runs *runs, const char *key, bool reverse);

/* Returns whether runs can be sorted by this: a key, or a value that one of them has. */
bool recorded_runs_has_key(const struct recorded_runs *runs, const char *key);

/* Adds the runs of a run log (.jsonl), of a database of the sink sqlite, or of all that are in a
 * folder and the folders in it. Returns 0, or a negative code if the path is none of them. */
int recorded_runs_find(struct recorded_runs *runs, const char *path, struct sw_error *err);

/* ---- what the first line and the end of a run log say ---------------------------------------- */

/* At most so much is read of a log, however long it is: its first line, and its end. */
enum { LOG_HEAD = 64 << 10, LOG_TAIL = 64 << 10 };

/* Sets run to a new run, or to NULL if the file is not a run log. Returns 0 or a negative code. */
int log_ends_read(const char *path, struct recorded_run **run, struct sw_error *err);

#endif
