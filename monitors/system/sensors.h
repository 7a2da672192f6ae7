/* SPDX-License-Identifier: MIT */
/* sensors.h - temperatures, and how much waits for CPU, memory and disks. */
#ifndef MONITORS_SYSTEM_SENSORS_H
#define MONITORS_SYSTEM_SENSORS_H

#include "monitors/system/sampled.h"

void swi_sample_sensors(struct swi_system *system);
void swi_sample_pressure(struct swi_system *system);

#endif
