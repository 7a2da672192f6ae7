/* SPDX-License-Identifier: MIT */
/* memory_left.h - what the process may use of the memory of the machine. */
#ifndef MONITORS_COMMON_MEMORY_LEFT_H
#define MONITORS_COMMON_MEMORY_LEFT_H

#include "monitors/common/kernel_files.h"

/* How much memory there is for this process, and how much of it is available; -1: unknown. The
 * machine's, or that of the tightest group that it is in. */
struct swi_memory_left {
    double total, available;
    double machine_total, machine_available; /* without groups */
};

void swi_memory_find(const struct swi_machine *machine, struct swi_memory_left *memory);

#endif
