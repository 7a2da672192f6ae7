/* SPDX-License-Identifier: MIT */
/* claim.h - keeps other processes out of a run. */
#ifndef SINKS_TENSORBOARD_CLAIM_H
#define SINKS_TENSORBOARD_CLAIM_H

/* Keeps other processes out of a run until this one ends, however that happens. Returns 0,
 * also where nothing can be locked, or 1 where the run is being written. */
struct claim;
int claim_take(struct claim **claim, const char *directory);
void claim_release(struct claim *claim);

#endif
