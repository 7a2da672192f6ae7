/* SPDX-License-Identifier: MIT */
/* cpus_allowed.h - on how many CPUs the process may run, and how long it did. */
#ifndef MONITORS_COMMON_CPUS_ALLOWED_H
#define MONITORS_COMMON_CPUS_ALLOWED_H

#include "monitors/common/kernel_files.h"

/* Returns on how many CPUs the process may run, of those that are there; 0: unknown. Quotas do not
 * count. status: the content of /proc/self/status, for what the kernel does not answer. */
double swi_cpus_allowed(const struct swi_machine *machine, const char *status);

/* How long all threads of this process have run on CPUs, ever, and when that was read
 * (CLOCK_MONOTONIC). If the thread is interrupted between the two, they are read again: else a
 * share of a short time would be above all that there is. */
bool swi_cpu_used(int64_t *cpu_ns, int64_t *time_ns);

#endif
