/* SPDX-License-Identifier: MIT */
/* preemptions.h - how often the kernel took the processor away from a thread that could have
 * continued (its involuntary context switches), and how long the thread waited for a processor. */
#ifndef CORE_PROCESS_PREEMPTIONS_H
#define CORE_PROCESS_PREEMPTIONS_H

#include <stdint.h>

struct swi_preemptions {
    int64_t count;     /* -1: not known */
    int64_t waited_ns; /* -1: not known */
};

/* Returns those of a thread of this process. Nothing is known of a thread that has ended. thread:
 * its gettid(). */
struct swi_preemptions swi_preemptions_of(int thread);

#endif
