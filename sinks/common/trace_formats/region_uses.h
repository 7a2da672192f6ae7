/* SPDX-License-Identifier: MIT */
/* region_uses.h - what regions used of the counters of their thread, as arguments of the regions.
 */
#ifndef SINKS_COMMON_TRACE_FORMATS_REGION_USES_H
#define SINKS_COMMON_TRACE_FORMATS_REGION_USES_H

#include "sinks/common/trace_formats/timeline_state.h"

/* Adds the increase of a thread's counter, or a peak. Returns the sum of its increases. */
int64_t swi_region_use_add(struct swi_timeline *t, struct swi_track *track, const char *counter,
                           enum sw_counter_kind kind, int64_t value);

/* Call these for a thread with counters before a region is put on top of the stack, and after it
 * was taken off. */
void swi_region_uses_begin(struct swi_timeline *t, const struct swi_track *track,
                           struct swi_interval *interval);
void swi_region_uses_end(const struct swi_track *track, struct swi_interval *interval);

/* Returns the bytes that the names and values of what a region used take as JSON. */
size_t swi_region_uses_size(const struct swi_timeline *t, const struct swi_interval *interval);

/* Writes them, each followed by a comma. */
char *swi_region_uses_put(const struct swi_timeline *t, char *at,
                          const struct swi_interval *interval);

#endif
