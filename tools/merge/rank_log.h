/* SPDX-License-Identifier: MIT */
/* rank_log.h - the run log of one rank: which rank it is of, and its steps. */
#ifndef TOOLS_MERGE_RANK_LOG_H
#define TOOLS_MERGE_RANK_LOG_H

#include <stepwatch/error.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct rank_log {
    char *path;
    char *host, *job;
    int64_t rank;       /* -1: the log does not say it */
    int64_t world_size; /* 0: not known */
    int64_t attempt;
    bool drop_first_batch;
    json_t *wait;   /* names of actions that wait for other ranks; may be NULL */
    bool torn;      /* some line is not whole */
    bool finished;  /* the run ended by itself */
    bool has_steps; /* it is a log of steps */
};

/* Called for each finished step of a log: its line. False ends the reading. */
typedef bool rank_log_step_fn(void *arg, const json_t *line);

/* Reads a log. Fills all fields; step is called for each step that was not cancelled. NULL: reads
 * only the first line, which does not say torn and finished. 0, or SW_EIO or SW_EFORMAT where it is
 * not a run log. Ends in rank_log_fini() in any case. */
int rank_log_read(struct rank_log *log, const char *path, rank_log_step_fn *step, void *arg,
                  struct sw_error *err);
void rank_log_fini(struct rank_log *log);

#endif
