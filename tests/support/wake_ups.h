/* SPDX-License-Identifier: MIT */
/* wake_ups.h - how often the threads beside the loop wake. */
#ifndef TESTS_WAKE_UPS_H
#define TESTS_WAKE_UPS_H

#include <sys/types.h>

/* The voluntary context switches so far of all threads of the process but one. */
long wake_ups(pid_t without);

#endif
