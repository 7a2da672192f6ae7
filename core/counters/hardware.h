/* SPDX-License-Identifier: MIT */
/* hardware.h - the counters of the processor. */
#ifndef CORE_COUNTERS_HARDWARE_H
#define CORE_COUNTERS_HARDWARE_H

#include <stepwatch/error.h>

#include <stdbool.h>

/* Sets err to why perf_event_open() failed with `error`, and what to do. first: no event of the
 * thread is open yet. Returns SW_EIO. */
int swi_hardware_refused(int error, bool first, struct sw_error *err);

/* Returns the share of a thread's time on a CPU in which its counters had registers of the
 * processor, in percent: of the thread that had none of them last; 100 if all had them always. */
int swi_hardware_ran_percent(void);

#endif
