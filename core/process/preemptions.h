/* SPDX-License-Identifier: MIT */
/* preemptions.h - how often the kernel took the processor away. */
#ifndef CORE_PROCESS_PREEMPTIONS_H
#define CORE_PROCESS_PREEMPTIONS_H

#include <stdint.h>

/* Returns how often the calling thread was switched out although it could have gone on; -1 if that
 * is not known. */
int64_t swi_preemptions(void);

#endif
