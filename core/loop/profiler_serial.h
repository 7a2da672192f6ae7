/* SPDX-License-Identifier: MIT */
/* profiler_serial.h - a number that only one profiler has. It gets a new one whenever threads must
 * look at the profiler again. */
#ifndef CORE_LOOP_PROFILER_SERIAL_H
#define CORE_LOOP_PROFILER_SERIAL_H

#include <stdint.h>

/* Returns a new number, which is never 0. Any thread may call it. */
uint64_t swi_profiler_serial_next(void);

#endif
