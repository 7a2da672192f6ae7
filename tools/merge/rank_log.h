/* SPDX-License-Identifier: MIT */
/* rank_log.h - reads the run log of one rank, or its summary, which is a short log: the head with
 * the rank, and the lines. */
#ifndef TOOLS_MERGE_RANK_LOG_H
#define TOOLS_MERGE_RANK_LOG_H

#include "tools/log/log_lines.h"

#include <stdbool.h>
#include <stdint.h>

/* The blocks of `width` steps in a summary: numbers first..first + count - 1. Block n begins with
 * step n * width. */
struct block_shape {
    int64_t width, first, count; /* count 0: there are none */
};

struct rank_log {
    char *path;
    char *name, *host, *job, *run;
    int64_t rank;       /* -1 if the log does not say it */
    int64_t world_size; /* 0 if not known */
    int64_t attempt, pid;
    double started_s;
    off_t size;   /* of the file */
    size_t order; /* position among the given paths */
    size_t node;  /* number of the host */
    struct block_shape blocks;
    struct log_value *counters; /* the list of counters in its head; NULL: none */
    bool drop_first_batch;
    bool torn;      /* a line is incomplete */
    bool thinned;   /* steps that were read are sums of several */
    bool finished;  /* the run ended normally */
    bool has_steps; /* the log has steps */
};

/* Reads the head of a log. wait: set to the names of the actions that wait for other ranks, for
 * which the caller calls free(), or NULL. Returns 0, SW_EIO, SW_EFORMAT if it is not a run
 * log, or SW_ENOMEM. Call rank_log_fini() in any case. */
int rank_log_begin(struct rank_log *log, const char *path, struct log_value **wait,
                   struct sw_error *err);
void rank_log_fini(struct rank_log *log);

/* Called with a line of a log. */
enum line_result { LINE_FINE, LINE_DAMAGED, LINE_STOP };
typedef enum line_result log_line_fn(void *arg, const struct log_value *line);

/* The lines to read. NULL: none of that kind. */
struct wanted_lines {
    log_line_fn *step, *report, *blocks, *counter;
    void *arg;
};

/* Reads the other lines and skips damaged ones. Sets torn and finished. tail: if the file is
 * larger, reads only lines that begin in that many last bytes; 0: all. Returns 0, also after
 * LINE_STOP, SW_EIO or SW_ENOMEM. */
int rank_log_read(struct rank_log *log, const struct wanted_lines *lines, off_t tail,
                  struct sw_error *err);

#endif
