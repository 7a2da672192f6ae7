/* SPDX-License-Identifier: MIT */
/* disks.h - what disks read and write, and how full file systems are. */
#ifndef MONITORS_SYSTEM_DISKS_H
#define MONITORS_SYSTEM_DISKS_H

#include "monitors/system/sampled.h"

void swi_sample_disks(struct swi_system *system);

#endif
