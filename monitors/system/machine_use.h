/* SPDX-License-Identifier: MIT */
/* machine_use.h - how busy the machine is: processors, memory, disks and network. */
#ifndef MONITORS_SYSTEM_MACHINE_USE_H
#define MONITORS_SYSTEM_MACHINE_USE_H

#include "monitors/common/memory_left.h"
#include "monitors/system/sampled.h"

void swi_sample_cpu(struct swi_system *system);
void swi_sample_memory(struct swi_system *system, const struct swi_memory_left *memory);
/* What disks read and write, and how full file systems are. */
void swi_sample_disks(struct swi_system *system);
/* What interfaces receive and send. */
void swi_sample_network(struct swi_system *system);

#endif
