/* SPDX-License-Identifier: MIT */
/* close_time.h - how long a sink may wait for its upload at the end of the run. */
#ifndef NET_CLOSE_TIME_H
#define NET_CLOSE_TIME_H

#include <stepwatch/sink.h>

/* Returns the time of CLOCK_MONOTONIC until which the end of the upload may be waited for: four
 * fifths of close_timeout. end_ns: when the end of the run was known; 0: now. */
int64_t swi_close_deadline_ns(const struct sw_run *run, int64_t end_ns);

#endif
