/* SPDX-License-Identifier: MIT */
/* rank_log.h - the run log of one rank, or its summary, which is a short one: which rank it is of,
 * and its lines. */
#ifndef TOOLS_MERGE_RANK_LOG_H
#define TOOLS_MERGE_RANK_LOG_H

#include "tools/merge/line_reader.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Blocks of `width` steps that a summary has sums of: numbers first..first + count - 1, where block
 * n begins with step n * width. */
struct block_shape {
    int64_t width, first, count; /* count 0: there are none */
};

struct rank_log {
    char *path;
    char *name, *host, *job, *run;
    int64_t rank;       /* -1: the log does not say it */
    int64_t world_size; /* 0: not known */
    int64_t attempt, pid;
    double started_s;
    off_t size;   /* of the file */
    size_t order; /* among the paths that were given */
    size_t node;  /* number of the host */
    struct block_shape blocks;
    bool drop_first_batch;
    bool torn;      /* some line is not whole */
    bool finished;  /* the run ended by itself */
    bool has_steps; /* it is a log of steps */
};

/* Reads the head of a log. wait: set to the names of the actions that wait for other ranks, the
 * caller's to json_decref(), or NULL. 0; SW_EIO; SW_EFORMAT where it is not a run log; SW_ENOMEM.
 * Ends in rank_log_fini() in any case. */
int rank_log_begin(struct rank_log *log, struct line_reader *reader, const char *path,
                   json_t **wait, struct sw_error *err);
void rank_log_fini(struct rank_log *log);

/* What is called with a line of a log, which it may change. */
enum line_result { LINE_FINE, LINE_DAMAGED, LINE_STOP };
typedef enum line_result log_line_fn(void *arg, char *line);

/* Which lines are asked for; NULL: none of that kind. */
struct wanted_lines {
    log_line_fn *step, *report, *blocks;
    void *arg;
};

/* Reads the other lines. Damaged ones are left out; sets torn and finished. tail: if the file is
 * larger, only what begins in that many last bytes; 0: all. 0, SW_EIO or SW_ENOMEM; LINE_STOP also
 * ends it with 0. */
int rank_log_read(struct rank_log *log, struct line_reader *reader,
                  const struct wanted_lines *lines, off_t tail, struct sw_error *err);

#endif
