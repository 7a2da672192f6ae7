/* SPDX-License-Identifier: MIT */
/* serial.h - a number that a profiler has alone, and gets anew whenever threads have to look at it
 * again. */
#ifndef CORE_LOOP_SERIAL_H
#define CORE_LOOP_SERIAL_H

#include <stdint.h>

/* Never 0, never one that was given before. Any thread. */
uint64_t swi_serial_next(void);

#endif
