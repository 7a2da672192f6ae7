/* SPDX-License-Identifier: MIT */
/* recorded_runs.h - a list of recorded runs, and its order. */
#ifndef TOOLS_RUNS_RECORDED_RUNS_H
#define TOOLS_RUNS_RECORDED_RUNS_H

#include "tools/runs/recorded_run.h"

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

#endif
