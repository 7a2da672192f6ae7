/* SPDX-License-Identifier: MIT */
/* machine_memory.h - memory and swap of the machine. */
#ifndef MONITORS_SYSTEM_MACHINE_MEMORY_H
#define MONITORS_SYSTEM_MACHINE_MEMORY_H

#include "monitors/common/memory_left.h"
#include "monitors/system/sampled.h"

void swi_sample_memory(struct swi_system *system, const struct swi_memory_left *memory);

#endif
