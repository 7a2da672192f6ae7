/* SPDX-License-Identifier: MIT */
/* preemptions.h - how often the kernel took the processor away from a thread that could have
 * continued: its involuntary context switches. */
#ifndef CORE_PROCESS_PREEMPTIONS_H
#define CORE_PROCESS_PREEMPTIONS_H

#include <stdint.h>

/* Returns the count of the calling thread, or -1 if it is not known. */
int64_t swi_preemptions(void);

/* Returns the count of another thread of this process, or -1 if it is not known or the thread has
 * ended. thread: its gettid(). */
int64_t swi_preemptions_of(int thread);

#endif
