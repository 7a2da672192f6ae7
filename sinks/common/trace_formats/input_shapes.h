/* SPDX-License-Identifier: MIT */
/* input_shapes.h - the shapes of the inputs of regions. */
#ifndef SINKS_COMMON_TRACE_FORMATS_INPUT_SHAPES_H
#define SINKS_COMMON_TRACE_FORMATS_INPUT_SHAPES_H

#include "sinks/common/trace_formats/timeline_state.h"

/* Gives the region that began last on a thread the shape of its input. */
void swi_timeline_shape(struct swi_timeline *t, int process, int thread, const char *shape);

/* Returns the shape of a region as JSON: a list of lists of numbers, or a string; NULL if it has
 * none. */
const char *swi_timeline_shape_json(const struct swi_timeline *t,
                                    const struct swi_interval *interval, size_t *size);

#endif
