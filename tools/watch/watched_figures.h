/* SPDX-License-Identifier: MIT */
/* watched_figures.h - figures of the newest steps of a run. */
#ifndef TOOLS_WATCH_WATCHED_FIGURES_H
#define TOOLS_WATCH_WATCHED_FIGURES_H

#include "tools/watch/watched.h"

/* How many of the newest steps are kept. */
size_t watched_kept(const struct watched *watched);

/* Seconds until the last step; below 0: unknown. */
double watched_eta(const struct watched *watched);

/* Mean, median and 99th percentile of durations of the newest steps. */
struct watched_figures {
    double mean_ns, p50_ns, p99_ns, sum_ns;
};
struct watched_figures watched_figures(const struct watched *watched, const int64_t *ns);

/* Index of the slowest of the newest steps. */
size_t watched_slowest(const struct watched *watched);

#endif
