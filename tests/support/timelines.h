/* SPDX-License-Identifier: MIT */
/* timelines.h - reads a timeline of any format back: how often each region ran on each thread, and
 * for how long. */
#ifndef TESTS_TIMELINES_H
#define TESTS_TIMELINES_H

#include <stddef.h>
#include <stdint.h>

struct total {
    char *key; /* "thread/name" */
    int64_t calls;
    int64_t total_ns;
    int depth; /* of the first, from 1, where the format says it; else 0 */
};

struct totals {
    size_t count;
    struct total item[512];
    int64_t instants, counters, spans; /* events of these kinds */
    double values;                     /* the sum of those of the counters */
    int64_t used;                      /* xplane: the sum of what regions used of counters */
    int64_t flows;                     /* arrows: ends that have a begin with the same id */
    int64_t steps;                     /* of training and validation, where the format has them */
    char labels[256];                  /* xplane: the steps' labels, each with a blank after it */
    int64_t cut, cancelled, cut_spans;
    int64_t flow; /* the id of the newest begin of an arrow */
    int limit;    /* it says that a limit was reached */
};

/* Reads a file of the scratch folder. format: "chrome", "perfetto", "torch", "xplane",
 * "speedscope". The test fails if a viewer would refuse any of it. Names are as they were given to
 * the profiler. */
void timeline_read(struct totals *totals, const char *format, const char *path);

/* The calls of a key; 0 if there is none. */
int64_t timeline_calls(const struct totals *totals, const char *key);

/* The test fails unless both have the same keys, calls and totals. */
void timeline_same(const struct totals *totals, const struct totals *others, const char *what);

void timeline_add(struct totals *totals, const char *thread, const char *name, int64_t ns);
void timeline_free(struct totals *totals);

#endif
