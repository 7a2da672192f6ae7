/* SPDX-License-Identifier: MIT */
/* resident.h - the memory that the process has. */
#ifndef CORE_PROCESS_RESIDENT_H
#define CORE_PROCESS_RESIDENT_H

#include <stdint.h>

/* Bytes in memory now, and the most that were at any time, as VmRSS and VmHWM of /proc/self/status.
 * 0: not known. */
struct swi_resident {
    int64_t now, peak;
};

/* Reads both at the same moment. Allocates nothing. */
struct swi_resident swi_resident(void);

#endif
