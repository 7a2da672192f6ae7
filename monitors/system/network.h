/* SPDX-License-Identifier: MIT */
/* network.h - what interfaces receive and send. */
#ifndef MONITORS_SYSTEM_NETWORK_H
#define MONITORS_SYSTEM_NETWORK_H

#include "monitors/system/sampled.h"

void swi_sample_network(struct swi_system *system);

#endif
