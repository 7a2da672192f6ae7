/* SPDX-License-Identifier: MIT */
/* region_uses.h - what regions used of the counters of their thread, as arguments of the regions.
 */
#ifndef SINKS_COMMON_TIMELINE_REGION_USES_H
#define SINKS_COMMON_TIMELINE_REGION_USES_H

#include "sinks/common/timeline/timeline_state.h"

/* Adds what a counter of a thread went up by, or a peak. Returns the sum of its increases. */
int64_t swi_region_use_add(struct swi_timeline *t, struct swi_track *track, const char *counter,
                           enum sw_counter_kind kind, int64_t value);

/* Call these before the region at the top of the stack is put there, and after it was taken from
 * it. */
void swi_region_uses_begin(struct swi_timeline *t, const struct swi_track *track,
                           struct swi_interval *interval);
void swi_region_uses_end(const struct swi_track *track, struct swi_interval *interval);

/* Returns the bytes that the names and values of what a region used take as JSON. */
size_t swi_region_uses_size(const struct swi_timeline *t, const struct swi_interval *interval);

/* Writes them, each with a comma behind it. */
char *swi_region_uses_put(const struct swi_timeline *t, char *at,
                          const struct swi_interval *interval);

#endif
