/* SPDX-License-Identifier: MIT */
/* resources.h - what the process has of the machine: processors, memory, GPUs. */
#ifndef CORE_PROCESS_RESOURCES_H
#define CORE_PROCESS_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often the kernel took the processor away from a thread that could have continued (its
 * involuntary context switches), and how long the thread waited for a processor. */
struct swi_preemptions {
    int64_t count;     /* -1: not known */
    int64_t waited_ns; /* -1: not known */
};

/* Returns those of a thread of this process. Nothing is known of a thread that has ended. thread:
 * its gettid(). */
struct swi_preemptions swi_preemptions_of(int thread);

/* Bytes in memory now, and the most that were at any time, as VmRSS and VmHWM of /proc/self/status.
 * 0: not known. */
struct swi_resident {
    int64_t now, peak;
};

/* Reads both at the same moment. Allocates nothing. */
struct swi_resident swi_resident(void);

/* ---- whether the program uses a GPU ---------------------------------------------------------- */

/* Finds a GPU runtime among the libraries that are loaded: its base name, such as "libcuda.so.1".
 * False, and "", if there is none. */
bool swi_gpu_runtime(char *name, size_t size);

#endif
