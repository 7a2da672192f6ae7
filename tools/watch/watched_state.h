/* SPDX-License-Identifier: MIT */
/* watched_state.h - whether a run goes on, is silent, has ended, or was killed, figures of it, and
 * where it loses time. */
#ifndef TOOLS_WATCH_WATCHED_STATE_H
#define TOOLS_WATCH_WATCHED_STATE_H

#include "tools/watch/watched.h"

enum watched_state { WATCHED_WAITS, WATCHED_RUNS, WATCHED_SILENT, WATCHED_FINISHED, WATCHED_DEAD };

enum watched_state watched_state(const struct watched *watched);

/* "runs", "silent for 2:14", "ended without finish (killed?)". */
const char *watched_state_text(const struct watched *watched, char *buffer, size_t size);

/* How many of the newest steps are kept. */
size_t watched_stored_steps(const struct watched *watched);

/* Seconds until the last step; below 0: unknown. */
double watched_eta(const struct watched *watched);

/* Mean, median and 99th percentile of durations of the newest steps. */
struct watched_figures {
    double mean_ns, p50_ns, p99_ns, sum_ns;
};
struct watched_figures watched_figures(const struct watched *watched, const int64_t *ns);

/* Index of the slowest of the newest steps. */
size_t watched_slowest(const struct watched *watched);

/* Judges the log anew if that is due: every 5 s, and so rarely that it takes a hundredth of the
 * time. now: does so in any case. Returns whether it did. */
bool findings_update(struct watched *run, bool now);

/* Returns the text of finding i of the newest fit, the worst first, or NULL after the last. */
const char *findings_text(const struct watched *run, size_t i);

#endif
