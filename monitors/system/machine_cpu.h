/* SPDX-License-Identifier: MIT */
/* machine_cpu.h - how busy the machine is. */
#ifndef MONITORS_SYSTEM_MACHINE_CPU_H
#define MONITORS_SYSTEM_MACHINE_CPU_H

#include "monitors/system/sampled.h"

void swi_sample_cpu(struct swi_system *system);

#endif
