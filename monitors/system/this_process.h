/* SPDX-License-Identifier: MIT */
/* this_process.h - CPU, memory and input of this process. */
#ifndef MONITORS_SYSTEM_THIS_PROCESS_H
#define MONITORS_SYSTEM_THIS_PROCESS_H

#include "monitors/system/memory_left.h"
#include "monitors/system/sampled.h"

/* How many CPUs the process may use, maybe a fraction; 0: unknown. status: its file of that name.
 */
double swi_cpus_available(const struct swi_machine *machine, const char *status);

void swi_sample_process(struct swi_system *system, const struct swi_memory_left *memory);

#endif
