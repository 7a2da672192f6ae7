/* SPDX-License-Identifier: MIT */
/* open_regions.h - finds what each thread of the program is doing, for a loop that has stalled. */
#ifndef CORE_WATCHDOG_OPEN_REGIONS_H
#define CORE_WATCHDOG_OPEN_REGIONS_H

#include "core/rows/measured.h"

#include <stepwatch/sink.h>

/* How many threads are listed. */
enum { SWI_OPEN_MAX = 8 };

struct swi_open_regions {
    size_t count;
    struct sw_open_region region[SWI_OPEN_MAX]; /* sorted by start, the oldest first */
    bool of_loop[SWI_OPEN_MAX];
};

/* Finds the innermost open region of each thread. The threads are not stopped. */
void swi_open_regions_find(struct swi_open_regions *open, struct swi_measured *measured);

#endif
