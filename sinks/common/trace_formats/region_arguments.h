/* SPDX-License-Identifier: MIT */
/* region_arguments.h - the arguments of regions: what they used of the counters of their thread,
 * and the shapes of their inputs. */
#ifndef SINKS_COMMON_TRACE_FORMATS_REGION_ARGUMENTS_H
#define SINKS_COMMON_TRACE_FORMATS_REGION_ARGUMENTS_H

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

/* Gives the region that began last on a thread the shape of its input. */
void swi_timeline_shape(struct swi_timeline *t, int process, int thread, const char *shape);

/* Returns the shape of a region as JSON: a list of lists of numbers, or a string; NULL if it has
 * none. */
const char *swi_timeline_shape_json(const struct swi_timeline *t,
                                    const struct swi_interval *interval, size_t *size);

#endif
