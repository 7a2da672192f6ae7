/* SPDX-License-Identifier: MIT */
/* played_counters.h - the counters of a run log, given to the profiler that plays it. */
#ifndef TOOLS_LOG_PLAYED_COUNTERS_H
#define TOOLS_LOG_PLAYED_COUNTERS_H

#include "tools/log/log_lines.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

enum { PLAYED_COUNTERS = 80 };

/* Initialise it as {0}. */
struct played_counters {
    size_t count;
    struct {
        int number; /* of the profiler; negative: it has no room for it */
        enum sw_counter_kind kind;
    } item[PLAYED_COUNTERS];      /* in the order in which the log names them */
    const struct log_value *uses; /* of the step that is played; borrowed, or NULL */
    const struct log_value *inner_uses;
    int64_t steps; /* whose sums they are */
    size_t call;   /* number of the call of its action in the step */
    bool several;  /* the action was called more than once */
};

/* Adds those that the line of the run names, or the one of a line `counter`. */
void counters_of_run(struct played_counters *counters, struct sw_profiler *sw,
                     const struct log_value *run);
void counters_name(struct played_counters *counters, struct sw_profiler *sw,
                   const struct log_value *line);

/* Before a begin or an end is played: by how much the counters went up. */
void counters_read(const struct played_counters *counters, struct sw_profiler *sw,
                   const struct log_value *line);

/* Before an end in a step is played: what the region used. */
void counters_use(const struct played_counters *counters, struct sw_profiler *sw,
                  const char *action, bool inner, size_t call, bool several);

#endif
