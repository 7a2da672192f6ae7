/* SPDX-License-Identifier: MIT */
/* this_process.h - CPU, memory and input of this process. */
#ifndef MONITORS_SYSTEM_THIS_PROCESS_H
#define MONITORS_SYSTEM_THIS_PROCESS_H

#include "monitors/common/memory_left.h"
#include "monitors/system/sampled.h"

void swi_sample_process(struct swi_system *system, const struct swi_memory_left *memory);

#endif
