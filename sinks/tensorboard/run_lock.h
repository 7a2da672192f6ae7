/* SPDX-License-Identifier: MIT */
/* run_lock.h - keeps other processes out of a run. */
#ifndef SINKS_TENSORBOARD_RUN_LOCK_H
#define SINKS_TENSORBOARD_RUN_LOCK_H

/* Keeps other processes out of a run until this one ends, however that happens. Returns 0,
 * also where nothing can be locked, or 1 where the run is being written. */
struct claim;
int claim_take(struct claim **claim, const char *directory);
void claim_release(struct claim *claim);

#endif
