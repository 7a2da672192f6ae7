/* SPDX-License-Identifier: MIT */
/* memory_left.h - memory and swap of the machine, and what the process may use of it. */
#ifndef MONITORS_SYSTEM_MEMORY_LEFT_H
#define MONITORS_SYSTEM_MEMORY_LEFT_H

#include "monitors/system/sampled.h"

/* How much memory there is for this process, and how much of it is available; -1: unknown. The
 * machine's, or that of the tightest group that it is in. */
struct swi_memory_left {
    double total, available;
};

void swi_memory_find(const struct swi_machine *machine, struct swi_memory_left *memory);
void swi_sample_memory(struct swi_system *system, const struct swi_memory_left *memory);

#endif
