/* SPDX-License-Identifier: MIT */
/* region_coverage.h - the newest outermost regions of a thread, to find out whether it was in a
 * region at a time. */
#ifndef SINKS_COMMON_TRACE_FORMATS_REGION_COVERAGE_H
#define SINKS_COMMON_TRACE_FORMATS_REGION_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

struct swi_cover {
    int64_t begin_ns, end_ns;
};

/* Initialise it as {0}. */
struct swi_region_coverage {
    struct swi_cover *item; /* a ring once it has its largest size */
    size_t room;
    size_t count; /* all that were added */
};

/* Adds a region. Regions come in order and do not overlap. Those without a time inside are left
 * out. */
void swi_region_coverage_add(struct swi_region_coverage *coverage, int64_t begin_ns,
                             int64_t end_ns);

/* Returns the region that contains a time; NULL if there is none or it is too long ago. */
const struct swi_cover *swi_region_coverage_find(const struct swi_region_coverage *coverage,
                                                 int64_t time_ns);

void swi_region_coverage_free(struct swi_region_coverage *coverage);

#endif
