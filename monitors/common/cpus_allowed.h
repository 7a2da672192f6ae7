/* SPDX-License-Identifier: MIT */
/* cpus_allowed.h - on which CPUs the process may run. */
#ifndef MONITORS_COMMON_CPUS_ALLOWED_H
#define MONITORS_COMMON_CPUS_ALLOWED_H

#include "monitors/common/kernel_files.h"

/* Returns on how many CPUs the process may run, of those that are there; 0: unknown. Quotas do not
 * count. status: the content of /proc/self/status, for what the kernel does not answer. */
double swi_cpus_allowed(const struct swi_machine *machine, const char *status);

#endif
